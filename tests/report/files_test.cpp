// The requests table, the schedule and progress, and the files that are there whole or not at all.

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <system_error>

#include "sim/report/atomic_file.hpp"
#include "sim/report/progress.hpp"
#include "sim/report/requests_csv.hpp"
#include "sim/report/schedule_jsonl.hpp"
#include "tests/report/told_run.hpp"

using namespace decodesim;
using namespace decodesim::tests;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for a test, gone afterwards.
class Folder {
 public:
  Folder()
      : path_(fs::temp_directory_path() /
              ("decodesim-report-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] fs::path file(const char* name) const { return path_ / name; }
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// What the column of the SLO holds, row by row.
std::string slo_cells(const std::string& table) {
  std::istringstream rows(table);
  std::string cells;
  for (std::string row; std::getline(rows, row);) {
    row.resize(row.rfind(','));  // its turn
    row.resize(row.rfind(','));  // and its session
    cells += row.substr(row.rfind(',') + 1) + " ";
  }
  return cells;
}

}  // namespace

TEST_CASE("a file appears with its commit and leaves nothing beside it") {
  Folder folder;
  const fs::path path = folder.file("a.txt");
  {
    AtomicFile file(path);
    file.out() << "new";
    CHECK_FALSE(fs::exists(path));
    file.commit();
  }
  CHECK(content(path) == "new");
  CHECK(folder.size() == 1);
}

TEST_CASE("without a commit the file stays as it was") {
  Folder folder;
  const fs::path path = folder.file("a.txt");
  std::ofstream(path) << "old";
  {
    AtomicFile file(path);
    file.out() << "half of the n";
  }
  CHECK(content(path) == "old");
  CHECK(folder.size() == 1);
}

TEST_CASE("a link stays and what it names is replaced") {
  Folder folder;
  std::ofstream(folder.file("target.txt")) << "old";
  fs::create_symlink(folder.file("target.txt"), folder.file("link.txt"));
  AtomicFile file(folder.file("link.txt"));
  file.out() << "new";
  file.commit();
  CHECK(fs::is_symlink(folder.file("link.txt")));
  CHECK(content(folder.file("target.txt")) == "new");
}

TEST_CASE("a full disk and a missing folder are errors that name the file") {
  AtomicFile full("/dev/full");
  full.out() << "lost";
  try {
    full.commit();
    FAIL("a full disk went unnoticed");
  } catch (const std::system_error& error) {
    CHECK(error.code() == std::errc::no_space_on_device);
    CHECK(std::string(error.what()).find("/dev/full") != std::string::npos);
  }
  Folder folder;
  try {
    AtomicFile(folder.file("missing") / "a.txt");
    FAIL("a missing folder went unnoticed");
  } catch (const std::system_error& error) {
    CHECK(error.code() == std::errc::no_such_file_or_directory);
    CHECK(std::string(error.what()).find("missing/a.txt") != std::string::npos);
  }
}

TEST_CASE("a device is written to and stays a device") {
  AtomicFile file("/dev/null");
  file.out() << "text";
  file.commit();
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE("the requests table has a row a request in the order of the workload, with exact times") {
  Folder folder;
  RequestsCsv table(folder.file("requests.csv"));
  tell_two_requests(table);
  CHECK(content(folder.file("requests.csv")) ==
        "index,id,outcome,reason,arrival_s,scheduled_s,first_token_s,ended_s,ttft_ms,tpot_ms,e2el_ms,input_tokens,"
        "output_tokens,max_tokens,priority,preemptions,recomputed_tokens,tenant,slo_class,deadline_met,found_tokens,"
        "preempted_for_decode,preempted_for_prefill,preempted_for_admission,preempted_for_retraction,"
        "preempted_by_itself,blocks_freed,free_blocks_before,recompute_ms,away_ms,discarded_tokens,"
        "swapped_out_tokens,found_again_tokens,recompute_waited_ms,swapped_out_bytes,swapped_in_bytes,transfer_ms,"
        "transfer_waited_ms,loads,load_ms,slo,session,turn\n"
        "0,A,completed,,0.000000000,0.000000000,1.000000000,3.000000000,1000.000000,1000.000000,3000.000000,6,3,3,0,0,"
        "0,,,,0,,,,,,,,,,,,,0.000000,,,,,0,,,,\n"
        "1,B,completed,,1.000000000,1.000000000,2.000000000,2.000000000,1000.000000,,1000.000000,3,1,1,0,0,0,,,,0,,,,,,"
        ",,,,,,,0.000000,,,,,0,,,,\n");
}

TEST_CASE("a request that was evicted has its account in its row") {
  const Folder folder;
  RequestsCsv table(folder.file("requests.csv"));
  Request a = request_of(0, "", at(0), 6, 3);
  a.tenant = "acme";
  a.slo_class = "chat";
  a.deadline = seconds(4);
  const Request b = request_of(1, "", at(0), 6, 3);
  const std::vector<EvictionFacts> evictions{
      {.victim = &a, .requester = &b, .tokens = 6, .blocks = 2, .free_before = 1},
      {.victim = &a, .requester = &a, .reason = EvictionReason::prefill, .tokens = 4, .blocks = 1, .free_before = 0}};
  StepFacts step = step_of(1, at(0), at(1));
  step.evictions = evictions;
  table.step(step);
  const std::vector<RecomputeFacts> recomputes{{&a, 5}};
  const std::vector<const Request*> entered{&a};
  StepFacts back = step_of(2, at(2), at(3));
  back.recomputes = recomputes;
  back.recompute_time = Duration(1'500'000);
  back.entered = entered;
  table.step(back);
  RequestFacts end = completed(a, at(0), at(1), at(5));
  end.preemptions = 2;
  end.recomputed_tokens = 5;
  end.discarded_tokens = 10;
  end.found_tokens = 4;
  end.found_again_tokens = 3;
  end.recompute_to_end = Duration(2'000'000);
  end.loads = 2;
  end.loading = Duration(3'000'000);
  table.ended(end);
  table.run_ended({at(5), false, ""});
  const std::string text = content(folder.file("requests.csv"));
  CHECK(text.ends_with(
      ",2,5,acme,chat,false,4,1,1,0,0,1,3,0.50,1.500000,2000.000000,10,0,3,2.000000,,,,,2,3.000000,,,\n"));
}

TEST_CASE("a request whose KV went to the host has the bytes and its part of the time in its row") {
  const Folder folder;
  RequestsCsv table(folder.file("requests.csv"), Bytes(2e9));
  const Request a = request_of(0, "", at(0), 6, 3);
  const std::vector<EvictionFacts> evictions{
      {.victim = &a, .fate = KvFate::swapped, .tokens = 6, .blocks = 3, .free_before = 1}};
  const std::vector<SwapFacts> out{{&a, true, 3}};
  StepFacts step = step_of(1, at(0), at(1));
  step.evictions = evictions;
  step.swaps = out;
  step.transfer_time = Duration(1'500'000);
  step.ledger.spend_transfers(step.transfer_time, true);
  table.step(step);
  const std::vector<SwapFacts> in{{&a, false, 3}};
  StepFacts back = step_of(2, at(1), at(2));
  back.swaps = in;
  back.transfer_time = seconds(2);
  back.ledger.spend_transfers(back.transfer_time, true);
  table.step(back);
  RequestFacts end = completed(a, at(0), at(1), at(5));
  end.preemptions = 1;
  end.swapped_out_tokens = 6;
  table.ended(end);
  table.run_ended({at(5), false, ""});
  CHECK(content(folder.file("requests.csv")).ends_with(",6000000000,6000000000,2001.500000,1000.000000,0,,,,\n"));
}

TEST_CASE("a row says whether its request kept the SLO, and whether recompute is to blame") {
  const Folder folder;
  SloSpec slo;
  slo.e2el_p99 = seconds(4);
  RequestsCsv table(folder.file("requests.csv"), {}, slo);
  const Request kept = request_of(0, "", at(0), 6, 3);
  const Request slowed = request_of(1, "", at(0), 6, 3);
  const Request slow = request_of(2, "", at(0), 6, 3);
  table.ended(completed(kept, at(0), at(1), at(4)));
  RequestFacts end = completed(slowed, at(0), at(1), at(5));
  end.recompute_to_end = seconds(1);
  table.ended(end);
  end.request = &slow;
  end.recompute_to_end = seconds(1) - Duration(1);
  table.ended(end);
  table.run_ended({at(5), false, ""});
  CHECK(slo_cells(content(folder.file("requests.csv"))) == "slo kept missed_by_recompute missed ");
}

TEST_CASE("a request whose class has limits of its own is held against these") {
  const Folder folder;
  SloSpec slo;
  slo.e2el_p99 = seconds(4);
  SloSpec patient;
  patient.e2el_p99 = seconds(9);
  RequestsCsv table(folder.file("requests.csv"), {}, slo, {{"batch", patient}, {"free", SloSpec{}}});
  std::vector<Request> requests;
  for (const char* slo_class : {"batch", "free", "chat"}) {
    requests.push_back(request_of(static_cast<std::int64_t>(requests.size()), "", at(0), 6, 3));
    requests.back().slo_class = slo_class;
  }
  for (const Request& one : requests) table.ended(completed(one, at(0), at(1), at(5)));
  table.run_ended({at(5), false, ""});
  CHECK(slo_cells(content(folder.file("requests.csv"))) == "slo kept  missed ");
}

TEST_CASE("what never came is an empty cell, and a missing request does not hold back the rest") {
  Folder folder;
  RequestsCsv table(folder.file("requests.csv"));
  const Request late = request_of(7, "", Time(Duration(1'500'000'000)), 9, 4);
  table.ended(failed(late, Outcome::unfinished, "the run was interrupted", at(2)));
  Request big = request_of(2, "=SUM(A1)", at(1), 900, 4);
  big.priority = -1;
  table.ended(failed(big, Outcome::rejected, "never fits, \"ever\"", at(1)));
  table.run_ended({});
  const std::string text = content(folder.file("requests.csv"));
  CHECK(text.substr(text.find('\n') + 1) ==
        "2,'=SUM(A1),rejected,\"never fits, "
        "\"\"ever\"\"\",1.000000000,,,1.000000000,,,,900,0,4,-1,0,0,,,,0,,,,,,,,,,,,,,,,,,0,,,,\n"
        "7,,unfinished,the run was "
        "interrupted,1.500000000,,,2.000000000,,,,9,0,4,0,0,0,,,,0,,,,,,,,,,,,,0.000000,,,,,0,,,,\n");
}

TEST_CASE("the time per token is rounded half up to a nanosecond") {
  Folder folder;
  RequestsCsv table(folder.file("requests.csv"));
  const Request request = request_of(0, "", at(0), 1, 3);
  table.ended(completed(request, at(0), Time(Duration(10)), Time(Duration(13))));
  table.run_ended({});
  CHECK(content(folder.file("requests.csv")).find(",0.000010,0.000002,0.000013,") != std::string::npos);
}

TEST_CASE("no cell starts a formula and separators are quoted") {
  for (const char* start : {"=", "+", "-", "@", "\t"}) CHECK(csv_cell(std::string(start) + "1").front() == '\'');
  CHECK(csv_cell("\r1") == "\"'\r1\"");
  CHECK(csv_cell("a,b") == "\"a,b\"");
  CHECK(csv_cell("a\"b") == "\"a\"\"b\"");
  CHECK(csv_cell("a\nb") == "\"a\nb\"");
  CHECK(csv_cell("plain = text") == "plain = text");
  CHECK(csv_cell("a\xFFz\xC3") == "a\uFFFDz\uFFFD");
  CHECK(csv_cell("\u00E4") == "\u00E4");
}

TEST_CASE("the schedule has a line a pass with its keys in order") {
  Folder folder;
  ScheduleJsonl schedule(folder.file("schedule.jsonl"), Duration{});
  CHECK(schedule.wants_schedule());
  tell_two_requests(schedule);
  CHECK(
      content(folder.file("schedule.jsonl")) ==
      R"({"step": 1, "start_s": 0, "end_s": 1, "scheduled": [["A",6]], "preempted": [], "finished": [], "waiting": [], )"
      R"("free_blocks": 8, "cached_tokens": {}, "block_tables": {"A": [1,2]}})"
      "\n"
      R"({"step": 2, "start_s": 1, "end_s": 2, "scheduled": [["A",1],["B",3]], "preempted": [], "finished": ["B"], )"
      R"("waiting": [], "free_blocks": 7, "cached_tokens": {}, "block_tables": {"A": [1,2], "B": [3]}})"
      "\n"
      R"({"step": 3, "start_s": 2, "end_s": 3, "scheduled": [["A",1]], "preempted": [], "finished": ["A"], "waiting": [], )"
      R"("free_blocks": 8, "cached_tokens": {}, "block_tables": {"A": [1,2]}})"
      "\n");
}

TEST_CASE("idle passes of a grid have lines too, and a request without an id goes by its index") {
  Folder folder;
  ScheduleJsonl schedule(folder.file("schedule.jsonl"), Duration(500'000'000));
  schedule.idle(3, 2, at(1), 10);
  const Request request = request_of(4, "", at(2), 5, 1);
  StepFacts facts = step_of(5, at(2), Time(Duration(2'500'000'000)));
  ScheduleFacts who;
  who.preempted = {&request};
  who.waiting = {&request};
  who.cached_tokens = {{&request, 4}};
  facts.schedule = &who;
  schedule.step(facts);
  schedule.run_ended({});
  std::istringstream lines(content(folder.file("schedule.jsonl")));
  std::string line;
  std::getline(lines, line);
  CHECK(line ==
        R"({"step": 3, "start_s": 1, "end_s": 1.5, "scheduled": [], "preempted": [], "finished": [], "waiting": [], )"
        R"("free_blocks": 10, "cached_tokens": {}, "block_tables": {}})");
  std::getline(lines, line);
  CHECK(nlohmann::json::parse(line).at("start_s") == 1.5);
  std::getline(lines, line);
  const nlohmann::json last = nlohmann::json::parse(line);
  CHECK(last.at("preempted") == nlohmann::json{"4"});
  CHECK(last.at("waiting") == nlohmann::json{"4"});
  CHECK(last.at("cached_tokens").at("4") == 4);
}

TEST_CASE("progress is silent where no terminal listens, and wiped where one does") {
  std::ostringstream silent;
  Progress unheard(silent, false, 2);
  tell_two_requests(unheard);
  for (int i = 0; i < 1000; ++i) unheard.step(step_of(i, at(i), at(i + 1)));
  CHECK(silent.str().empty());

  std::ostringstream shown;
  Progress heard(shown, true, 2);
  const auto began = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(250))
    heard.step(step_of(1, at(0), at(1)));
  heard.run_ended({});
  const std::string text = shown.str();
  CHECK(text.starts_with("\r0 of 2 requests, 1.00 s simulated, "));
  CHECK(text.ends_with("\r\x1b[K"));
  const auto lines = std::count(text.begin(), text.end(), '\r');
  CHECK(lines >= 2);
  CHECK(lines <= 4);
}
