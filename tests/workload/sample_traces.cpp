#include "tests/workload/sample_traces.hpp"

namespace decodesim::tests {

namespace {

std::string number(std::int64_t value) { return std::to_string(value); }
std::string input(std::int64_t i) { return number(20 + i * 7 % 50); }
std::string output(std::int64_t i) { return number(1 + i * 5 % 9); }

TraceSpec declared_columns() {
  TraceSpec spec;
  spec.columns.arrival = "when";
  spec.columns.input_tokens = "in";
  spec.columns.output_tokens = "out";
  spec.columns.tenant = "who";
  spec.time_unit = TimeUnit::us;
  return spec;
}

}  // namespace

std::string SampleTrace::text(std::int64_t rows) const {
  std::string text = head;
  for (std::int64_t i = 0; i < rows; ++i) text += row(i) + '\n';
  return text;
}

const std::vector<SampleTrace>& sample_traces() {
  static const std::vector<SampleTrace> samples{
      {TraceFormat::decodesim,
       "version: 1\nformat: decodesim-trace\nname: \"sample\"\nrows: |\n"
       "  arrival_s,input_tokens,output_tokens,id,deadline_s\n",
       [](std::int64_t i) {
         return "  " + number(i) + ".25," + input(i) + ',' + output(i) + ",\"r" + number(i) + "\",2";
       },
       false},
      {TraceFormat::decodesim, "arrival_s,input_tokens,output_tokens,max_tokens,tenant\n",
       [](std::int64_t i) { return number(i) + ".5," + input(i) + ',' + output(i) + ",40,t" + number(i % 3); }, false},
      {TraceFormat::csv, "row,who,out,in,when\n",
       [](std::int64_t i) { return number(i) + ",t," + output(i) + ',' + input(i) + ',' + number(i * 300); }, true,
       declared_columns()},
      {TraceFormat::azure, "TIMESTAMP,ContextTokens,GeneratedTokens\n",
       [](std::int64_t i) { return "2023-11-16 18:15:" + number(10 + i) + ".6805900," + input(i) + ',' + output(i); },
       true},
      {TraceFormat::burstgpt, "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n",
       [](std::int64_t i) {
         return number(5 + 40 * i) + ",ChatGPT," + input(i) + ',' + output(i) + ",490,Conversation log";
       },
       true},
      {TraceFormat::vidur, "arrived_at,num_prefill_tokens,num_decode_tokens\n",
       [](std::int64_t i) { return number(i) + ".125," + input(i) + ',' + output(i); }, false},
      {TraceFormat::splitwise_sim,
       "request_id,request_type,application_id,arrival_timestamp,batch_size,prompt_size,token_size\n",
       [](std::int64_t i) { return number(i) + ",2,0," + number(i) + ".5,1," + input(i) + ',' + output(i); }, false},
      {TraceFormat::mooncake, "",
       [](std::int64_t i) {
         return "{\"timestamp\": " + number(3 * i) + ", \"input_length\": " + number(600 + i) +
                ", \"output_length\": " + output(i) + ", \"hash_ids\": [0, " + number(i) + "]}";
       },
       false},
      {TraceFormat::qwen_bailian, "",
       [](std::int64_t i) {
         return "{\"chat_id\": " + number(i) + ", \"parent_chat_id\": -1, \"timestamp\": " + number(i) +
                ".5, \"input_length\": 20, \"output_length\": " + output(i) +
                ", \"type\": \"text\", \"turn\": 1, \"hash_ids\": [7, " + number(i) + "]}";
       },
       false},
  };
  return samples;
}

}  // namespace decodesim::tests
