#pragma once
// The parts of a report's JSON that tell what policies did to requests: evictions, hits, classes and tenants.

#include "sim/report/json_writer.hpp"
#include "sim/report/report.hpp"

namespace decodesim {

void write_evictions(JsonWriter& json, const Report& report);
void write_transfers(JsonWriter& json, const TransferReport& transfers);
void write_prefix(JsonWriter& json, const PrefixReport& prefix);
/// Tables by class, tenant and priority, each only where there are several; fairness and starvation.
void write_groups(JsonWriter& json, const Report& report);

}  // namespace decodesim
