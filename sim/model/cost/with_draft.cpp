// A step that also proposes draft tokens: the passes of what drafts come behind the step's own parts.

#include <utility>

#include "sim/model/draft.hpp"

namespace decodesim {

namespace {
class WithDraft final : public CostModel {
 public:
  WithDraft(std::unique_ptr<CostModel> cost, std::unique_ptr<CostModel> draft, std::int64_t draft_tokens,
            std::int64_t clip)
      : cost_(std::move(cost)), draft_(std::move(draft)), draft_tokens_(draft_tokens), clip_(clip) {}

  [[nodiscard]] Ledger price(const StepShape& shape) const override {
    Ledger account = cost_->price(shape);
    if (shape.empty()) return account;
    StepShape pass = shape;
    pass.drafts = pass.draft_pairs = 0;
    add_pass(account, pass);
    // A step that yields nothing, of prompts alone, has nothing to draft behind.
    pass = {};
    pass.decodes = pass.samples = shape.samples;
    pass.decode_context = shape.decode_context;
    for (std::int64_t i = 1; i < draft_tokens_ && shape.samples > 0; ++i) {
      pass.decode_context += shape.samples;
      add_pass(account, pass);
    }
    return account;
  }

 private:
  void add_pass(Ledger& account, StepShape pass) const {
    pass.clip_alike(clip_);
    const Ledger own = draft_->price(pass);
    for (std::size_t i = 0; i < own.bytes.size(); ++i) account.bytes[i] += own.bytes[i];
    account.flops += own.flops;
    for (const BoundBy reason : {BoundBy::bandwidth, BoundBy::compute, BoundBy::latency, BoundBy::collectives})
      account.spend(TimePart::draft, reason, own.of(reason));
  }

  std::unique_ptr<CostModel> cost_;
  std::unique_ptr<CostModel> draft_;
  std::int64_t draft_tokens_;
  std::int64_t clip_;
};
}  // namespace

std::unique_ptr<CostModel> with_draft(std::unique_ptr<CostModel> cost, std::unique_ptr<CostModel> draft,
                                      std::int64_t draft_tokens, std::int64_t clip) {
  return std::make_unique<WithDraft>(std::move(cost), std::move(draft), draft_tokens, clip);
}

}  // namespace decodesim
