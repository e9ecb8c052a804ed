#include "core/measure/variant_comparison.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/measure/collective_members.h"
#include "core/measure/simulated_times.h"
#include "core/pipeline/beside_step.h"

namespace overlap {

namespace {

constexpr double ns_per_ms = 1e6;
/// A nanosecond. Two simulations agree to the last bit where nothing changed; this only keeps rounding out.
constexpr double nothing_ms = 1 / ns_per_ms;

using Names = std::vector<std::string>;

bool differs(double a, double b) {
    return change_ms(a, b) != 0;
}

ComparedCollective planned_side(const Evaluation& evaluation, std::uint32_t index) {
    const CollectiveTiming& timing = evaluation.simulation.collectives[index];
    ComparedCollective made;
    made.index = index;
    made.name = evaluation.graph->name(timing.start);
    made.process_group = evaluation.simulation.groups[timing.group].process_group;
    made.kind = timing.kind;
    made.bytes = timing.bytes;
    made.start_ms = timing.start_ms;
    made.time_ms = timing.end_ms - timing.start_ms;
    made.exposed_ms = timing.exposed_ms;
    return made;
}

ComparedCollective planned_side(const Evaluation& evaluation, std::uint32_t index, const Names& members) {
    ComparedCollective made = planned_side(evaluation, index);
    made.members = static_cast<std::uint32_t>(members.size());
    return made;
}

/// One more collective that stands where `together` does.
void add(ComparedCollective& together, const ComparedCollective& one) {
    together.bytes += one.bytes;
    together.start_ms = std::min(together.start_ms, one.start_ms);
    together.time_ms += one.time_ms;
    together.exposed_ms += one.exposed_ms;
    together.members += one.members;
    ++together.collectives;
}

ComparisonTotals totals_of(const Evaluation& evaluation) {
    ComparisonTotals totals;
    totals.step_ms = evaluation.simulation.step_ms;
    totals.compute_ms = evaluation.simulation.compute_ms;
    totals.communication_ms = static_cast<double>(simulated_times(evaluation).step.communication_ns) / ns_per_ms;
    totals.exposed_ms = evaluation.simulation.exposed_ms;
    totals.corrected_peak_bytes = evaluation.corrected_memory.peak_bytes;
    totals.estimated_peak_bytes = evaluation.memory.peak_bytes;
    totals.collectives = static_cast<std::uint32_t>(evaluation.simulation.collectives.size());
    if (const std::optional<OptimizerStep> beside = beside_step(evaluation)) totals.beside_ms = beside->time_ms;
    return totals;
}

void sort_by_effect(std::vector<ComparisonRow>& rows) {
    const auto key = [](const ComparisonRow& row) {
        const double start_ms = row.before ? row.before->start_ms : row.after->start_ms;
        return std::tuple(!row.has_effect(), row.change == CollectiveChange::same, -std::abs(row.exposed_change_ms()),
                          -std::abs(row.time_change_ms()), -std::abs(row.start_change_ms()), start_ms);
    };
    std::stable_sort(rows.begin(), rows.end(),
                     [&](const ComparisonRow& a, const ComparisonRow& b) { return key(a) < key(b); });
}

/// The first names, and how many more there are.
std::string first_of(const Names& names) {
    constexpr std::size_t shown = 3;
    if (names.size() <= shown) return enumerated(names);
    std::string text;
    for (std::size_t index = 0; index < shown; ++index) text.append(index == 0 ? "" : ", ").append(names[index]);
    return text.append(" and ").append(counted(names.size() - shown, "other"));
}

/// Which collectives a bucket is merged of on one side alone, where as many count on both.
/// @param before sorted, as `after`; they differ
std::string other_members(const Names& before, const Names& after) {
    Names gone, come;
    std::ranges::set_difference(before, after, std::back_inserter(gone));
    std::ranges::set_difference(after, before, std::back_inserter(come));
    std::string text = "merged";
    if (!come.empty()) text.append(" with ").append(first_of(come));
    if (!gone.empty()) text.append(come.empty() ? " without " : " instead of ").append(first_of(gone));
    return text;
}

/// What is different about a row of two plans, in words.
/// @param before members of the collective that names the first side, sorted, as `after`
std::string remark_on(const ComparisonRow& row, const Names& before, const Names& after) {
    std::vector<std::string> parts;
    if (row.before->collectives != row.after->collectives) {
        parts.push_back(counted(row.after->collectives, "collective") + " instead of " +
                        std::to_string(row.before->collectives));
    } else if (row.members_changed && row.before->members == row.after->members) {
        parts.push_back(other_members(before, after));
    } else if (row.members_changed) {
        parts.push_back("merged of " + std::to_string(row.after->members) + " instead of " +
                        counted(row.before->members, "collective"));
    }
    if (row.group_changed) {
        parts.push_back("on group " + in_quotes(row.after->process_group) + " instead of " +
                        in_quotes(row.before->process_group));
    }
    if (row.bytes_changed) {
        parts.push_back(bytes_text(row.after->bytes) + " instead of " + bytes_text(row.before->bytes));
    }
    if (row.time_changed) {
        parts.push_back(time_text(row.after->time_ms) + " instead of " + time_text(row.before->time_ms));
    }
    if (parts.empty() && row.change == CollectiveChange::moved && differs(row.start_change_ms(), 0)) {
        parts.push_back("starts " + time_text(std::abs(row.start_change_ms())) +
                        (row.start_change_ms() < 0 ? " earlier" : " later"));
    }
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
}

class VariantComparer {
  public:
    VariantComparer(const Evaluation& before, const Evaluation& after)
        : before_(before),
          after_(after),
          members_before_(collective_members(before)),
          members_after_(collective_members(after)),
          partner_of_before_(members_before_.size(), no_index),
          partner_of_after_(members_after_.size(), no_index) {}

