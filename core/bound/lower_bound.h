#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/problem.h"
#include "core/bound/step_work.h"
#include "core/files/json_writer.h"

namespace overlap {

/// A stretch of time that no plan can shorten, and why.
struct BoundStep {
    enum class Kind : std::uint8_t {
        compute,     ///< compute that has to be done one after the other
        link,        ///< a link moves data without a pause
        collective,  ///< one collective that others wait for, with its latency
        memory,      ///< a gather cannot start before compute has released memory
    };
    Kind kind = Kind::compute;
    double start_ms = 0, end_ms = 0;
    std::string first, last;          ///< names of the nodes at both ends
    std::vector<std::string> groups;  ///< process groups of a link
};

std::string_view bound_step_kind_name(BoundStep::Kind kind);

/// How short a step can be at best, whatever the plan. README.md of this folder has the proof.
struct LowerBound {
    double step_ms = 0;            ///< the larger of the two
    double ordered_ms = 0;         ///< for plans that keep the order of the heavy compute; 0 where it was not asked for
    double order_free_ms = 0;      ///< for all plans, in whatever order they compute
    double compute_ms = 0;         ///< of every plan, see compute_of_every_plan_ms()
    std::vector<BoundStep> chain;  ///< of the larger, in order of time: together as long as it
    std::vector<BoundStep> order_free_chain;  ///< of the bound for all plans
    std::string reason;                       ///< one sentence without full stop
    std::int64_t least_peak_bytes = 0;        ///< what must be alive at once in every plan
    std::string least_peak_node;              ///< while it runs
};

/// @param memory_limit for the peak of the corrected profile; nothing: memory is not limited.
/// @param any_order see BoundUnderLimits.
/// @throws InputError where the work has an obstacle, or less than what must be alive is allowed.
LowerBound lower_bound(const StepWork& work, std::optional<std::int64_t> memory_limit = {}, bool any_order = false);

/// Bounds at several limits, for less than as many calls of lower_bound(): the order-free bound and the bytes alive are
/// found once.
class BoundUnderLimits {
  public:
    /// @param work without an obstacle.
    /// @param any_order whether bounds are for plans that change the order of heavy compute, too; then the ordered one
    /// is 0.
    /// @param stop when it is requested, bounds are lower than they could be.
    explicit BoundUnderLimits(std::shared_ptr<const StepWork> work, bool any_order = false,
                              const std::stop_token& stop = {});
    ~BoundUnderLimits();

    LowerBound at(std::optional<std::int64_t> memory_limit) const;
    /// What must be alive at once in every plan, and the name of the node that runs meanwhile; empty where it is none
    /// in particular.
    std::int64_t least_peak_bytes() const;
    std::string least_peak_node() const;

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

/// The step of a plan that is compared with a bound, or of the bound itself.
struct ComparedStep {
    double step_ms = 0;
    double in_every_plan_ms = 0;         ///< LowerBound::compute_ms
    std::optional<double> compute_ms{};  ///< of the plan; nothing where it is not known
};

/// A one-sentence reason for a bound's chain, such as `the network (process group "0") is busy at least 1921 of 1974
/// ms: only fewer bytes can help`.
/// @param any_order whether the chain is of a bound that holds whatever the order of compute: the sentence says so.
std::string bound_reason(const std::vector<BoundStep>& chain, const ComparedStep& step, bool any_order = false);

/// A chain as a list of objects, for reports.
void write_chain(JsonWriter& json, const std::vector<BoundStep>& chain);
/// For `overlap bound --json`, with the step and the peak of a plan, and what of the work it leaves out or puts into
/// another order.
/// @param problems of the plan's figures, such as a peak beyond the device's memory.
std::string bound_json(const LowerBound& bound, std::optional<std::int64_t> memory_limit, double plan_step_ms,
                       std::int64_t plan_peak_bytes, const KeptWork& kept, std::span<const Problem> problems = {});

}  // namespace overlap
