#include "core/run/rank_measurements.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/statistics.h"

namespace overlap {

namespace {

/// One line: the numbers, each in the fewest digits that read back as it.
void write_line(const std::vector<double>& values, std::string& text) {
    for (const double value : values) {
        text += shortest_text(value);
        text += ' ';
    }
    text += '\n';
}

std::vector<double> read_line(std::string_view line) {
    std::vector<double> values;
    const char* at = line.data();
    const char* const end = at + line.size();
    while (at != end) {
        double value = 0;
        const auto [after, status] = std::from_chars(at, end, value);
        if (status != std::errc() || after == end || *after != ' ') {
            throw InputError("measurement of a rank", "expected numbers, each with a space behind it");
        }
        values.push_back(value);
        at = after + 1;
    }
    return values;
}

/// The shortest time of all members in each step; nothing where one has not recorded as many steps.
std::optional<std::vector<double>> own_times(std::uint32_t collective, const std::vector<int>& members,
                                             const std::vector<RankMeasurement>& ranks, std::size_t steps) {
    std::vector<double> own;
    for (const int member : members) {
        const auto& recorded = ranks[static_cast<std::size_t>(member)].collective_ms;
        if (collective >= recorded.size() || recorded[collective].size() != steps) return std::nullopt;
        const std::vector<double>& times = recorded[collective];
        if (own.empty()) own = times;
        for (std::size_t step = 0; step < steps; ++step) own[step] = std::min(own[step], times[step]);
    }
    return own;
}

}  // namespace

RankMeasurement rank_measurement(const Program& program, const MeasuredRun& run, std::vector<double> step_ms) {
    RankMeasurement measurement;
    measurement.step_ms = std::move(step_ms);
    for (const CollectiveWork& work : program.collectives) {
        measurement.collective_ms.push_back(run.times_of(work.node));
    }
    return measurement;
}

std::string measurement_text(const RankMeasurement& measurement) {
    std::string text;
    write_line(measurement.step_ms, text);
    for (const std::vector<double>& times : measurement.collective_ms) write_line(times, text);
    return text;
}

RankMeasurement read_measurement(std::string_view text) {
    RankMeasurement measurement;
    bool first = true;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) throw InputError("measurement of a rank", "the last line has no end");
        std::vector<double> values = read_line(text.substr(0, end));
        text.remove_prefix(end + 1);
        if (std::exchange(first, false)) {
            measurement.step_ms = std::move(values);
        } else {
            measurement.collective_ms.push_back(std::move(values));
        }
    }
    if (first) throw InputError("measurement of a rank", "expected a line of steps and one a collective");
    return measurement;
}

std::vector<AlignedCollective> align_collectives(const Program& program, const std::vector<GroupPlacement>& placements,
                                                 const std::vector<RankMeasurement>& ranks, int rank) {
    std::vector<AlignedCollective> aligned;
    const RankMeasurement& mine = ranks[static_cast<std::size_t>(rank)];
    for (std::uint32_t index = 0; index < program.collectives.size() && index < mine.collective_ms.size(); ++index) {
        const GroupPlacement& placement = placements[program.collectives[index].group];
        const std::vector<double>& times = mine.collective_ms[index];
        if (!placement.real || placement.members.size() < 2 || times.empty()) continue;
        const auto own = own_times(index, placement.members, ranks, times.size());
        if (!own) continue;
        std::vector<double> waits;
        for (std::size_t step = 0; step < times.size(); ++step) waits.push_back(times[step] - (*own)[step]);
        const auto [least, most] = std::minmax_element(own->begin(), own->end());
        aligned.push_back({index, median(*own), *least, *most, median(std::move(waits))});
    }
    return aligned;
}

}  // namespace overlap
