#include "tests/support/step_cost.hpp"

namespace decodesim::tests {

Ledger ShapeCost::price(const StepShape& shape) const {
  Ledger ledger;
  if (shape.empty()) return ledger;
  const auto spend = [&](TimePart part, BoundBy reason, std::int64_t nanoseconds) {
    ledger.spend(part, reason, Duration(nanoseconds * scale_));
  };
  spend(TimePart::linear, BoundBy::bandwidth, 1'009 * shape.decodes + 2'003 * shape.chunks);
  spend(TimePart::linear, BoundBy::compute, 307 * shape.chunk_tokens);
  spend(TimePart::attention, BoundBy::bandwidth, 11 * shape.decode_context + 17 * shape.chunk_context);
  spend(TimePart::attention, BoundBy::compute, 3 * shape.chunk_pairs);
  spend(TimePart::lm_head, BoundBy::bandwidth, 41 * shape.samples + 53 * shape.drafts);
  spend(TimePart::attention, BoundBy::compute, 5 * shape.draft_pairs);
  spend(TimePart::collectives, BoundBy::collectives, 101 * shape.tokens());
  const Duration busy = ledger.duration() / scale_ + Duration(100'003);
  const Duration padded = (busy + grain_ - Duration(1)) / grain_ * grain_;
  spend(TimePart::host, BoundBy::host, (padded - busy).count() + 100'003);
  ledger.of(ByteKind::weights) = Bytes(1e6);
  ledger.of(ByteKind::kv_read) = Bytes(static_cast<double>(shape.decode_context + shape.chunk_context));
  ledger.of(ByteKind::kv_write) = Bytes(static_cast<double>(shape.tokens()));
  ledger.of(ByteKind::activations) = Bytes(2.0 * static_cast<double>(shape.tokens()));
  ledger.flops = Flops(static_cast<double>(shape.tokens() + shape.chunk_pairs));
  return ledger;
}

}  // namespace decodesim::tests
