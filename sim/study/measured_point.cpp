#include "sim/study/measured_point.hpp"

#include "sim/report/number_text.hpp"

namespace decodesim {

std::string point_name(const MeasuredPoint& point) {
  if (!point.id.empty()) return point.id;
  return point.line > 0 ? point.file + ":" + std::to_string(point.line) : point.file;
}

std::string load_text(const MeasuredPoint& point) {
  switch (point.load) {
    case LoadKind::closed_loop:
      return counted(point.concurrency, "client");
    case LoadKind::all_at_once:
      return "all at once";
    case LoadKind::poisson:
      return significant(point.request_rate) + " req/s";
  }
  return {};
}

}  // namespace decodesim