    Comparison run() {
        find_shared_members();
        pair();
        find_counterparts();
        Comparison comparison;
        for (std::uint32_t index = 0; index < partner_of_before_.size(); ++index) {
            comparison.rows.push_back(partner_of_before_[index] == no_index ? vanished(index)
                                                                            : row_of(index, partner_of_before_[index]));
        }
        for (std::uint32_t index = 0; index < partner_of_after_.size(); ++index) {
            if (partner_of_after_[index] == no_index) comparison.rows.push_back(appeared(index));
        }
        sort_by_effect(comparison.rows);
        comparison.before = totals_of(before_);
        comparison.after = totals_of(after_);
        return comparison;
    }

  private:
    struct Shared {
        std::uint32_t members, before, after;
        std::size_t strangers;  ///< members that only one of the two has
    };

    void find_shared_members() {
        std::map<std::string_view, std::vector<std::uint32_t>> places;
        for (std::uint32_t index = 0; index < members_after_.size(); ++index) {
            for (const std::string& name : members_after_[index]) places[name].push_back(index);
        }
        for (std::uint32_t index = 0; index < members_before_.size(); ++index) {
            std::map<std::uint32_t, std::uint32_t> shared;
            for (const std::string& name : members_before_[index]) {
                const auto found = places.find(name);
                if (found == places.end()) continue;
                for (const std::uint32_t other : found->second) ++shared[other];
            }
            for (const auto& [other, count] : shared) {
                const std::size_t all = members_before_[index].size() + members_after_[other].size();
                shared_.push_back({count, index, other, all - 2 * count});
            }
        }
    }

    void pair() {
        std::stable_sort(shared_.begin(), shared_.end(), [](const Shared& a, const Shared& b) {
            return std::tuple(b.members, a.strangers) < std::tuple(a.members, b.strangers);
        });
        for (const Shared& each : shared_) {
            if (partner_of_before_[each.before] != no_index || partner_of_after_[each.after] != no_index) continue;
            partner_of_before_[each.before] = each.after;
            partner_of_after_[each.after] = each.before;
        }
    }

    /// Of what has no partner: with which pair it counts.
    void find_counterparts() {
        for (const Shared& each : shared_) {
            if (partner_of_before_[each.before] == no_index) merged_into_.try_emplace(each.before, each.after);
            if (partner_of_after_[each.after] == no_index) split_off_.try_emplace(each.after, each.before);
        }
        for (const auto& [before, after] : merged_into_) merged_[after].push_back(before);
        for (const auto& [after, before] : split_off_) split_[before].push_back(after);
    }

    ComparisonRow row_of(std::uint32_t before, std::uint32_t after) const {
        ComparisonRow row;
        row.before = planned_side(before_, before, members_before_[before]);
        row.after = planned_side(after_, after, members_after_[after]);
        if (const auto found = merged_.find(after); found != merged_.end()) {
            for (const std::uint32_t index : found->second)
                add(*row.before, planned_side(before_, index, members_before_[index]));
        }
        if (const auto found = split_.find(before); found != split_.end()) {
            for (const std::uint32_t index : found->second)
                add(*row.after, planned_side(after_, index, members_after_[index]));
        }
        row.bytes_changed = row.before->bytes != row.after->bytes;
        row.group_changed = row.before->process_group != row.after->process_group;
        row.time_changed = differs(row.before->time_ms, row.after->time_ms);
        row.members_changed = members_before_[before] != members_after_[after];
        if (row.bytes_changed || row.group_changed || row.time_changed || row.members_changed ||
            row.before->kind != row.after->kind) {
            row.change = CollectiveChange::changed;
        } else if (differs(row.start_change_ms(), 0) || differs(row.exposed_change_ms(), 0)) {
            row.change = CollectiveChange::moved;
        }
        row.remark = remark_on(row, members_before_[before], members_after_[after]);
        return row;
    }

