#include <algorithm>
#include <map>
#include <set>

#include "core/imports/import_source.h"

namespace overlap {
namespace {

using RankValues = std::map<std::int64_t, std::string>;

/// `0, 2`
std::string rank_list(const std::vector<std::int64_t>& ranks) {
    std::string text;
    for (const std::int64_t rank : ranks) {
        if (!text.empty()) text += ", ";
        text += std::to_string(rank);
    }
    return text;
}

/// Ranks that have the same value, in groups by their first rank.
std::vector<std::vector<std::int64_t>> alike(const RankValues& values) {
    std::map<std::string, std::vector<std::int64_t>> by_value;
    for (const auto& [rank, value] : values) by_value[value].push_back(rank);
    std::vector<std::vector<std::int64_t>> groups;
    for (auto& entry : by_value) groups.push_back(std::move(entry.second));
    std::ranges::sort(groups);
    return groups;
}

std::string verdict(const std::string& what, const RankValues& values) {
    const auto groups = alike(values);
    std::string text = what;
    if (groups.size() == 1) {
        text += ": the same on ranks ";
        text += rank_list(groups[0]);
        return text;
    }
    text += ": differs between ranks: ";
    for (std::size_t index = 0; index < groups.size(); ++index) {
        if (index > 0) text += " | ";
        text += rank_list(groups[index]);
    }
    return text;
}

/// Where two schedules part: `collective 3 is A on rank 0 and B on rank 1`.
std::string first_difference(const CollectiveSchedule& left, const CollectiveSchedule& right) {
    const auto [left_at, right_at] = std::ranges::mismatch(left.operators, right.operators);
    auto side = [](const CollectiveSchedule& schedule, auto at) {
        std::string text = at == schedule.operators.end() ? "missing" : *at;
        text += " on rank ";
        text += std::to_string(schedule.rank.value_or(0));
        return text;
    };
    std::string text = "collective ";
    text += std::to_string(left_at - left.operators.begin() + 1);
    text += " is ";
    text += side(left, left_at);
    text += " and ";
    text += side(right, right_at);
    return text;
}

void compare_schedules(const ImportListing& listing, std::vector<std::string>& sentences) {
    std::map<std::string, std::vector<const CollectiveSchedule*>> by_compilation;
    for (const CollectiveSchedule& schedule : listing.schedules) {
        if (schedule.rank) by_compilation[schedule.compile_id].push_back(&schedule);
    }
    for (const auto& [compile_id, schedules] : by_compilation) {
        RankValues values;
        for (const CollectiveSchedule* schedule : schedules) {
            std::string all;
            for (const std::string& name : schedule->operators) all.append(name).append("\n");
            values[*schedule->rank] += all;
        }
        if (values.size() < 2) continue;
        std::string text = verdict("collective schedule of " + compile_id, values);
        for (const CollectiveSchedule* schedule : schedules) {
            if (schedule->operators == schedules.front()->operators) continue;
            text += "; ";
            text += first_difference(*schedules.front(), *schedule);
            break;
        }
        sentences.push_back(std::move(text));
    }
}

}  // namespace

std::vector<std::string> compare_ranks(const ImportListing& listing) {
    std::map<std::string, RankValues> graphs;
    for (const ImportableGraph& graph : listing.graphs) {
        if (graph.rank) graphs[graph.kind + ' ' + graph.compile_id][*graph.rank] += graph.checksum;
    }
    std::vector<std::string> sentences;
    for (const auto& [what, values] : graphs) {
        if (values.size() > 1) sentences.push_back(verdict(what, values));
    }
    compare_schedules(listing, sentences);
    return sentences;
}

}  // namespace overlap
