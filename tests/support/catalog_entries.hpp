#pragma once
// Nodes as the catalog describes them.

#include <string>

#include "sim/hardware/node_spec.hpp"

namespace decodesim::tests {

NodeSpec catalog_node(const std::string& name);

}  // namespace decodesim::tests
