#pragma once
// What must hold in every run, checked from the facts alone.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/serving/observer.hpp"
#include "sim/serving/server_config.hpp"
#include "tests/support/engine_rules.hpp"
#include "tests/support/plain_prefix_pool.hpp"
#include "tests/support/plain_scheduler.hpp"

namespace decodesim::tests {

/// Replays the facts of a run and notes the first that breaks a rule:
///   blocks    free and held ones are all of them; none is in two tables, but those that were hit; tables fit the cached
///             tokens exactly
///   hits      a block that is hit holds the request's own tokens and all before them, or was to hold them for a victim
///             whose tokens the pass took back; a block that was handed out since is not hit
///   limits    tokens within the budget, sequences within max_num_seqs
///   states    every request is in one state at a time, and moves only where it may
///   tokens    who completes has emitted exactly its output, whatever its preemptions; what is taken back of tokens is
///             what the step before yielded for those who were evicted, where the engine had not looked at it
///   host      its blocks are within its room; who is swapped keeps its tokens and comes back with all of them, or is
///             given up
///   KV work   tokens computed = P + O - 1 - found in place + recomputed; planned ahead, who stops by itself computes one
///             more, and who reaches its limit is not served again, unless the engine plans ahead of results
///   order     first come, first served: admissions take the head, the evicted go back before who came later
///   progress  where every request fits alone, one finishes within a bounded number of passes, and all finish
///   clients   who left gets no token and holds no block afterwards, but for what the step that ran computed of it; a turn
///             comes no earlier than its think time after the answer before it, and is not asked where there was none; a
///             closed loop never has more inside than places: a request until it ends, a session from its first turn to its
///             last, its clients' thinking included
///   accounts  requests in = completed + rejected + cancelled + unfinished; gaps + first tokens = tokens; the parts of a
///             ledger are the step's duration; time and pass numbers never run backwards
class InvariantChecker : public Observer {
 public:
  explicit InvariantChecker(const ServerConfig& server, std::optional<std::int64_t> places = std::nullopt)
      : server_(server), rules_(rules_of(server)), engine_(make_plain_scheduler(server)), places_(places) {}

  [[nodiscard]] bool wants_schedule() const override { return true; }
  void arrived(const Request& request) override;
  void step(const StepFacts& facts) override;
  void idle(std::int64_t first, std::int64_t count, Time start, std::int64_t free_blocks) override;
  void ended(const RequestFacts& facts) override;
  void run_ended(const RunFacts& facts) override;

  /// The first broken rule, or nothing. Also says so where the run never ended.
  [[nodiscard]] std::string violation() const;

 private:
  enum class State { waiting, loading, running, swapped, leaving, finishing, ended };
  struct Life {
    Request request;
    std::int64_t rank = 0;  // in the order of arrival
    State state = State::waiting;
    bool admitted = false;
    std::int64_t allowed = 0;  // by max_tokens and max_model_len
    bool prefilling = false;   // admitted, and not yet through what it knew then
    std::int64_t wanted = 0;   // tokens, before the engine cuts it short
    std::int64_t output = 0;
    std::int64_t emitted = 0;
    bool over = false;    // emitted its last token; late endings only
    bool left = false;    // its client did
    bool unseen = false;  // arrived after the pass in flight was planned
    std::int64_t cached = 0;
    std::int64_t high = 0;
    std::int64_t computed = 0;
    std::int64_t found_first = 0;
    std::int64_t found_again = 0;
    std::int64_t discarded = 0;
    std::int64_t recomputed = 0;
    std::int64_t swapped_out = 0;
    std::int64_t host_blocks = 0;
    std::int64_t untold_blocks = 0;  // that it holds since it came back from the host; tables are told with tokens
    std::int64_t preemptions = 0;
    std::int64_t self_preemptions = 0;
    std::int64_t preemptions_told = 0;
    std::vector<std::uint32_t> table;
    bool loaded = false;      // its last admission came with KV that it had loaded
    std::int64_t drafts = 0;  // of the step at hand
    std::size_t hits = 0;     // blocks at the beginning of its table that it found
    Time scheduled{Duration(-1)};
    Time first_token{Duration(-1)};
    Time last_token{Duration(-1)};
    Time token_before{Duration(-1)};
    std::int64_t yielded_in = 0;  // the pass that led to its last token

    [[nodiscard]] std::int64_t known() const { return request.input_tokens + emitted; }
  };

  using Content = std::pair<std::string, std::vector<PlainToken>>;

