#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/architecture/source_files.hpp"

namespace decodesim::tests {

namespace {

/// The comment that begins at `line`, joined over its lines without the slashes; empty where there is none.
std::string comment_at(const SourceFile& file, std::size_t line) {
  std::string comment;
  for (; line < file.lines.size() && file.lines[line].starts_with("//"); ++line) {
    if (!comment.empty()) comment += ' ';
    const std::size_t text = file.lines[line].find_first_not_of("/ ");
    if (text != std::string::npos) comment += file.lines[line].substr(text);
  }
  return comment;
}

/// Something that the code must not say, and why.
struct Forbidden {
  const char* pattern;
  const char* why;
};

void check_none(const std::vector<SourceFile>& files, const std::vector<Forbidden>& rules) {
  for (const Forbidden& rule : rules) {
    const std::regex pattern(rule.pattern);
    for (const SourceFile& file : files) {
      for (std::size_t i = 0; i < file.lines.size(); ++i) {
        if (!std::regex_search(code_of(file.lines[i]), pattern)) continue;
        FAIL_CHECK(place(file, i) << " has " << std::string(rule.pattern) << ": " << std::string(rule.why));
      }
    }
  }
}

}  // namespace

TEST_CASE("a header is guarded by its first line and says on the next what it is") {
  for (const SourceFile& file : source_files({"sim", "tools", "tests"})) {
    if (!file.header()) continue;
    CAPTURE(file.path);
    REQUIRE(file.lines.size() > 2);
    CHECK(file.lines[0] == "#pragma once");
    const std::string comment = comment_at(file, 1);
    CHECK(comment.size() > 10);
    CHECK(comment.find_first_of(".:") != std::string::npos);
    CHECK(std::isupper(static_cast<unsigned char>(comment[0])) + std::isdigit(static_cast<unsigned char>(comment[0])) +
              (comment.starts_with("decodesim") ? 1 : 0) !=
          0);
  }
}

TEST_CASE("a source file of sim/ or tools/ without a header of its own says in its first line what it is") {
  const auto files = source_files({"sim", "tools"});
  std::set<std::string> headers;
  for (const SourceFile& file : files) {
    if (file.header()) headers.insert(file.path.substr(0, file.path.size() - 4));
  }
  for (const SourceFile& file : files) {
    if (file.header() || headers.contains(file.path.substr(0, file.path.size() - 4))) continue;
    CAPTURE(file.path);
    CHECK(comment_at(file, 0).find_first_of(".:?") != std::string::npos);
  }
}

TEST_CASE("no source file is longer than 400 lines") {
  for (const SourceFile& file : source_files({"sim", "tools", "tests"})) {
    CHECK_MESSAGE(file.lines.size() <= 400, file.path);
  }
}

TEST_CASE("no folder and no type has a name that says nothing") {
  const std::set<std::string> forbidden{"utils", "util", "common", "helpers", "helper", "misc"};
  for (const SourceFile& file : source_files({"sim", "tools", "tests"})) {
    for (const auto& part : std::filesystem::path(file.path)) {
      CHECK_MESSAGE(!forbidden.contains(part.stem().string()), file.path);
    }
  }
  check_none(
      source_files({"sim", "tools", "tests"}),
      {{R"(\b(class|struct|concept|using)\s+\w*(Manager|Handler|Helper|Utils?|Base|Impl)\b)", "say what it does"}});
}

TEST_CASE("nothing that reaches a result depends on the machine, the clock or the locale") {
  check_none(source_files({"sim"}),
             {{R"(\b(s?rand|random_device)\s*\()", "chance comes from sim/core/random.hpp"},
              {R"(\bstd::random_device\b)", "chance comes from sim/core/random.hpp"},
              {R"(\b\w+_distribution\b\s*[<({])", "distributions differ between libraries"},
              {R"(\bstd::(log|log2|log10|log1p|exp|exp2|expm1|pow|sin|cos|tan|cbrt|hypot)\b)", "use sim/core/math.hpp"},
              {R"(\b(setlocale|std::locale|stod|stof|strtod|atof|strftime|localtime)\b)", "no locale"}});
}

TEST_CASE("threads are a matter of the study room, which plays many runs") {
  std::vector<SourceFile> files = source_files({"sim"});
  std::erase_if(files, [](const SourceFile& file) { return file.room() == "study"; });
  check_none(files, {{R"(\bstd::(this_thread|thread|jthread|async)\b)", "a run is single-threaded"}});
}

TEST_CASE("wall time enters nowhere but in the progress line") {
  std::vector<SourceFile> files = source_files({"sim"});
  std::erase_if(files, [](const SourceFile& file) { return file.path.starts_with("sim/report/progress."); });
  check_none(files, {{R"(\b(system_clock|steady_clock|high_resolution_clock|gettimeofday|clock_gettime)\b)",
                      "simulated time is sim/core/time.hpp"}});
}

TEST_CASE("no macros, no unfinished work, no names let into a header") {
  check_none(source_files({"sim", "tools"}), {{R"(^\s*#\s*define\b)", "templates and constexpr do"}});
  std::vector<SourceFile> headers;
  for (const SourceFile& file : source_files({"sim", "tools", "tests"})) {
    if (file.header()) headers.push_back(file);
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      CHECK_MESSAGE(file.lines[i].find("TO"
                                       "DO") == std::string::npos,
                    place(file, i));
      CHECK_MESSAGE(file.lines[i].find("FIX"
                                       "ME") == std::string::npos,
                    place(file, i));
    }
  }
  check_none(headers, {{R"(^\s*using\s+namespace\b)", "it would reach every file that includes this one"}});
}

TEST_CASE("no file names a place that only one machine has") {
  // Spelled in two parts, so that this file keeps the rule too.
  const std::vector<std::string> places{std::string("/ro") + "ot/", std::string("/ho") + "me/",
                                        std::string("/wo") + "rk/", std::string("/tm") + "p/"};
  const std::filesystem::path root(DECODESIM_SOURCE_DIR);
  std::size_t seen = 0;
  for (const char* folder : {"sim", "tools", "tests", "hardware", "workloads", "scenarios", "docs"}) {
    if (!std::filesystem::exists(root / folder)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file()) continue;
      ++seen;
      std::ifstream in(entry.path());
      for (std::string line; std::getline(in, line);) {
        for (const std::string& machine : places) {
          CHECK_MESSAGE(line.find(machine) == std::string::npos, entry.path().lexically_relative(root).string(), ": ",
                        line);
        }
      }
    }
  }
  CHECK(seen > 100);
}

TEST_CASE("the check of source rules sees what it looks for") {
  CHECK(code_of("int x = 1;  // std::pow") == "int x = 1;  ");
  CHECK(code_of("f(\"std::pow\", 'a', 1'000);").find("pow") == std::string::npos);
  CHECK(code_of("f(\"a\\\"b\", g);").find("g") != std::string::npos);
  CHECK(included("#include \"sim/core/time.hpp\"") == "sim/core/time.hpp");
  CHECK(included("#include <vector>") == "vector");
  CHECK(included("int include;").empty());
}

}  // namespace decodesim::tests
