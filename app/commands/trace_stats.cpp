// overlap trace-stats FILE…: compute, communication and idle time in measured traces, per rank and step.

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/arguments/file_arguments.h"
#include "app/commands/command.h"
#include "app/commands/formatting.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/files/ordered_json.h"
#include "core/io/trace_file.h"
#include "core/measure/measurement_problems.h"
#include "core/trace/collective_alignment.h"
#include "core/trace/trace_statistics.h"

namespace overlap::commands {

namespace {

using Json = nlohmann::ordered_json;

struct RankFigures {
    std::string file;
    std::shared_ptr<const MeasuredTrace> trace;
    std::vector<DeviceTimes> devices;
};

double milliseconds(std::int64_t time_ns) {
    return static_cast<double>(time_ns) / 1e6;
}

Json percent_or_null(std::optional<double> percent) {
    return percent ? Json(*percent) : Json(nullptr);
}

void add_times(Json& json, const GpuTimes& times) {
    json["span_ms"] = milliseconds(times.span_ns);
    json["compute_ms"] = milliseconds(times.compute_ns);
    json["communication_ms"] = milliseconds(times.communication_ns);
    json["exposed_ms"] = milliseconds(times.exposed_ns);
    json["memory_ms"] = milliseconds(times.memory_ns);
    json["idle_ms"] = milliseconds(times.idle_ns);
    json["overlap_percent"] = percent_or_null(times.overlap_percent());
    json["gpu_events"] = times.activities;
    json["unmatched_events"] = times.unmatched;
}

Json steps_json(const DeviceTimes& device) {
    Json steps = Json::array();
    for (const StepTimes& step : device.steps) {
        Json entry = {{"name", step.name}, {"counted", step.is_counted}, {"host_ms", milliseconds(step.host_ns)}};
        add_times(entry, step.times);
        steps.push_back(std::move(entry));
    }
    return steps;
}

Json remarks_json(const TraceRemarks& remarks) {
    return {{"missing_durations", remarks.missing_durations},
            {"negative_durations", remarks.negative_durations},
            {"unclosed_begins", remarks.unclosed_begins},
            {"unopened_ends", remarks.unopened_ends},
            {"phases_not_understood", remarks.not_understood},
            {"unreadable_group_ranks", remarks.unreadable_group_ranks},
            {"overlapping_on_a_stream", remarks.overlapping_activities},
            {"starts_before_launch", remarks.starts_before_launch},
            {"gpu_events_without_launch", remarks.activities_without_launch},
            {"launches_without_gpu_event", remarks.launches_without_activity}};
}

Json collectives_json(const MeasuredTrace& trace) {
    struct Sum {
        std::uint64_t count = 0;
        std::int64_t bytes = 0, time_ns = 0;
    };
    std::map<std::pair<std::uint32_t, CollectiveKind>, Sum> sums;
    for (const MeasuredCollective& collective : trace.collectives()) {
        Sum& sum = sums[{collective.group, collective.kind}];
        ++sum.count;
        sum.bytes += std::max(collective.input_bytes, collective.output_bytes);
        sum.time_ns += trace.range(trace.activities()[collective.activity]).length_ns();
    }
    Json list = Json::array();
    for (const auto& [key, sum] : sums) {
        const bool has_group = key.first != no_index;
        const MeasuredGroup group = has_group ? trace.groups()[key.first] : MeasuredGroup();
        list.push_back({{"process_group", has_group ? Json(group.name) : Json(nullptr)},
                        {"description", group.description},
                        {"size", group.size},
                        {"kind", collective_kind_name(key.second)},
                        {"count", sum.count},
                        {"bytes", sum.bytes},
                        {"time_ms", milliseconds(sum.time_ns)}});
    }
    return list;
}

/// The result of HolisticTraceAnalysis, with the communication that its name filter misses; null without GPU events.
Json holistic_json(const MeasuredTrace& trace) {
    const std::optional<HolisticTimes> times = holistic_times(trace);
    if (!times) return nullptr;
    Json missed = Json::array();
    for (const HolisticTimes::Missed& name : times->missed_collectives) {
        missed.push_back({{"name", name.name}, {"events", name.events}});
    }
    return {{"kernel_us", times->kernel_us},
            {"compute_us", times->compute_us},
            {"non_compute_us", times->non_compute_us},
            {"idle_us", times->idle_us},
            {"overlap_percent", percent_or_null(times->overlap_percent)},
            {"missed_collectives", std::move(missed)}};
}

Json rank_json(const RankFigures& figures, const DeviceTimes& device) {
    const MeasuredTrace& trace = *figures.trace;
    Json json = {{"file", figures.file}};
    json["simulated"] = trace.header().is_simulated;
    json["rank"] = trace.header().rank ? Json(*trace.header().rank) : Json(nullptr);
    json["world_size"] = trace.header().world_size ? Json(*trace.header().world_size) : Json(nullptr);
    json["device"] = device.device.empty() ? Json(nullptr) : Json(device.device);
    json["events"] = trace.events().size();
    add_times(json, device.total);
    json["steps"] = steps_json(device);
    json["collectives"] = collectives_json(trace);
    json["remarks"] = remarks_json(trace.remarks());
    json["holistic_trace_analysis"] = holistic_json(trace);
    return json;
}

Json alignment_json(const std::vector<RankFigures>& ranks, const AlignedRanks& aligned) {
    Json json = {{"reference", ranks.front().file}, {"ranks", Json::array()}, {"collectives", Json::array()}};
    for (std::size_t index = 0; index < ranks.size(); ++index) {
        const RankAlignment& rank = aligned.ranks[index];
        json["ranks"].push_back({{"file", ranks[index].file},
                                 {"aligned", rank.is_aligned},
                                 {"clock_offset_ms", milliseconds(rank.clock_offset_ns)},
                                 {"spread_ms", milliseconds(rank.spread_ns)},
                                 {"matched", rank.matched},
                                 {"unmatched", rank.unmatched},
                                 {"arrived_last", rank.arrived_last}});
    }
    for (const CollectiveMatch& match : aligned.matches) {
        json["collectives"].push_back({{"process_group", match.group.name},
                                       {"kind", collective_kind_name(match.kind)},
                                       {"sequence", match.sequence},
                                       {"files", match.members.size()},
                                       {"waiting_ms", milliseconds(match.waiting_ns())},
                                       {"transfer_ms", milliseconds(match.transfer_ns())},
                                       {"last", ranks[match.last_rank].file}});
    }
    return json;
}

std::string rank_name(const MeasuredTrace& trace, const std::string& device) {
    std::string name = trace.header().rank ? "rank " + std::to_string(*trace.header().rank) : "rank unknown";
    return device.empty() ? name : name.append(", GPU ").append(name_text(device));
}

void add_row(TextTable& table, const std::string& name, const GpuTimes& times) {
    table.add({name, milliseconds_text(milliseconds(times.span_ns)), milliseconds_text(milliseconds(times.compute_ns)),
               milliseconds_text(milliseconds(times.communication_ns)),
               milliseconds_text(milliseconds(times.exposed_ns)), percent_text(times.overlap_percent()),
               milliseconds_text(milliseconds(times.idle_ns)), std::to_string(times.unmatched)});
}

/// Steps of a GPU, and names of kernels, that a summary lists.
constexpr std::size_t most_listed = 8;
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

/// @param most names to list.
void write_remarks(std::ostream& out, const MeasuredTrace& trace, std::size_t most) {
    for (const Problem& problem : trace_problems(trace)) {
        // These are told above and below.
        if (problem.kind == ProblemKind::simulated_times_as_measured || problem.kind == ProblemKind::no_gpu_events ||
            problem.kind == ProblemKind::missed_by_holistic_trace_analysis)
            continue;
        out << "  " << severity_name(problem.severity) << ": " << one_line(problem.message) << '\n';
    }
    const std::optional<HolisticTimes> holistic = holistic_times(trace);
    if (!holistic) return;
    const std::size_t names = holistic->missed_collectives.size(), shown = std::min(names, most);
    for (std::size_t index = 0; index < shown; ++index) {
        const HolisticTimes::Missed& missed = holistic->missed_collectives[index];
        out << "  communication that HolisticTraceAnalysis does not count as such: " << name_text(missed.name) << " ("
            << counted(missed.events, "event") << ")\n";
    }
    if (shown < names) out << "  and " << counted(names - shown, "such name") << "; --all lists them\n";
}

/// The first and the last steps of a device, between which the others are counted.
void add_steps(TextTable& table, const DeviceTimes& device, std::size_t most) {
    const std::size_t count = device.steps.size(), ends = count > most ? most / 2 : count;
    for (std::size_t index = 0; index < count; ++index) {
        if (count > most && index == ends) {
            table.add({"  and " + counted(count - 2 * ends, "step") + " between; --all lists them", "", "", "", "", "",
                       "", ""});
            index = count - ends;
        }
        const StepTimes& step = device.steps[index];
        add_row(table, (step.is_counted ? "  " : "  * ") + name_text(step.name), step.times);
    }
}

/// @param most steps of a GPU, and names, to list.
void write_text(std::ostream& out, const std::vector<RankFigures>& ranks, std::size_t most) {
    for (const RankFigures& rank : ranks) {
        out << rank.file << ": " << counted(rank.trace->events().size(), "event")
            << (rank.trace->header().is_simulated ? ", simulated and not measured" : "") << '\n';
        TextTable table({"GPU time", "span", "compute", "communication", "exposed", "overlap", "idle", "unmatched"});
        bool leaves_out = false;
        for (const DeviceTimes& device : rank.devices) {
            add_row(table, rank_name(*rank.trace, device.device), device.total);
            add_steps(table, device, most);
            leaves_out = leaves_out || std::ranges::any_of(device.steps, std::logical_not(), &StepTimes::is_counted);
        }
        if (table.empty()) {
            out << "  no GPU events, so there is nothing to measure"
                << (rank.trace->header().is_simulated ? "\n" : "; was the profiler told to record CUDA?\n");
        } else {
            table.write(out);
        }
        if (leaves_out) out << "  * not in the rank's figures: the recording may have cut off its GPU events\n";
        write_remarks(out, *rank.trace, most);
    }
}

void write_text(std::ostream& out, const std::vector<RankFigures>& ranks, const AlignedRanks& aligned) {
    out << "clocks, by " << counted(aligned.matches.size(), "collective") << " that several files have\n";
    TextTable table({"file", "offset", "spread", "matched", "unmatched", "last to arrive"});
    for (std::size_t index = 0; index < ranks.size(); ++index) {
        const RankAlignment& rank = aligned.ranks[index];
        table.add({ranks[index].file,
                   rank.is_aligned ? milliseconds_text(milliseconds(rank.clock_offset_ns)) : "unknown",
                   rank.is_aligned ? milliseconds_text(milliseconds(rank.spread_ns)) : "unknown",
                   std::to_string(rank.matched), std::to_string(rank.unmatched), std::to_string(rank.arrived_last)});
    }
    table.write(out);
}

class TraceStats final : public Command {
  public:
    CLI::App* declare(CLI::App& parser) override {
        CLI::App* command = parser.add_subcommand(
            "trace-stats", "Compute, communication, exposed and idle time of measured traces, per rank and step.");
        reads(command->add_option("FILE", files_, "Kineto or Chrome trace (JSON), plain or gzip; one for each rank"))
            ->required();
        command->add_flag("--all", all_,
                          "list every step and every name, where a summary would be longer than a screen");
        command->add_flag("--json", json_, "print JSON, which has everything");
        return command;
    }