    ComparisonRow vanished(std::uint32_t index) const {
        ComparisonRow row;
        row.change = CollectiveChange::vanished;
        row.before = planned_side(before_, index, members_before_[index]);
        if (const auto found = merged_into_.find(index); found != merged_into_.end()) {
            row.change = CollectiveChange::merged;
            row.counterpart = after_.graph->name(after_.simulation.collectives[found->second].start);
            row.remark = "merged into " + row.counterpart;
        }
        return row;
    }

    ComparisonRow appeared(std::uint32_t index) const {
        ComparisonRow row;
        row.change = CollectiveChange::appeared;
        row.after = planned_side(after_, index, members_after_[index]);
        if (const auto found = split_off_.find(index); found != split_off_.end()) {
            row.change = CollectiveChange::split;
            row.counterpart = before_.graph->name(before_.simulation.collectives[found->second].start);
            row.remark = "split off " + row.counterpart;
        }
        return row;
    }

    const Evaluation& before_;
    const Evaluation& after_;
    std::vector<Names> members_before_, members_after_;
    std::vector<std::uint32_t> partner_of_before_, partner_of_after_;
    std::vector<Shared> shared_;                                          ///< once sorted, most members first
    std::map<std::uint32_t, std::uint32_t> merged_into_, split_off_;      ///< to the other side's collective
    std::map<std::uint32_t, std::vector<std::uint32_t>> merged_, split_;  ///< from it
};

ComparedCollective measured_side(const MeasuredComparison& measured, const CollectiveComparison& row) {
    const StepCollective& collective = measured.step.collectives[row.measured];
    CollectiveComparison alone = row;
    alone.planned = no_index;  // what the trace calls it
    ComparedCollective made;
    made.index = row.measured;
    made.name = measured.name(alone);
    made.process_group = measured.group_name(alone);
    made.kind = collective.kind;
    made.bytes = collective.bytes;
    made.start_ms = row.measured_start_ms;
    made.time_ms = row.measured_ms;
    made.exposed_ms = row.measured_exposed_ms;
    return made;
}

ComparisonTotals totals_of(const MeasuredStepData& step) {
    ComparisonTotals totals;
    totals.step_ms = static_cast<double>(step.span.length_ns()) / ns_per_ms;
    totals.compute_ms = static_cast<double>(step.compute_ns) / ns_per_ms;
    totals.communication_ms = static_cast<double>(step.communication_ns) / ns_per_ms;
    totals.exposed_ms = static_cast<double>(step.exposed_ns) / ns_per_ms;
    totals.collectives = static_cast<std::uint32_t>(step.collectives.size());
    return totals;
}

}  // namespace

std::string_view collective_change_name(CollectiveChange change) {
    switch (change) {
        case CollectiveChange::same:
            break;
        case CollectiveChange::moved:
            return "moved";
        case CollectiveChange::changed:
            return "changed";
        case CollectiveChange::appeared:
            return "appeared";
        case CollectiveChange::vanished:
            return "vanished";
        case CollectiveChange::merged:
            return "merged";
        case CollectiveChange::split:
            return "split";
    }
    return "same";
}

double change_ms(double before_ms, double after_ms) {
    const double change_ms = after_ms - before_ms;
    return std::abs(change_ms) < nothing_ms ? 0 : change_ms;
}

std::uint32_t Comparison::count(CollectiveChange change) const {
    return static_cast<std::uint32_t>(std::ranges::count(rows, change, &ComparisonRow::change));
}

Comparison compare_variants(const Evaluation& before, const Evaluation& after) {
    return VariantComparer(before, after).run();
}

Comparison compare_variants(const MeasuredComparison& measured) {
    Comparison comparison;
    for (const CollectiveComparison& each : measured.rows) {
        ComparisonRow& row = comparison.rows.emplace_back();
        if (each.planned != no_index) row.before = planned_side(*measured.evaluation, each.planned);
        if (each.measured != no_index) row.after = measured_side(measured, each);
        row.cause = each.cause;
        row.remark = measured.explain(each);
        if (!each.is_matched()) {
            row.change = row.before ? CollectiveChange::vanished : CollectiveChange::appeared;
            continue;
        }
        const double threshold_ms = each.threshold_ms();
        row.bytes_changed = row.after->bytes != 0 && row.before->bytes != row.after->bytes;
        row.time_changed = std::abs(row.time_change_ms()) >= threshold_ms;
        if (row.bytes_changed || row.time_changed) {
            row.change = CollectiveChange::changed;
        } else if (std::abs(row.start_change_ms()) >= threshold_ms ||
                   std::abs(row.exposed_change_ms()) >= threshold_ms) {
            row.change = CollectiveChange::moved;
        }
    }
    sort_by_effect(comparison.rows);
    comparison.before = totals_of(*measured.evaluation);
    comparison.after = totals_of(measured.step);
    return comparison;
}

}  // namespace overlap