  void require(bool holds, const std::string& rule);
  [[nodiscard]] std::int64_t blocks_for(std::int64_t tokens) const;
  [[nodiscard]] std::int64_t passes_to_an_end() const;
  void enter_running(Life& life);
  [[nodiscard]] bool fits_alone(const Life& life) const;
  [[nodiscard]] bool runs(const Life& life) const;  // or is held after its last token
  Life& life_of(const Request* request);            // requests may move between facts, so their index names them
  void check_times(const StepFacts& facts);
  void replay_evictions(const StepFacts& facts);
  void set_aside_given_up(const StepFacts& facts);
  void check_host_room();
  void replay_transfers(const StepFacts& facts);
  void check_victim(const Life& victim);
  [[nodiscard]] bool loses_token(const Life& victim, const StepFacts& facts, std::size_t next) const;
  void withdraw_token(Life& victim, const StepFacts& facts, std::size_t& next);
  void put_back(Life& victim, Time start);
  [[nodiscard]] bool takes_head() const { return rules_.takes_head || rules_.first_come_first; }
  [[nodiscard]] static bool more_urgent(const Life* a, const Life* b);
  [[nodiscard]] static bool waits_at(const Life& life, Time start);
  void replay_schedule(const StepFacts& facts);
  void replay_admission(Life& life, const StepFacts& facts);
  void replay_waiting(const StepFacts& facts);
  void replay_loads(const StepFacts& facts);
  void hold_tables(const StepFacts& facts);
  [[nodiscard]] static std::int64_t found_by(const Life& life, const StepFacts& facts);
  void take_found(Life& life, std::int64_t found);
  [[nodiscard]] bool begins_in_turn(const Life& life, const StepFacts& facts) const;
  void retire(std::vector<std::vector<std::uint32_t>>& tables);
  void hand_out(std::uint32_t block);
  void let_go(const std::vector<std::uint32_t>& table);
  void give_back(std::vector<std::uint32_t>& table, bool later);
  [[nodiscard]] bool is_merged(const Life& life, const std::vector<std::uint32_t>& table, std::size_t at) const;
  void check_hits(Life& life, std::int64_t found, const StepFacts& facts);
  [[nodiscard]] Content content_of(const Life& life, std::int64_t block) const;
  [[nodiscard]] bool has_own_hash(std::uint32_t block, const Life& life, std::int64_t at) const;
  void note_taken_back(const Life& victim);
  [[nodiscard]] bool was_served_before(const Life& victim, const EvictionFacts& told) const;
  void note_contents(const Life& life, std::int64_t from);
  void check_counts(const StepFacts& facts);
  void replay_tokens(const StepFacts& facts);
  void check_limit(const StepFacts& facts);
  void check_nobody_is_late(std::span<const WithdrawnToken> lost = {});
  void release_over(const StepFacts& facts);
  void check_account(const Life& life, const RequestFacts& facts);
  void note_left(Life& life, const RequestFacts& facts);
  void bury_left_before(const StepFacts* next);
  void bury_left();
  [[nodiscard]] static bool names(const ScheduleFacts& schedule, const Life& life);
  void check_turn(const Request& request);
  void note_end(const RequestFacts& facts);
  void check_places();

  const ServerConfig& server_;
  EngineRules rules_;
  std::unique_ptr<PlainScheduler> engine_;  // asked only what can be served at all
  std::string violation_;
  std::map<std::int64_t, Life> lives_;                       // by index
  std::vector<Life*> running_;                               // in the order of admission
  std::deque<Life*> waiting_;                                // head first; who arrives during a step is behind
  std::deque<Life*> loading_;                                // who waits for KV or with it, in the order of the queue
  std::vector<std::vector<std::uint32_t>> deferred_;         // tables that are given back, but not free yet
  std::vector<std::vector<std::uint32_t>> deferred_before_;  // the same, by the pass before
  std::int64_t loads_seen_ = 0;
  std::int64_t swapped_told_ = 0;                   // on the host after the last step
  bool step_in_flight_ = false;                     // while the next pass was planned
  std::vector<Life*> over_;                         // late endings: by the last step, in the order of admission
  std::map<std::uint32_t, std::int64_t> holders_;   // how many tables each held block is in
  std::map<std::uint32_t, Content> contents_;       // of full blocks, until they are handed out again
  std::multimap<std::uint32_t, Content> unfilled_;  // what they were to hold for victims, and can be found as
  StepShape shape_;
  std::int64_t recomputed_ = 0;
  std::int64_t loaded_ = 0;  // found in this pass beyond the blocks that were hit
  Time now_{};               // of the last thing told
  Time step_end_{};          // of the last step
  Time last_happened_{};     // the end of a step or a request
  std::int64_t pass_ = 0;
  std::int64_t passes_without_end_ = 0;
  std::int64_t longest_alone_ = 0;  // most passes that one of these requests needs alone
  std::int64_t outputs_alone_ = 0;  // tokens that all of them generate
  bool all_fit_alone_ = true;
  std::map<Outcome, std::int64_t> outcomes_;
  // Clients that left, with what was told of them, until the next step is told: it may be the one in which they left.
  std::vector<std::pair<Life*, RequestFacts>> left_;
  struct Turn {
    std::int64_t number = 0;
    Time ended{};
    bool answered = false;
    std::size_t place = 0;  // of its end in `visits_`
  };
  std::map<std::string, Turn> last_turns_;  // of each session, the one that ended last
  std::optional<std::int64_t> places_;      // of a closed loop
  std::vector<int> visits_;                 // 1: a request or a session came in, -1: it is over, 0: it went on
  std::int64_t tokens_ = 0;
  std::int64_t gaps_ = 0;
  std::int64_t accepted_ = 0;
  std::int64_t speculating_steps_ = 0;  // in which anybody had drafts
  bool run_ended_ = false;
};

}  // namespace decodesim::tests
