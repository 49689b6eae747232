#include "sim/scenario/scenario_fields.hpp"

#include "sim/hardware/hardware_fields.hpp"
#include "sim/model/cost_fields.hpp"
#include "sim/model/deployment_fields.hpp"
#include "sim/model/model_fields.hpp"
#include "sim/report/report_fields.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/serving_fields.hpp"
#include "sim/workload/workload_fields.hpp"

namespace decodesim {

namespace {

constexpr Field fields[] = {
    field<&Scenario::version>("version",
                              {.doc = "of the scenario format: 1", .need = Need::required, .range = from_to(1, 1)}),
    field<&Scenario::name>("name", {.doc = "what reports call it", .default_words = "the file's name"}),
    record<&Scenario::model>(
        "model", model_fields,
        {.doc = "what is served: a name, or a mapping with `like: NAME` or all fields; may be left out under cost "
                "`fixed` with memory.num_gpu_blocks",
         .need = Need::optional,
         .catalog = "models",
         .like = "like",
         .name_alone = true}),
    record<&Scenario::hardware>(
        "hardware", node_fields,
        {.doc = "what serves it: `node: NAME` with what differs, or all fields; may be left out where model may",
         .need = Need::optional,
         .catalog = "nodes",
         .like = "node"}),
    record<&Scenario::parallel>("parallel", parallel_fields, {.doc = "how the model is split over the GPUs"}),
    record<&Scenario::precision>("precision", precision_fields, {.doc = "number formats"}),
    record<&Scenario::memory>("memory", memory_fields, {.doc = "the memory budget, which gives the KV pool"}),
    record<&Scenario::scheduler>("scheduler", scheduler_fields, {.doc = "who runs when"}),
    record<&Scenario::serving>("serving", serving_fields, {.doc = "how prompts reach the server"}),
    record<&Scenario::cost>("cost", cost_fields, {.doc = "what a step takes"}),
    record<&Scenario::workload>(
        "workload", workload_fields,
        {.doc =
             "who asks for what, when: requests, a trace or a generator; or a name of the catalog, or a mapping with "
             "`like: NAME`",
         .need = Need::required,
         .catalog = "workloads",
         .like = "like",
         .name_alone = true}),
    record<&Scenario::run>("run", run_fields, {.doc = "how it is played and measured"}),
    record<&Scenario::slo>("slo", slo_fields, {.doc = "limits that the results are held against"}),
};

}  // namespace

constinit const FieldTable scenario_fields = fields;

}  // namespace decodesim
