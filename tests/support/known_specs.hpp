#pragma once
// Hardware and models whose figures tests state by hand, apart from the catalog that users read.

#include "sim/hardware/node_spec.hpp"
#include "sim/model/explanation.hpp"
#include "sim/model/model_spec.hpp"

namespace decodesim::tests {

GpuSpec h100_sxm();
GpuSpec mi300x();
GpuSpec rtx_4090();
/// Eight H100s on four switches that reduce, with a host.
NodeSpec hgx_h100();
/// Eight MI300Xs, each linked to every other one.
NodeSpec mi300x_8();
/// Eight RTX 4090s that meet in the host alone.
NodeSpec pcie_4090();
/// Two PCIe switches of four L40S each, joined by the host.
NodeSpec pcie_l40s();

ModelSpec llama_3_70b();
/// The same with 64 KV heads.
ModelSpec llama_70b_mha();
ModelSpec llama_3_8b();
ModelSpec deepseek_67b();
ModelSpec deepseek_v2();
ModelSpec gemma_3_27b();
ModelSpec gpt_oss_120b();

/// Llama 3 70B in bf16 on eight H100s with memory as sold, priced by the ideal model: what is argued on whiteboards.
Deployment whiteboard();

}  // namespace decodesim::tests
