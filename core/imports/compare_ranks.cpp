#include <algorithm>
#include <compare>
#include <filesystem>
#include <map>
#include <set>

#include "core/imports/import_source.h"

namespace overlap {
namespace {

/// Who says something: a rank, and its file where several files claim that rank.
struct Source {
    std::int64_t rank = 0;
    std::string file;

    auto operator<=>(const Source&) const = default;
    std::string text() const {
        std::string text = std::to_string(rank);
        if (!file.empty()) text.append(" (").append(std::filesystem::path(file).filename().string()).append(")");
        return text;
    }
};

using RankValues = std::map<Source, std::string>;

/// `0, 2`
std::string source_list(const std::vector<Source>& sources) {
    std::string text;
    for (const Source& source : sources) {
        if (!text.empty()) text += ", ";
        text += source.text();
    }
    return text;
}

/// Ranks that have the same value, in groups by their first rank.
std::vector<std::vector<Source>> alike(const RankValues& values) {
    std::map<std::string, std::vector<Source>> by_value;
    for (const auto& [source, value] : values) by_value[value].push_back(source);
    std::vector<std::vector<Source>> groups;
    for (auto& entry : by_value) groups.push_back(std::move(entry.second));
    std::ranges::sort(groups);
    return groups;
}

std::string verdict(const std::string& what, const RankValues& values) {
    const auto groups = alike(values);
    std::string text = what;
    if (groups.size() == 1) {
        text += ": the same on ranks ";
        text += source_list(groups[0]);
        return text;
    }
    text += ": differs between ranks: ";
    for (std::size_t index = 0; index < groups.size(); ++index) {
        if (index > 0) text += " | ";
        text += source_list(groups[index]);
    }
    return text;
}

/// The files that a listing has of each rank.
class RankFiles {
  public:
    explicit RankFiles(const ImportListing& listing) {
        for (const ImportableGraph& graph : listing.graphs) add(graph.rank, graph.file);
        for (const CollectiveSchedule& schedule : listing.schedules) add(schedule.rank, schedule.file);
    }

    Source source(std::int64_t rank, const std::string& file) const {
        return {rank, files_.at(rank).size() > 1 ? file : std::string()};
    }

    void add_shared_ranks(std::vector<std::string>& sentences) const {
        for (const auto& [rank, files] : files_) {
            if (files.size() < 2) continue;
            std::string text = "several files are of rank ";
            text += std::to_string(rank);
            text += " and are compared one by one: ";
            for (const std::string& file : files) {
                if (file != *files.begin()) text += ", ";
                text += file;
            }
            sentences.push_back(std::move(text));
        }
    }

  private:
    void add(std::optional<std::int64_t> rank, const std::string& file) {
        if (rank) files_[*rank].insert(file);
    }

    std::map<std::int64_t, std::set<std::string>> files_;
};

/// Where two schedules part: `collective 3 is A on rank 0 and B on rank 1`; with their lengths where these differ.
std::string first_difference(const CollectiveSchedule& left, const CollectiveSchedule& right, const RankFiles& files) {
    const auto [left_at, right_at] = std::ranges::mismatch(left.operators, right.operators);
    const bool has_lengths = left.operators.size() != right.operators.size();
    auto side = [&](const CollectiveSchedule& schedule, auto at) {
        std::string text = at == schedule.operators.end() ? "missing" : *at;
        text += " on rank ";
        text += files.source(schedule.rank.value_or(0), schedule.file).text();
        if (has_lengths) text.append(" (").append(std::to_string(schedule.operators.size())).append(" in all)");
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

void compare_schedules(const ImportListing& listing, const RankFiles& files, std::vector<std::string>& sentences) {
    std::map<std::string, std::vector<const CollectiveSchedule*>> by_compilation;
    for (const CollectiveSchedule& schedule : listing.schedules) {
        if (schedule.rank) by_compilation[schedule.compile_id].push_back(&schedule);
    }
    for (const auto& [compile_id, schedules] : by_compilation) {
        RankValues values;
        for (const CollectiveSchedule* schedule : schedules) {
            std::string all;
            for (const std::string& name : schedule->operators) all.append(name).append("\n");
            values[files.source(*schedule->rank, schedule->file)] += all;
        }
        if (values.size() < 2) continue;
        std::string text = verdict("collective schedule of " + compile_id, values);
        for (const CollectiveSchedule* schedule : schedules) {
            if (schedule->operators == schedules.front()->operators) continue;
            text += "; ";
            text += first_difference(*schedules.front(), *schedule, files);
            break;
        }
        sentences.push_back(std::move(text));
    }
}

}  // namespace

std::vector<std::string> compare_ranks(const ImportListing& listing) {
    const RankFiles files(listing);
    std::vector<std::string> sentences;
    files.add_shared_ranks(sentences);
    std::map<std::string, RankValues> graphs;
    for (const ImportableGraph& graph : listing.graphs) {
        if (graph.rank) graphs[graph.name()][files.source(*graph.rank, graph.file)] += graph.digest;
    }
    for (const auto& [what, values] : graphs) {
        if (values.size() > 1) sentences.push_back(verdict(what, values));
    }
    compare_schedules(listing, files, sentences);
    return sentences;
}

}  // namespace overlap
