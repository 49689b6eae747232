#include <doctest/doctest.h>

#include "tests/support/read_text.hpp"

namespace decodesim::tests {

namespace {

const std::string all_columns =
    "request_id,client_id,tenant_id,slo_class,vllm_priority,session_id,round_index,prefix_group,prefix_length,"
    "streaming,"
    "input_tokens,output_tokens,text_tokens,image_tokens,audio_tokens,video_tokens,reason_ratio,model,deadline_us,"
    "slo_target_us,server_input_tokens,arrival_time_us,send_time_us,first_chunk_time_us,last_chunk_time_us,num_chunks,"
    "status,"
    "error_message,finish_reason,x_request_id,adapter\n";

/// A plain trace with further columns.
ReadText with(const std::string& columns, const std::string& rows) {
  return read_text("input_tokens,output_tokens,arrival_time_us" + columns + "\n" + rows, TraceFormat::blis);
}

}  // namespace

TEST_CASE("a row of BLIS is read by the names of its columns, in whole microseconds") {
  const ReadText read =
      read_text(all_columns +
                    "0,c1,acme,critical,0,,0,,0,true,100,20,100,0,0,0,0,m,0,0,0,7,9,30,90,20,ok,,stop,,\r\n"
                    "1,c1,acme,batch,3,,0,docs,512,true,40,5,30,10,0,0,0.5,m,2000007,0,700,1000007,0,0,0,0,ok,,,,",
                TraceFormat::blis);
  REQUIRE(read.requests.size() == 2);
  CHECK(read.arrivals() == std::vector<std::int64_t>{7'000, 1'000'007'000});
  const Request& first = read.requests[0];
  CHECK(first.id == "0");
  CHECK(first.tenant == "acme");
  CHECK(first.slo_class == "critical");
  CHECK(first.input_tokens == 100);
  CHECK(first.output_tokens == 20);
  CHECK_FALSE(first.timeout.has_value());
  const Request& second = read.requests[1];
  CHECK(second.priority == 3);
  // The prefix comes on top, and the server's count, which holds it, is not used beside it.
  CHECK(second.input_tokens == 552);
  CHECK(second.prefix_tokens == 512);
  REQUIRE(second.content.size() == 1);
  CHECK(second.content[0].tokens == 512);
  CHECK(second.timeout == Duration(1'000'000'000));
}

TEST_CASE("what a server counted takes the place of the tokens that a client of BLIS sent") {
  const ReadText read = with(",server_input_tokens", "100,5,0,118\n100,5,1,0\n");
  REQUIRE(read.requests.size() == 2);
  CHECK(read.requests[0].input_tokens == 118);
  CHECK(read.requests[1].input_tokens == 100);
}

TEST_CASE("a deadline of BLIS is absolute: a client gives up then, and 0 is none") {
  const ReadText read = with(",deadline_us", "1,1,500,0\n1,1,600,2600\n");
  REQUIRE(read.requests.size() == 2);
  CHECK_FALSE(read.requests[0].timeout.has_value());
  CHECK(read.requests[1].timeout == Duration(2'000'000));
  CHECK(with(",deadline_us", "1,1,500,400\n").refused(2, 9, "a time after arrival_time_us"));
}

TEST_CASE("rounds of a BLIS session are its turns, in their order, with the prefix of the first") {
  const ReadText read = with(",session_id,round_index,prefix_group,prefix_length,think_time_us",
                             "50,5,10,s,0,docs,100,0\n70,5,20,s,1,docs,100,400\n90,5,30,s,2,docs,100,0\n");
  REQUIRE(read.requests.size() == 3);
  CHECK(read.requests[0].input_tokens == 150);
  CHECK(read.requests[0].prefix_group == "docs");
  CHECK(read.requests[1].session == "s");
  CHECK(read.requests[1].input_tokens == 170);
  CHECK(read.requests[1].prefix_group.empty());
  CHECK(read.requests[1].think_time == Duration(400'000));
  // A round that thinks comes when it comes, one that does not at its own time or later.
  CHECK(read.arrivals() == std::vector<std::int64_t>{10'000, 0, 30'000});
  CHECK(with(",session_id,round_index", "1,1,1,s,1\n1,1,2,s,0\n")
            .refused(3, 9, "rounds of a session stand in their order"));
}

TEST_CASE("failed calls of BLIS are left out and counted unless the policy keeps or refuses them") {
  const std::string text =
      "input_tokens,output_tokens,arrival_time_us,status\n10,3,1,error\n11,0,2,timeout\n12,0,3,ok\n13,4,4,ok\n";
  const ReadText read = read_text(text, TraceFormat::blis);
  REQUIRE(read.requests.size() == 1);
  CHECK(read.requests[0].input_tokens == 13);
  CHECK(read.counted("status error", "dropped") == 1);
  CHECK(read.counted("status timeout", "dropped") == 1);
  CHECK(read.counted("no output tokens", "dropped") == 1);

  TraceSpec spec;
  spec.format = TraceFormat::blis;
  spec.zero_output = RowPolicy::clip;
  const ReadText kept = read_text(text, spec);
  REQUIRE(kept.requests.size() == 4);
  CHECK(kept.requests[0].output_tokens == 3);
  CHECK(kept.requests[1].output_tokens == 1);
  CHECK(kept.counted("status error", "kept") == 1);
  CHECK(kept.counted("status timeout", "clipped") == 1);

  spec.zero_output = RowPolicy::reject;
  CHECK(read_text(text, spec).refused(2, 4, "status error"));
  CHECK(with(",status", "1,1,1,lost\n").refused(2, 7, "expected ok, error or timeout"));
}

TEST_CASE("the header of a BLIS trace is told from its rows") {
  CHECK(read_text("trace_version: 2\ntime_unit: microseconds\n", TraceFormat::blis).refused(1, 1, "name its CSV"));
}

}  // namespace decodesim::tests