    void run(const Streams& streams) override {
        std::vector<RankFigures> ranks;
        std::vector<std::shared_ptr<const MeasuredTrace>> traces;
        for (const std::string& file : files_) {
            RankFigures& rank = ranks.emplace_back();
            rank.file = file;
            rank.trace = read_trace_file(file);
            rank.devices = device_times(*rank.trace);
            traces.push_back(rank.trace);
        }
        std::optional<AlignedRanks> aligned;
        if (ranks.size() > 1) aligned = align_ranks(traces);
        if (!json_) {
            write_text(streams.out, ranks, all_ ? no_limit : most_listed);
            if (aligned) write_text(streams.out, ranks, *aligned);
            return;
        }
        Json json = {{"ranks", Json::array()}};
        for (const RankFigures& rank : ranks) {
            // A rank without GPU events has figures too: zeros, so that no file is missing from the list.
            for (const DeviceTimes& device : rank.devices) json["ranks"].push_back(rank_json(rank, device));
            if (rank.devices.empty()) json["ranks"].push_back(rank_json(rank, {}));
        }
        if (aligned) json["alignment"] = alignment_json(ranks, *aligned);
        streams.out << json_text(json) << '\n';
    }

  private:
    std::vector<std::string> files_;
    bool all_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_trace_stats() {
    return std::make_unique<TraceStats>();
}

}  // namespace overlap::commands
