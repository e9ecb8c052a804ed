#include "core/job/step/reached.h"

#include <algorithm>

#include "core/base/grouped_number.h"

namespace overlap::job {

namespace {

constexpr std::size_t most_ranks_told = 8;
constexpr NodeIndex no_place = 0xffffffffu;

std::string text_of(const RankReach& of) {
    std::string text = "rank " + std::to_string(of.rank);
    if (of.before.empty()) return text.append(" has ended");
    text.append(of.last.empty() ? " has begun nothing" : " ended ").append(of.last);
    text.append(" and stands before ").append(of.before);
    return of.why.empty() ? text : text.append(", where ").append(of.why);
}

}  // namespace

std::vector<RankReach> reached(const StepGraph& graph, const StepOrder& order, const NodeNames& names,
                               const std::function<std::string(NodeIndex)>& why) {
    struct Place {
        NodeIndex last = no_place, before = no_place;
    };
    std::vector<Place> places;
    for (NodeIndex node = 0; node < graph.node_count(); ++node) {
        if (places.size() <= graph.rank(node)) places.resize(graph.rank(node) + 1);
        Place& of = places[graph.rank(node)];
        if (order.done[node]) {
            of.last = node;
        } else if (of.before == no_place) {
            of.before = node;
        }
    }
    std::vector<RankReach> ranks;
    for (const Place& of : places) {
        if (of.last == no_place && of.before == no_place) continue;
        const auto name = [&](NodeIndex node) { return node == no_place ? std::string() : names.op(node); };
        ranks.push_back({names.rank(of.last == no_place ? of.before : of.last), name(of.last), name(of.before),
                         why && of.before != no_place ? why(of.before) : std::string()});
    }
    return ranks;
}

std::string reached_text(const JobResult& result) {
    std::vector<const RankReach*> ranks;
    for (const RankReach& of : result.reached) ranks.push_back(&of);
    std::stable_partition(ranks.begin(), ranks.end(), [](const RankReach* of) { return !of->before.empty(); });
    std::string text;
    for (std::size_t i = 0; i < ranks.size() && i < most_ranks_told; ++i)
        text.append(i ? "; " : "").append(text_of(*ranks[i]));
    if (ranks.size() > most_ranks_told)
        text.append("; and ").append(grouped_text(static_cast<double>(ranks.size() - most_ranks_told))).append(" more");
    return text;
}

}  // namespace overlap::job
