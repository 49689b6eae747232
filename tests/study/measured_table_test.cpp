#include <doctest/doctest.h>

#include <string>

#include "sim/scenario/diagnostic.hpp"
#include "tests/study/measured_files.hpp"

namespace decodesim::tests {

namespace {

const std::string wide_head = "model,gpu,tp,engine,input_tokens,output_tokens,concurrency,tpot_ms,ttft_ms\n";
const std::string long_head = "id,model,node,tp,isl,osl,concurrency_or_max_batch,metric,value,unit,notes\n";

}  // namespace

TEST_CASE("columns of a table are known by name, in any order, under their own names or those of published tables") {
  const auto own = points_of(wide_head + "llama-3-70b,h100-sxm,4,vllm-v1,1k,128,16,13.2,121.4\n");
  const auto other = points_of(
      "ttft_ms,osl,isl,batch,note,tpot_ms,engine,tp,gpu,model\n"
      "121.4,128,1024,16,\"a, b\",13.2,vllm-v1,4,h100-sxm,llama-3-70b\n");
  REQUIRE(own.size() == 1);
  REQUIRE(other.size() == 1);
  for (const MeasuredPoint& point : {own[0], other[0]}) {
    CHECK(point.model == "llama-3-70b");
    CHECK(point.gpu == "h100-sxm");
    CHECK(point.engine == "vllm-v1");
    CHECK(point.tp == 4);
    CHECK(point.input_tokens == 1024);
    CHECK(point.output_tokens == 128);
    CHECK(point.load == LoadKind::closed_loop);
    CHECK(point.concurrency == 16);
    CHECK(point.values.size() == 2);
    CHECK(point.line == 2);
    CHECK(point_name(point) == "m.csv:2");
  }
  CHECK(other[0].note == "a, b");
  CHECK(own[0].values[0].metric == MeasuredMetric::tpot_ms);
  CHECK(own[0].values[0].value == 13.2);
}

TEST_CASE("rows of a long table that tell of the same run are one point, and no row is lost") {
  const auto points = points_of(long_head +
                                "A-1,llama-3-70b,hgx-h100,4,1000,100,concurrency 8,ttft_ms,90,ms,x\n"
                                "A-2,llama-3-70b,hgx-h100,4,1000,100,concurrency 8,tpot_ms,9,ms,x\n"
                                "A-3,llama-3-70b,hgx-h100,4,1000,100,concurrency 8,tpot_ms,9.5,ms,x\n"
                                "A-4,llama-3-70b,hgx-h100,4,1000,100,concurrency 8,ttft_ms,95,ms,x\n"
                                "A-5,llama-3-70b,hgx-h100,4,1000,100,concurrency 8,ttft_ms,95,ms,y\n");
  // The second measurement of a run is a second point; another note is another run.
  REQUIRE(points.size() == 3);
  CHECK(points[0].values.size() == 2);
  CHECK(points[1].values.size() == 2);
  CHECK(points[1].values[0].id == "A-3");
  CHECK(points[1].values[1].id == "A-4");
  CHECK(points[1].values[1].line == 5);
  CHECK(points[2].values.size() == 1);
}

TEST_CASE("a load is clients of a closed loop, all requests at once, or the limits of a server whose queue is full") {
  const auto load = [](const std::string& cell) {
    return points_of("input_tokens,output_tokens,concurrency,tpot_ms\n10,10,\"" + cell + "\",5\n").at(0);
  };
  CHECK(load("concurrency 16").concurrency == 16);
  CHECK(load("batch 1").concurrency == 1);
  CHECK(load("all").load == LoadKind::all_at_once);
  const MeasuredPoint limited = load("max_batch 64, max_num_tokens 8192");
  CHECK(limited.load == LoadKind::all_at_once);
  CHECK(limited.max_num_seqs == 64);
  CHECK(limited.max_num_batched_tokens == 8192);
  const MeasuredPoint both = load("16, max_batch 64");
  CHECK(both.load == LoadKind::closed_loop);
  CHECK(both.max_num_seqs == 64);
  for (const char* wrong : {"many", "16, all", "rate 4", "0", "concurrency x"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(load(wrong), ScenarioError);
  }
}

TEST_CASE("mistakes of a table are told at their cells, all at once") {
  CHECK(mistakes_of("model,isl,osl,concurency,tpot_ms\n") == "1:1 missing-column 1:15 unknown-column");
  CHECK(mistakes_of("isl,osl,concurrency,tpot_ms,input_tokens\n") == "1:29 duplicate-column");
  CHECK(mistakes_of("isl,osl,concurrency\n") == "1:1 missing-column");
  CHECK(mistakes_of(wide_head) == "0:0 no-measurements");
  CHECK(mistakes_of("") == "0:0 no-measurements");
  CHECK(mistakes_of(wide_head + "llama-3-7b,h100-sxm,4,vllm-v1,1k,128,16,13.2,-1\n" +
                    "llama-3-70b,h100,4,vllm-v1,1k,x,16,13.2,121.4\n") ==
        "2:1 unknown-name 2:46 not-a-number 3:13 unknown-name 3:31 not-a-number");
  CHECK(mistakes_of(wide_head + "llama-3-70b,h100-sxm,4,vlm,1k,128,16,13.2,4\n") == "2:24 unknown-name");
  CHECK(mistakes_of(wide_head + "llama-3-70b,h100-sxm,4,vllm-v1,1k,128,16\n") == "2:1 wrong-width");
  CHECK(mistakes_of(wide_head + "llama-3-70b,h100-sxm,4,vllm-v1,1k,128,16,,\n") == "2:1 missing-value");
  CHECK(mistakes_of(wide_head + "\"llama-3-70b,h100-sxm,4,vllm-v1,1k,128,16,1,1\n") == "2:1 syntax");
  CHECK(mistakes_of(long_head + "A,llama-3-70b,hgx-h100,4,10,10,8,tpott_ms,9,ms,x\n") == "2:34 unknown-name");
  CHECK(mistakes_of(long_head + "A,llama-3-70b,hgx-h100,4,10,10,8,tpot_ms,9,s,x\n") == "2:44 wrong-unit");
  CHECK(mistakes_of("gpus,tp,isl,osl,concurrency,tpot_ms\n8,4,10,10,1,5\n") == "2:1 unsupported");
}

TEST_CASE("columns that begin with x-, blank lines and a byte order mark are nobody's business") {
  const auto points =
      points_of("\xEF\xBB\xBFisl,osl,concurrency,tpot_ms,x-date\r\n\r\n10,10,1,5,yesterday\r\n,,,,\r\n");
  REQUIRE(points.size() == 1);
  CHECK(points[0].line == 3);
}

TEST_CASE("a result of vLLM's benchmark client is a point: its mean lengths, its load, its figures") {
  const std::string common =
      "\"backend\": \"vllm\", \"num_prompts\": 160, \"burstiness\": 1.0, \"duration\": 60.1, \"completed\": 160, "
      "\"total_input_tokens\": 148551, \"total_output_tokens\": 150000, \"request_throughput\": 2.66, "
      "\"output_throughput\": 2495.8, \"mean_ttft_ms\": 121.4, \"median_ttft_ms\": 119.0, \"mean_tpot_ms\": 13.19, ";
  const auto closed = result_of("{" + common + "\"request_rate\": \"inf\", \"max_concurrency\": 16}");
  REQUIRE(closed.size() == 1);
  CHECK(closed[0].load == LoadKind::closed_loop);
  CHECK(closed[0].concurrency == 16);
  CHECK(closed[0].num_requests == 160);
  CHECK(closed[0].input_tokens == 928);
  CHECK(closed[0].output_tokens == 938);
  REQUIRE(closed[0].values.size() == 3);
  CHECK(closed[0].values[0].value == 121.4);
  CHECK(closed[0].values[2].metric == MeasuredMetric::output_throughput);
  CHECK(result_of("{" + common + "\"request_rate\": \"inf\", \"max_concurrency\": null}").at(0).load ==
        LoadKind::all_at_once);
  const auto open = result_of("{" + common + "\"request_rate\": 4.0, \"max_concurrency\": null}");
  CHECK(open.at(0).load == LoadKind::poisson);
  CHECK(open.at(0).request_rate == 4.0);
  // Both at once is neither an open nor a closed loop.
  CHECK(mistakes_of_result("{" + common + "\"request_rate\": 4.0, \"max_concurrency\": 16}")
            .ends_with("benchmark-result"));
  CHECK(!mistakes_of_result("{\"completed\": 0, \"mean_ttft_ms\": 3}").empty());
  CHECK(!mistakes_of_result("{\"completed\": 10, \"total_input_tokens\": 10, \"total_output_tokens\": 10}").empty());
}

TEST_CASE("figures and counts beyond what any server has are mistakes, not measurements") {
  for (const char* value : {"1e-320", "1e-9", "1e300"})
    CHECK(mistakes_of(wide_head + "llama-3-70b,h100-sxm,4,vllm-v1,1k,128,16,13.2," + value + "\n") ==
          "2:47 out-of-range");
  const auto result = [](const std::string& key, const std::string& value) {
    std::string text = "{";
    for (const auto& [name, usual] : {std::pair<std::string, std::string>{"completed", "10"},
                                      {"total_input_tokens", "1000"},
                                      {"total_output_tokens", "1000"},
                                      {"max_concurrency", "4"},
                                      {"mean_ttft_ms", "20"}}) {
      text += "\"" + name + "\": " + (name == key ? value : usual) + ", ";
    }
    return mistakes_of_result(text + "\"output_throughput\": 100}");
  };
  CHECK(result("", "").empty());
  for (const char* key : {"completed", "total_input_tokens", "total_output_tokens", "max_concurrency"}) {
    CAPTURE(key);
    for (const char* value : {"0", "0.5", "1.5", "1e300", "-3"}) {
      CAPTURE(value);
      CHECK(result(key, value).ends_with("benchmark-result"));
    }
  }
  CHECK(result("completed", "null").ends_with("benchmark-result"));
  CHECK(result("mean_ttft_ms", "1e-320").ends_with("benchmark-result"));
  CHECK(result("mean_ttft_ms", "0").empty());  // a figure that the run does not have
}

}  // namespace decodesim::tests
