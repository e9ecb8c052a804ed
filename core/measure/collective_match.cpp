#include "core/measure/collective_match.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "core/measure/sequence_alignment.h"

namespace overlap {

namespace {

/// The collectives of one side on one group, in order.
struct GroupSequence {
    std::uint32_t group = no_index;
    std::string name;
    std::vector<std::int64_t> ranks;  ///< ascending; empty where unknown
    std::int64_t size = 0;            ///< 0 where unknown
    std::vector<std::uint32_t> members;
    std::vector<SequenceItem> items;
    bool is_taken = false;
};

class Matcher {
  public:
    Matcher(const Graph& graph, const Simulation& simulation, const MeasuredStepData& step)
        : graph_(graph), simulation_(simulation), step_(step) {
        result_.measured_of.assign(simulation.collectives.size(), no_index);
        result_.planned_of.assign(step.collectives.size(), no_index);
        collect_planned();
        collect_measured();
    }

    CollectiveMatching run() {
        for (const GroupSequence& each : planned_) result_.groups.push_back({.planned = each.group});
        for (const GroupMatchBasis basis : {GroupMatchBasis::ranks, GroupMatchBasis::size, GroupMatchBasis::sequence}) {
            pair_groups(basis);
        }
        share_groups();
        for (const GroupSequence& each : measured_) {
            if (!each.is_taken) result_.groups.push_back({.measured = each.group});
        }
        return std::move(result_);
    }

  private:
    void collect_planned() {
        for (std::uint32_t index = 0; index < simulation_.groups.size(); ++index) {
            GroupSequence& sequence = planned_.emplace_back();
            sequence.group = index;
            sequence.name = simulation_.groups[index].process_group;
            if (const ProcessGroup* group = graph_.header().process_group(sequence.name)) {
                sequence.ranks.assign(group->ranks.begin(), group->ranks.end());
                std::sort(sequence.ranks.begin(), sequence.ranks.end());
                sequence.size = static_cast<std::int64_t>(sequence.ranks.size());
            }
        }
        const double length_ms = std::max(simulation_.step_ms, 1e-9);
        for (std::uint32_t index = 0; index < simulation_.collectives.size(); ++index) {
            const CollectiveTiming& collective = simulation_.collectives[index];
            GroupSequence& sequence = planned_[collective.group];
            sequence.members.push_back(index);
            sequence.items.push_back({collective.kind, collective.bytes, collective.start_ms / length_ms});
        }
    }

    void collect_measured() {
        // Of unknown group: a sequence for each stream.
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
        const auto length_ns = static_cast<double>(std::max<std::int64_t>(step_.span.length_ns(), 1));
        for (std::uint32_t index = 0; index < step_.collectives.size(); ++index) {
            const StepCollective& collective = step_.collectives[index];
            const std::uint32_t stream = collective.group == no_index ? collective.track : no_index;
            const auto [place, is_new] = places.try_emplace({collective.group, stream}, measured_.size());
            if (is_new) begin_measured(collective.group);
            GroupSequence& sequence = measured_[place->second];
            sequence.members.push_back(index);
            const auto since_ns = static_cast<double>(collective.range.begin_ns - step_.span.begin_ns);
            sequence.items.push_back({collective.kind, collective.bytes, since_ns / length_ns});
        }
    }

    void begin_measured(std::uint32_t index) {
        GroupSequence& sequence = measured_.emplace_back();
        sequence.group = index;
        if (index == no_index) return;
        const MeasuredGroup& group = step_.trace->groups()[index];
        sequence.name = group.name;
        sequence.ranks = group.ranks;
        std::sort(sequence.ranks.begin(), sequence.ranks.end());
        sequence.size = group.ranks.empty() ? group.size : static_cast<std::int64_t>(group.ranks.size());
    }

    /// Whether the collectives of two groups that may pair speak for it.
    static bool agrees(const GroupSequence& planned, const SequenceAlignment& alignment, GroupMatchBasis basis) {
        // Equal ranks alone make a pair, even where the collectives have nothing in common.
        if (basis == GroupMatchBasis::ranks) return true;
        if (alignment.pairs.empty()) return false;
        // A few kernels of unknown kind and size fit into any long sequence.
        return basis != GroupMatchBasis::sequence || alignment.pairs.size() * 2 >= planned.items.size();
    }

