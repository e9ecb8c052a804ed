#include "core/imports/log_rank.h"

#include <charconv>

namespace overlap {

std::optional<std::int64_t> rank_of_file_name(std::string_view path) {
    constexpr std::string_view mark = "rank_";
    const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
    for (std::size_t begin = name.rfind(mark); begin != std::string_view::npos; begin = name.rfind(mark, begin - 1)) {
        const std::string_view digits = name.substr(begin + mark.size());
        std::int64_t rank = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
        const std::string_view rest = digits.substr(static_cast<std::size_t>(end - digits.data()));
        const bool begins_word = begin == 0 || name[begin - 1] == '_' || name[begin - 1] == '-' ||
                                 name[begin - 1] == '.' || name[begin - 1] == ' ';
        const bool ends_word = rest.empty() || rest[0] == '_' || rest[0] == '.';
        if (begins_word && ends_word && error == std::errc() && rank >= 0) return rank;
        if (begin == 0) break;
    }
    return std::nullopt;
}

std::optional<std::int64_t> LogRank::of_record(std::optional<std::int64_t> record_rank) const {
    return has_several && record_rank ? record_rank : rank;
}

LogRank rank_of_log(std::string_view path, const std::set<std::int64_t>& record_ranks) {
    LogRank log;
    log.rank = rank_of_file_name(path);
    log.has_several = record_ranks.size() > 1;
    if (log.has_several || record_ranks.empty()) return log;
    const std::int64_t told = *record_ranks.begin();
    if (log.rank && *log.rank != told) {
        log.note = "its records say rank ";
        log.note += std::to_string(told);
        log.note += " and its name says rank ";
        log.note += std::to_string(*log.rank);
        log.note += "; the name's is taken";
    } else {
        log.rank = told;
    }
    return log;
}

}  // namespace overlap
