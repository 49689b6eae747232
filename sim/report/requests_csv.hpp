#pragma once
// A table of all requests, for spreadsheets and scripts.

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "sim/report/atomic_file.hpp"
#include "sim/report/late_endings.hpp"
#include "sim/report/report_spec.hpp"
#include "sim/report/victims.hpp"
#include "sim/serving/observer.hpp"

namespace decodesim {

/// One row a request in the order of the workload, after a header row whose names carry the units. Times are exact, in
/// seconds with nine decimals and milliseconds with six; what never came is an empty cell. Text cells that a
/// spreadsheet would take for a formula begin with an apostrophe.
///
/// Rows are held back until those before them are complete, so memory follows what is in flight. The file appears when
/// the run ends. Throws std::system_error where it cannot be written.
class RequestsCsv : public Observer {
 public:
  /// `moved_block` are the bytes of a block that moves to the host, on all ranks.
  /// `class_slo` are the limits of classes that have their own, by name; all others are held against `slo`.
  explicit RequestsCsv(const std::filesystem::path& path, Bytes moved_block = {}, SloSpec slo = {},
                       std::map<std::string, SloSpec> class_slo = {});
  void step(const StepFacts& facts) override;
  void ended(const RequestFacts& facts) override;
  void run_ended(const RunFacts& facts) override;

 private:
  void write(const RequestFacts& facts);

  AtomicFile file_;
  Bytes moved_block_;
  SloSpec slo_;
  std::map<std::string, SloSpec> class_slo_;
  Victims victims_;
  LateEndings late_;
  std::map<std::int64_t, std::string> held_;
  std::int64_t next_ = 0;
};

/// `text` as a CSV cell: quoted where it must be, and never the start of a formula (=, +, -, @, tab, carriage return).
std::string csv_cell(std::string_view text);

}  // namespace decodesim
