#include "core/trace/collective_alignment.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/base/statistics.h"

namespace overlap {

namespace {

using Traces = std::span<const std::shared_ptr<const MeasuredTrace>>;
/// What makes groups of two ranks the same.
using GroupKey = std::pair<std::string, std::vector<std::int64_t>>;
/// Collectives of one rank in a group, in order of time.
using Sequence = std::vector<std::uint32_t>;

/// Shifts that are tried beside those that the difference in number suggests.
constexpr std::int64_t spare_shifts = 4;

class Alignment {
  public:
    explicit Alignment(Traces traces) : traces_(traces) { result_.ranks.resize(traces.size()); }

    AlignedRanks run() {
        for (const auto& [key, sequences] : sequences_by_group()) match_group(sequences);
        estimate_clocks();
        for (CollectiveMatch& match : result_.matches) describe(match);
        count();
        return std::move(result_);
    }

  private:
    const MeasuredCollective& collective(CollectiveMember member) const {
        return traces_[member.rank]->collectives()[member.collective];
    }

    TimeRange range(CollectiveMember member) const {
        const MeasuredTrace& trace = *traces_[member.rank];
        TimeRange range = trace.range(trace.activities()[collective(member).activity]);
        range.begin_ns += result_.ranks[member.rank].clock_offset_ns;
        range.end_ns += result_.ranks[member.rank].clock_offset_ns;
        return range;
    }

    std::map<GroupKey, std::map<std::uint32_t, Sequence>> sequences_by_group() const {
        std::map<GroupKey, std::map<std::uint32_t, Sequence>> groups;
        for (std::uint32_t rank = 0; rank < traces_.size(); ++rank) {
            const MeasuredTrace& trace = *traces_[rank];
            for (std::uint32_t index = 0; index < trace.collectives().size(); ++index) {
                const MeasuredCollective& of = trace.collectives()[index];
                if (of.group == no_index || of.kind == CollectiveKind::point_to_point) continue;
                const MeasuredGroup& group = trace.groups()[of.group];
                groups[{group.name, group.ranks}][rank].push_back(index);
            }
        }
        for (auto& [key, sequences] : groups) {
            for (auto& [rank, sequence] : sequences) {
                std::stable_sort(sequence.begin(), sequence.end(), [&, of = rank](std::uint32_t a, std::uint32_t b) {
                    return range({of, a}).begin_ns < range({of, b}).begin_ns;
                });
            }
        }
        return groups;
    }

    void match_group(const std::map<std::uint32_t, Sequence>& sequences) {
        if (sequences.size() < 2) return;
        // By Seq and, since coalesced collectives share one, by the order among those of the same Seq.
        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<CollectiveMember>> places;
        if (have_sequence_numbers(sequences)) {
            for (const auto& [rank, sequence] : sequences) {
                std::map<std::int64_t, std::int64_t> seen;
                for (const std::uint32_t index : sequence) {
                    const std::int64_t number = collective({rank, index}).sequence;
                    places[{number, seen[number]++}].push_back({rank, index});
                }
            }
        } else {
            place_by_order(sequences, places);
        }
        for (auto& [place, found] : places) {
            std::vector<CollectiveMember>& members = found;  // bindings cannot be captured
            const auto differs = [&](CollectiveMember member) { return !agree(members.front(), member); };
            members.erase(std::remove_if(members.begin(), members.end(), differs), members.end());
            if (members.size() < 2) continue;
            CollectiveMatch& match = result_.matches.emplace_back();
            match.sequence = place.first;
            match.members = std::move(members);
        }
    }

    bool have_sequence_numbers(const std::map<std::uint32_t, Sequence>& sequences) const {
        return std::all_of(sequences.begin(), sequences.end(), [&](const auto& of_rank) {
            return std::all_of(of_rank.second.begin(), of_rank.second.end(), [&](std::uint32_t index) {
                return collective({of_rank.first, index}).sequence != no_id;
            });
        });
    }

    void place_by_order(const std::map<std::uint32_t, Sequence>& sequences,
                        std::map<std::pair<std::int64_t, std::int64_t>, std::vector<CollectiveMember>>& places) const {
        // The rank with most collectives is the measure: the others may have lost some.
        const auto longest = std::max_element(sequences.begin(), sequences.end(), [](const auto& a, const auto& b) {
            return a.second.size() < b.second.size();
        });
        for (const auto& [rank, sequence] : sequences) {
            const std::int64_t shift = rank == longest->first ? 0 : best_shift(*longest, {rank, sequence});
            for (std::size_t position = 0; position < sequence.size(); ++position) {
                places[{static_cast<std::int64_t>(position) + shift, 0}].push_back({rank, sequence[position]});
            }
        }
    }

