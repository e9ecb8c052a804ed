#include "core/job/rank_texts.h"

namespace overlap::job {

std::string ranks_text(const std::vector<std::int64_t>& ranks, std::size_t most) {
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < ranks.size() && i < most; ++i)
        text.append(i ? ", " : "").append(std::to_string(ranks[i]));
    if (ranks.size() > most) text += " and " + std::to_string(ranks.size() - most) + " more";
    return text;
}

std::map<std::uint32_t, std::vector<std::int64_t>> ranks_of_classes(const JobResult& result) {
    std::map<std::uint32_t, std::vector<std::int64_t>> ranks;
    for (const RankResult& rank : result.ranks) ranks[rank.figures].push_back(rank.rank);
    return ranks;
}

}  // namespace overlap::job