    static bool may_pair(const GroupSequence& planned, const GroupSequence& measured, GroupMatchBasis basis) {
        if (planned.is_taken || measured.is_taken) return false;
        switch (basis) {
            case GroupMatchBasis::ranks:
                return !planned.ranks.empty() && planned.ranks == measured.ranks;
            case GroupMatchBasis::size:
                return planned.size > 0 && planned.size == measured.size;
            default:
                // Groups that are known to differ in size are no match, whatever runs on them.
                return planned.size == 0 || measured.size == 0;
        }
    }

    void pair_groups(GroupMatchBasis basis) {
        struct Candidate {
            std::size_t planned, measured;
            bool same_name;
            SequenceAlignment alignment;
        };
        std::vector<Candidate> candidates;
        for (std::size_t a = 0; a < planned_.size(); ++a) {
            for (std::size_t b = 0; b < measured_.size(); ++b) {
                if (!may_pair(planned_[a], measured_[b], basis)) continue;
                SequenceAlignment alignment = align_sequences(planned_[a].items, measured_[b].items);
                if (!agrees(planned_[a], alignment, basis)) continue;
                candidates.push_back({a, b, planned_[a].name == measured_[b].name, std::move(alignment)});
            }
        }
        std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate& left, const Candidate& right) {
            return std::tuple(left.alignment.worth, left.same_name) >
                   std::tuple(right.alignment.worth, right.same_name);
        });
        for (const Candidate& candidate : candidates) {
            if (planned_[candidate.planned].is_taken || measured_[candidate.measured].is_taken) continue;
            take(candidate.planned, candidate.measured, basis, candidate.alignment);
        }
    }

    void take(std::size_t a, std::size_t b, GroupMatchBasis basis, const SequenceAlignment& alignment) {
        planned_[a].is_taken = measured_[b].is_taken = true;
        record(planned_[a], measured_[b], basis, alignment, result_.groups[a]);
    }

    void record(const GroupSequence& planned, const GroupSequence& measured, GroupMatchBasis basis,
                const SequenceAlignment& alignment, GroupMatch& group) {
        group.measured = measured.group;
        group.basis = basis;
        group.pairs = static_cast<std::uint32_t>(alignment.pairs.size());
        result_.pairs += group.pairs;
        for (const auto& [i, j] : alignment.pairs) {
            result_.measured_of[planned.members[i]] = measured.members[j];
            result_.planned_of[measured.members[j]] = planned.members[i];
        }
    }

    /// One side may have split a group in two of the same ranks: what is left over of the one belongs to the other.
    void share_groups() {
        for (std::size_t a = 0; a < planned_.size(); ++a) {
            for (std::size_t b = 0; b < measured_.size(); ++b) {
                const bool one_is_taken = planned_[a].is_taken != measured_[b].is_taken;
                if (!one_is_taken || planned_[a].ranks.empty() || planned_[a].ranks != measured_[b].ranks) continue;
                const GroupSequence planned = left_of(planned_[a], result_.measured_of);
                const GroupSequence measured = left_of(measured_[b], result_.planned_of);
                const SequenceAlignment alignment = align_sequences(planned.items, measured.items);
                if (alignment.pairs.empty()) continue;
                if (planned_[a].is_taken) result_.groups.push_back({.planned = planned.group});
                GroupMatch& group = planned_[a].is_taken ? result_.groups.back() : result_.groups[a];
                record(planned, measured, GroupMatchBasis::ranks, alignment, group);
                planned_[a].is_taken = measured_[b].is_taken = true;
            }
        }
    }

    /// The members without a partner.
    static GroupSequence left_of(const GroupSequence& sequence, const std::vector<std::uint32_t>& partners) {
        GroupSequence left;
        left.group = sequence.group;
        for (std::size_t index = 0; index < sequence.members.size(); ++index) {
            if (partners[sequence.members[index]] != no_index) continue;
            left.members.push_back(sequence.members[index]);
            left.items.push_back(sequence.items[index]);
        }
        return left;
    }

    const Graph& graph_;
    const Simulation& simulation_;
    const MeasuredStepData& step_;
    std::vector<GroupSequence> planned_, measured_;
    CollectiveMatching result_;
};

}  // namespace

std::string_view group_match_basis_name(GroupMatchBasis basis) {
    switch (basis) {
        case GroupMatchBasis::ranks:
            return "ranks";
        case GroupMatchBasis::size:
            return "size";
        case GroupMatchBasis::sequence:
            return "sequence";
        case GroupMatchBasis::nothing:
            break;
    }
    return "nothing";
}

CollectiveMatching match_collectives(const Graph& graph, const Simulation& simulation, const MeasuredStepData& step) {
    return Matcher(graph, simulation, step).run();
}

}  // namespace overlap
