#include "core/run/rank_measurements.h"

#include <algorithm>
#include <charconv>
#include <iterator>
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
    measurement.exposed_ms = run.exposed_ms();
    for (const NodeMeasurement& node : run.measurements()) measurement.node_ms.emplace_back(node.node, node.median_ms);
    return measurement;
}

std::string measurement_text(const RankMeasurement& measurement) {
    std::string text;
    write_line(measurement.step_ms, text);
    write_line(measurement.exposed_ms, text);
    std::vector<double> nodes;
    for (const auto& [node, time_ms] : measurement.node_ms)
        nodes.insert(nodes.end(), {static_cast<double>(node), time_ms});
    write_line(nodes, text);
    for (const std::vector<double>& times : measurement.collective_ms) write_line(times, text);
    return text;
}

RankMeasurement read_measurement(std::string_view text) {
    std::vector<std::vector<double>> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) throw InputError("measurement of a rank", "the last line has no end");
        lines.push_back(read_line(text.substr(0, end)));
        text.remove_prefix(end + 1);
    }
    constexpr std::size_t of_the_rank = 3;
    if (lines.size() < of_the_rank || lines[2].size() % 2 != 0) {
        throw InputError("measurement of a rank",
                         "expected lines of steps, exposed times and pairs of nodes and times, and one a collective");
    }
    RankMeasurement measurement;
    measurement.step_ms = std::move(lines[0]);
    measurement.exposed_ms = std::move(lines[1]);
    for (std::size_t index = 0; index < lines[2].size(); index += 2) {
        measurement.node_ms.emplace_back(static_cast<NodeId>(lines[2][index]), lines[2][index + 1]);
    }
    measurement.collective_ms.assign(std::make_move_iterator(lines.begin() + of_the_rank),
                                     std::make_move_iterator(lines.end()));
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