    bool agree(CollectiveMember a, CollectiveMember b) const {
        const MeasuredCollective& left = collective(a);
        const MeasuredCollective& right = collective(b);
        // All-to-all may send each rank something else.
        const bool any_size = left.kind == CollectiveKind::all_to_all;
        return left.kind == right.kind &&
               (any_size || (left.input_bytes == right.input_bytes && left.output_bytes == right.output_bytes));
    }

    /// What to add to positions of `other` so that they become positions of `measure`.
    std::int64_t best_shift(const std::pair<const std::uint32_t, Sequence>& measure,
                            const std::pair<std::uint32_t, Sequence>& other) const {
        const auto more = static_cast<std::int64_t>(measure.second.size() - other.second.size());
        std::optional<std::tuple<std::int64_t, std::int64_t, std::int64_t>> best;  // the smallest
        for (std::int64_t shift = -spare_shifts; shift <= more + spare_shifts; ++shift) {
            std::vector<std::int64_t> distances_ns;
            for (std::size_t position = 0; position < other.second.size(); ++position) {
                const std::int64_t there = static_cast<std::int64_t>(position) + shift;
                if (there < 0 || there >= static_cast<std::int64_t>(measure.second.size())) continue;
                const CollectiveMember a{measure.first, measure.second[static_cast<std::size_t>(there)]};
                const CollectiveMember b{other.first, other.second[position]};
                if (agree(a, b)) distances_ns.push_back(range(a).end_ns - range(b).end_ns);
            }
            if (distances_ns.empty()) continue;
            const auto agreeing = static_cast<std::int64_t>(distances_ns.size());
            const std::tuple found(-agreeing, std::abs(upper_median(std::move(distances_ns))), shift);
            if (!best || found < *best) best = found;
        }
        return best ? std::get<2>(*best) : 0;
    }

    /// Gives one rank after the other the clock of those that have it: always the one that shares most with them.
    void estimate_clocks() {
        if (result_.ranks.empty()) return;
        result_.ranks[0].is_aligned = true;
        while (true) {
            std::vector<std::vector<std::int64_t>> distances_ns(traces_.size());
            for (const CollectiveMatch& match : result_.matches) {
                const auto known =
                    std::find_if(match.members.begin(), match.members.end(),
                                 [&](CollectiveMember member) { return result_.ranks[member.rank].is_aligned; });
                if (known == match.members.end()) continue;
                for (const CollectiveMember member : match.members) {
                    if (result_.ranks[member.rank].is_aligned) continue;
                    distances_ns[member.rank].push_back(range(*known).end_ns - range(member).end_ns);
                }
            }
            const auto next = std::max_element(distances_ns.begin(), distances_ns.end(),
                                               [](const auto& a, const auto& b) { return a.size() < b.size(); });
            if (next->empty()) return;
            RankAlignment& rank = result_.ranks[static_cast<std::size_t>(next - distances_ns.begin())];
            rank.is_aligned = true;
            rank.clock_offset_ns = upper_median(*next);
            for (std::int64_t& distance_ns : *next) distance_ns = std::abs(distance_ns - rank.clock_offset_ns);
            rank.spread_ns = upper_median(std::move(*next));
        }
    }

    void describe(CollectiveMatch& match) const {
        const CollectiveMember first = match.members.front();
        match.kind = collective(first).kind;
        match.group = traces_[first.rank]->groups()[collective(first).group];
        const TimeRange of_first = range(first);
        match.first_start_ns = match.last_start_ns = of_first.begin_ns;
        match.last_end_ns = of_first.end_ns;
        match.last_rank = first.rank;
        for (const CollectiveMember member : match.members) {
            const TimeRange span = range(member);
            match.first_start_ns = std::min(match.first_start_ns, span.begin_ns);
            match.last_end_ns = std::max(match.last_end_ns, span.end_ns);
            if (span.begin_ns > match.last_start_ns) {
                match.last_start_ns = span.begin_ns;
                match.last_rank = member.rank;
            }
        }
    }

    void count() {
        for (const CollectiveMatch& match : result_.matches) {
            RankAlignment& last = result_.ranks[match.last_rank];
            ++last.arrived_last;
            last.awaited_ns += match.waiting_ns();
            for (const CollectiveMember member : match.members) ++result_.ranks[member.rank].matched;
        }
        for (std::size_t rank = 0; rank < traces_.size(); ++rank) {
            result_.ranks[rank].unmatched = traces_[rank]->collectives().size() - result_.ranks[rank].matched;
        }
    }

    Traces traces_;
    AlignedRanks result_;
};

}  // namespace

AlignedRanks align_ranks(Traces traces) {
    return Alignment(traces).run();
}

}  // namespace overlap
