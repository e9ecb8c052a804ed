#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace overlap::job {

/// Figures of one rank; of a class of ranks that cannot be told apart.
struct RankFigures {
    double busy_ms = 0;               ///< computing
    double waiting_for_peers_ms = 0;  ///< standing still until the last of those that it needs was there
    double transfer_exposed_ms = 0;   ///< standing still while what it needs was on its way
};

/// One rank, with the class whose figures it has.
struct RankResult {
    std::int64_t rank = 0;
    std::int32_t stage = 0, replica = 0;  ///< pipeline rank and replica
    std::uint32_t figures = 0;            ///< index of JobResult::classes
};

/// A stretch of the critical path.
struct PathStep {
    std::int64_t rank = 0;
    std::string op;
    double start_ms = 0, end_ms = 0;
    std::string why;  ///< what it waited for, in words
};

struct OpOnRank {
    std::int64_t rank = 0;
    std::string op;
    std::int64_t peer = -1;  ///< of one that is missing: who never comes
};

/// Why a job cannot run, or may not.
struct JobProblem {
    enum class Kind : std::uint8_t { deadlock, mismatch, hazard } kind = Kind::deadlock;
    std::string message;                   ///< a sentence without full stop
    std::vector<OpOnRank> cycle, missing;  ///< of a deadlock
    std::string group;                     ///< of a mismatch: the group, or empty
    std::int64_t from = 0, to = 0;         ///< or the pair
    std::int64_t index = 0;
    std::string field;
    std::string left_json, right_json;  ///< the two values
};
/// `deadlock`, `mismatch`, `hazard`.
std::string_view problem_kind_name(JobProblem::Kind kind);

/// How far a rank came in a job that cannot run.
struct RankReach {
    std::int64_t rank = 0;
    std::string last;    ///< what it ended last; empty: nothing
    std::string before;  ///< what it stands before; empty: it has ended
    std::string why;     ///< of what it stands before, where nothing of the job is to come for it: `rank 1 never comes`
};

/// Steps of many draws.
struct StepSpread {
    std::int32_t samples = 0;
    double mean_ms = 0, p50_ms = 0, p90_ms = 0, p99_ms = 0, least_ms = 0, most_ms = 0;
};

/// What a pipeline rank holds at most, for backwards that are still to come.
struct HeldActivations {
    std::int32_t forwards = 0;          ///< microbatches, of each of its stages
    std::optional<std::int64_t> bytes;  ///< nothing where a stage does not tell
};

/// What a job does. Immutable once made.
struct JobResult {
    std::optional<double> step_ms;  ///< none where it cannot run
    std::vector<std::string> notes;
    std::vector<RankResult> ranks;  ///< in the order of their numbers
    std::vector<RankFigures> classes;
    std::vector<std::vector<std::int32_t>> stages_of;  ///< of each pipeline rank; empty for programs
    std::vector<HeldActivations> held;                 ///< of each pipeline rank; empty for programs
    std::vector<PathStep> critical_path;
    std::vector<JobProblem> problems;
    std::vector<RankReach> reached;  ///< of a job that cannot run: how far its ranks came
    std::optional<StepSpread> spread;
    bool of_programs = false;

    /// The figures of all ranks together.
    RankFigures sum_of_ranks() const {
        RankFigures sum;
        for (const RankResult& rank : ranks) {
            sum.busy_ms += classes[rank.figures].busy_ms;
            sum.waiting_for_peers_ms += classes[rank.figures].waiting_for_peers_ms;
            sum.transfer_exposed_ms += classes[rank.figures].transfer_exposed_ms;
        }
        return sum;
    }
};

/// The document that `overlap job simulate --json` prints.
std::string result_json(const JobResult& result);

}  // namespace overlap::job
