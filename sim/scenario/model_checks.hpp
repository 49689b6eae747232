#pragma once
// What the fields of a model say together: of the one that is served, and of one that drafts for it.

#include <string>

#include "sim/model/model_spec.hpp"
#include "sim/scenario/reading.hpp"

namespace decodesim {

/// Names what contradicts itself in the shape of the model at `path` of the tree ("model").
void check_model(Reading& reading, const DocumentNode& tree, const std::string& path, const ModelSpec& model);

}  // namespace decodesim
