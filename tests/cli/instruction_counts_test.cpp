// tools/instructions judges a file of instruction counts by the one before it, and by limits of its own.

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace decodesim::tests {

namespace {

/// A line of a file of counts.
struct Row {
  std::string name;  // of the case
  std::string kind;
  std::string what;
  double value = 0;
};

std::string kept_counts() { return file_text(DECODESIM_SOURCE_DIR "/tests/instructions.tsv"); }

/// The file with every row changed as `change` says; rows that it refuses are left out.
std::string changed(const std::string& counts, const std::function<bool(Row&)>& change) {
  std::istringstream lines(counts);
  std::ostringstream result;
  std::string line;
  while (std::getline(lines, line)) {
    Row row;
    std::istringstream cells(line);
    std::string value;
    if (line.starts_with('#') || !std::getline(cells, row.name, '\t') || !std::getline(cells, row.kind, '\t') ||
        !std::getline(cells, row.what, '\t') || !std::getline(cells, value)) {
      result << line << '\n';
      continue;
    }
    row.value = std::stod(value);
    if (!change(row)) continue;
    result << std::fixed << row.name << '\t' << row.kind << '\t' << row.what << '\t' << row.value << '\n';
  }
  return result.str();
}

/// The kept file where each figure of `name` is `factor` times as much, through one of its functions.
std::string with_rise(const std::string& name, const std::string& function, double factor) {
  double more = 0;
  return changed(kept_counts(), [&](Row& row) {
    if (row.name != name) return true;
    if (row.kind == "figure" && row.what == "request") more = row.value * (factor - 1);
    if (row.kind == "figure") row.value *= factor;
    if (row.kind == "self" && row.what == function) row.value += more;
    return true;
  });
}

/// The function of a case that executes the most instructions itself, or the next ones.
std::string function_of(const std::string& name, std::size_t place) {
  std::vector<std::string> functions;
  changed(kept_counts(), [&](const Row& row) {
    if (row.name == name && row.kind == "self") functions.push_back(row.what);
    return true;
  });
  return functions.at(place);
}

ProgramResult compare(const std::string& before, const std::string& now) {
  const TemporaryFolder folder;
  return run_command("tools/instructions --compare '" + folder.write("before.tsv", before) + "' '" +
                     folder.write("now.tsv", now) + "'");
}

ProgramResult limits(const std::string& counts) {
  const TemporaryFolder folder;
  return run_command("tools/instructions --limits '" + folder.write("counts.tsv", counts) + "'");
}

bool says(const ProgramResult& result, const std::string& text) { return result.out.find(text) != std::string::npos; }

/// Counts that hold every limit, whatever the kept ones do.
std::string within_limits(const std::function<void(Row&)>& but) {
  return changed(kept_counts(), [&](Row& row) {
    if (row.kind == "figure" && row.what == "token") {
      if (row.name == "batch-256-outputs-64") row.value = 200;
      if (row.name == "batch-256-outputs-512") row.value = 40;
      if (row.name == "batch-256-outputs-4096") row.value = 20;
      if (row.name == "batch-1024-outputs-4096") row.value = 12;
      if (row.name == "batch-4096-outputs-4096") row.value = 10;
    }
    but(row);
    return true;
  });
}

}  // namespace

TEST_CASE("a rise of instructions by 6 % fails and names the function that rose, and one by 4 % passes") {
  const std::string function = function_of("overload-130", 3);
  const ProgramResult risen = compare(kept_counts(), with_rise("overload-130", function, 1.06));
  CHECK(risen.exit_code == 1);
  CHECK(says(risen, "a request (+6.0 %), "));
  CHECK(says(risen, "    " + function + ": "));
  CHECK(!says(risen, "    " + function_of("overload-130", 2) + ": "));
  // The case that rose, and no other.
  CHECK(risen.out.find("ROSE") == risen.out.rfind("ROSE"));
  CHECK(risen.out.rfind('\n', risen.out.find("ROSE")) + 1 == risen.out.find("overload-130: "));

  const ProgramResult within = compare(kept_counts(), with_rise("overload-130", function, 1.04));
  CHECK_MESSAGE(within.exit_code == 0, within.out);
  CHECK(says(within, "a request (+4.0 %), "));
  CHECK(!says(within, "ROSE"));
  CHECK(compare(with_rise("overload-130", function, 1.06), kept_counts()).exit_code == 0);
}

TEST_CASE("each figure is compared: instructions a request, a step and a token") {
  for (const std::string figure : {"request", "step", "token"}) {
    CAPTURE(figure);
    const std::string counts = changed(kept_counts(), [&](Row& row) {
      if (row.name == "outputs-8192" && row.kind == "figure" && row.what == figure) row.value *= 1.06;
      return true;
    });
    const ProgramResult result = compare(kept_counts(), counts);
    CHECK(result.exit_code == 1);
    CHECK(says(result, "a " + figure + " (+6.0 %)"));
    CHECK(says(result, "none of the largest functions rose"));
    const std::string without = changed(kept_counts(), [&](const Row& row) {
      return row.name != "outputs-8192" || row.kind != "figure" || row.what != figure;
    });
    const ProgramResult lacking = compare(kept_counts(), without);
    CHECK(lacking.exit_code == 1);
    CHECK(says(lacking, "outputs-8192: instructions a " + figure + " are missing in the new counts"));
  }
}

TEST_CASE("a function that was not among the largest is named with the most that it can have taken") {
  const std::string before =
      "a\tfigure\trequest\t100.00\na\tfigure\tstep\t100.00\na\tfigure\ttoken\t10.00\n"
      "a\tself\told\t60.00\na\tself\tleast\t20.00\n";
  const std::string now =
      "a\tfigure\trequest\t150.00\na\tfigure\tstep\t150.00\na\tfigure\ttoken\t15.00\n"
      "a\tself\told\t65.00\na\tself\tnew\t55.00\na\tself\tleast\t20.00\n";
  const ProgramResult result = compare(before, now);
  CHECK(result.exit_code == 1);
  CHECK(says(result,
             "ROSE\n    new: at most 20.00 -> 55.00 instructions a request\n"
             "    old: 60.00 -> 65.00 instructions a request\n"));
  CHECK(!says(result, "    least"));
}

TEST_CASE("a case that only one of two files of counts has is said, and fails unless its data is not there") {
  const std::string without = changed(kept_counts(), [](const Row& row) { return row.name != "azure-conversation"; });
  const ProgramResult missing = compare(kept_counts(), without);
  CHECK(missing.exit_code == 1);
  CHECK(says(missing, "azure-conversation: missing in the new counts"));
  const ProgramResult added = compare(without, kept_counts());
  CHECK(added.exit_code == 1);
  CHECK(says(added, "azure-conversation: new, with nothing to compare it with"));
  const ProgramResult skipped = compare(kept_counts(), without + "azure-conversation\tskipped\ttrace\t-\n");
  CHECK(skipped.exit_code == 0);
  CHECK(says(skipped, "azure-conversation: not counted"));
  CHECK(compare(kept_counts(), "").exit_code == 1);
}

TEST_CASE("instruction counts have limits that hold whatever they were before") {
  const ProgramResult held = limits(within_limits([](Row&) {}));
  CHECK_MESSAGE(held.exit_code == 0, held.out);
  struct Breach {
    std::string name;
    std::string kind;
    std::string what;
    double value;
    std::string said;
  };
  for (const Breach& breach : std::vector<Breach>{
           {"batch-256-outputs-4096", "figure", "token", 20.01, "batch 256 takes 20.01 instructions a token"},
           {"batch-256-outputs-512", "figure", "token", 200, "which must fall"},
           {"batch-256-outputs-512", "figure", "token", 20, "which must fall"},
           {"batch-1024-outputs-4096", "figure", "token", 22.01, "batch 1024 takes 22.01"},
           {"batch-4096-outputs-4096", "figure", "token", 22.01, "batch 4096 takes 22.01"},
           {"overload-130", "count", "preemptions", 100, "overload-130 preempts 100 times"}}) {
    const ProgramResult broken = limits(within_limits([&](Row& row) {
      if (row.name == breach.name && row.kind == breach.kind && row.what == breach.what) row.value = breach.value;
    }));
    CHECK(broken.exit_code == 1);
    CHECK_MESSAGE(says(broken, breach.said), broken.out);
  }
  const ProgramResult empty = limits("");
  CHECK(empty.exit_code == 1);
  CHECK(says(empty, "no instructions a token of batch-256-outputs-64"));
}

TEST_CASE("a function's own instructions are summed under a name that no other build changes") {
  const std::string calls =
      "events: Ir\nsummary: 1111\n\nob=(1) /usr/lib/libx.so.6\nfl=(1) /src/a.cpp\n"
      "fn=(1) decodesim::A<int, (x)1>::take(std::vector<int> const&) const [clone .isra.0]\n4 100\n"
      "cfn=(2) void decodesim::(anonymous namespace)::hold<(B)2>(int)\ncalls=3 0\n+2 5000\n* 10\n"
      "fn=(2)\n0 1\nfn=(3) decodesim::A<char>::take(int)\n8 200\nfn=(4) 0x0000000000001234\n-1 300\n"
      "fn=(5) std::ostream& std::operator<< <char>(std::ostream&, char)\n0 100\n"
      "fn=(6) operator new(unsigned long)\n0 200\n"
      "fn=(7) decodesim::f(int)::{lambda(int)#1}::operator()(int) const\n0 100\n"
      "fn=(8) __memcpy_avx_unaligned_erms\n0 50\nfn=(9) walk.part.0.constprop.1\n0 50\n";
  const TemporaryFolder folder;
  const std::string command =
      "awk -f tools/callgrind/functions.awk '" + folder.write("callgrind", calls) + "' | LC_ALL=C sort";
  CHECK(run_command(command).out ==
        "self\t(unnamed in libx.so.6)\t300\nself\t__memcpy\t50\nself\tdecodesim::A::take\t310\n"
        "self\tdecodesim::f::{lambda#1}::operator()\t100\nself\tdecodesim::hold\t1\nself\toperator new\t200\n"
        "self\tstd::operator<<\t100\nself\twalk\t50\n");
  // A line more that belongs to nobody: what a change of the format would look like.
  const ProgramResult wrong =
      run_command("awk -f tools/callgrind/functions.awk '" + folder.write("wrong", calls + "0 5\n") + "'");
  CHECK(wrong.exit_code == 1);
  CHECK(wrong.err.find("its functions execute 1116 instructions, and it says 1111") != std::string::npos);
}

TEST_CASE("what a run did is taken from its report, and what starting takes is taken off") {
  const ProgramResult run = run_program("run scenarios/chat-on-hgx-h100.yaml --json");
  REQUIRE(run.exit_code == 0);
  const auto report = nlohmann::json::parse(run.out);
  const auto text = [](const nlohmann::json& number) { return std::to_string(number.get<std::int64_t>()); };
  const TemporaryFolder folder;
  const std::string counts =
      run_command("awk -f tools/callgrind/counts.awk '" + folder.write("report.json", run.out) + "'").out;
  CHECK(counts == "count\trequests\t" + text(report.at("requests_in")) + "\ncount\tsteps\t" +
                      text(report.at("run_totals").at("passes")) + "\ncount\ttokens\t" +
                      text(report.at("run_totals").at("emitted_tokens")) + "\ncount\tpreemptions\t" +
                      text(report.at("evictions").at("preemptions")) + "\n");

  const std::string start = folder.write(
      "start",
      "count\trequests\t1\ncount\tsteps\t1\ncount\ttokens\t1\ncount\tpreemptions\t0\nself\ta\t70\nself\tb\t5\n");
  const std::string whole = folder.write(
      "whole",
      "count\trequests\t11\ncount\tsteps\t5\ncount\ttokens\t101\ncount\tpreemptions\t2\nself\ta\t90\nself\tb\t105\n"
      "self\tc\t80\n");
  CHECK(run_command("awk -v name=x -f tools/callgrind/figures.awk '" + start + "' '" + whole + "'").out ==
        "x\tcount\trequests\t10\nx\tcount\tsteps\t4\nx\tcount\ttokens\t100\nx\tcount\tpreemptions\t2\n"
        "x\tfigure\trequest\t20.00\nx\tfigure\tstep\t50.00\nx\tfigure\ttoken\t2.00\n"
        "x\tself\tb\t10.00\nx\tself\tc\t8.00\nx\tself\ta\t2.00\n");
}

}  // namespace decodesim::tests
