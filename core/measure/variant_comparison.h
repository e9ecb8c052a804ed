#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/measure/measured_comparison.h"
#include "core/pipeline/evaluation.h"

namespace overlap {

enum class CollectiveChange : std::uint8_t {
    same,
    moved,     ///< starts at another time or is exposed for longer or shorter
    changed,   ///< bytes, process group, duration, kind or what it is merged of
    appeared,  ///< the first side has no such collective
    vanished,  ///< the second side has none
    merged,    ///< is merged into a bucket of the second side; that bucket's row has the sums of all of them
    split,     ///< comes out of a bucket of the first side; that bucket's row has the sums of all of them
};

/// Stable short name, such as `moved`.
std::string_view collective_change_name(CollectiveChange change);

/// A collective as one side has it. Where a bucket corresponds to several collectives of this side, those together:
/// bytes and times are their sums, the start is the first one's, name and index are those of the one that shares most
/// members.
struct ComparedCollective {
    std::uint32_t index = 0;  ///< into Simulation::collectives, or MeasuredStepData::collectives of a measured side
    std::string name;
    std::string process_group;
    CollectiveKind kind = CollectiveKind::none;
    std::int64_t bytes = 0;
    double start_ms = 0, time_ms = 0, exposed_ms = 0;
    std::uint32_t members = 1;      ///< collectives of the input graph that it does the work of
    std::uint32_t collectives = 1;  ///< of this side that this row sums up
};

/// How much more `after` is. 0 for less than a nanosecond: traces count in them, so that is rounding and no difference.
double change_ms(double before_ms, double after_ms);

/// A row of the table of differences.
struct ComparisonRow {
    CollectiveChange change = CollectiveChange::same;
    std::optional<ComparedCollective> before, after;
    bool bytes_changed = false, group_changed = false, time_changed = false, members_changed = false;
    /// Of what was merged or split: the collective of the other side that shares most members with it; may be empty.
    std::string counterpart;
    DifferenceCause cause = DifferenceCause::none;  ///< against a measurement only
    std::string remark;                             ///< one sentence without full stop on the difference; may be empty

    /// What was merged or split has its effect in another row.
    bool has_effect() const { return change != CollectiveChange::same && !stands_elsewhere(); }
    // What is less than a rounding error is 0.
    double exposed_change_ms() const {
        return stands_elsewhere() ? 0 : change_ms(side(before).exposed_ms, side(after).exposed_ms);
    }
    double time_change_ms() const {
        return stands_elsewhere() ? 0 : change_ms(side(before).time_ms, side(after).time_ms);
    }
    /// 0 where one side is missing.
    double start_change_ms() const { return before && after ? change_ms(before->start_ms, after->start_ms) : 0; }

  private:
    bool stands_elsewhere() const { return change == CollectiveChange::merged || change == CollectiveChange::split; }
    static ComparedCollective side(const std::optional<ComparedCollective>& of) {
        return of.value_or(ComparedCollective());
    }
};

/// The totals of one side.
struct ComparisonTotals {
    double step_ms = 0, compute_ms = 0;
    /// Time in which at least one collective runs, of a plan as of a measured step; less than the sum where groups
    /// communicate at the same time.
    double communication_ms = 0;
    double exposed_ms = 0;
    std::int64_t corrected_peak_bytes = 0;  ///< of Evaluation::corrected_memory; 0 where unknown
    std::int64_t estimated_peak_bytes = 0;  ///< of Evaluation::memory, as torch estimates it; 0 where unknown
    std::uint32_t collectives = 0;
    /// Of a compiled job, beside the step: clipping and the optimizer, see beside_step(); none of a measured step.
    std::optional<double> beside_ms{};
};

/// Two variants of a step, or a variant and a measured step.
struct Comparison {
    /// Every collective of either side once. Those with the greatest effect first: change of exposed time, then of
    /// duration, then of start; then in order of start. Deterministic.
    std::vector<ComparisonRow> rows;
    ComparisonTotals before, after;

    std::uint32_t count(CollectiveChange change) const;
};

/// Compares two plans for the same graph. A collective is identified by the collectives of the input graph whose work
/// it does: itself, or the members of its bucket. Where buckets are cut differently, those pair that share most
/// members; the rest was merged or split; its counterpart says into or out of which collective, and it counts there.
/// What shares no members appeared or vanished.
Comparison compare_variants(const Evaluation& before, const Evaluation& after);

/// The planned step as the first side, the measured one as the second. `moved` and `changed` need a difference of
/// 5 µs and a tenth of the planned time.
Comparison compare_variants(const MeasuredComparison& measured);

}  // namespace overlap
