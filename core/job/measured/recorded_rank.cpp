#include "core/job/measured/recorded_rank.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/error.h"
#include "core/base/wording.h"
#include "core/trace/gpu_steps.h"

namespace overlap::job {

namespace {

/// An annotation that names an action, on the host's clock.
struct Annotation {
    std::string name;
    std::vector<Action> cell;
    TimeRange host;
};

/// What was launched, and when it ran.
struct Work {
    TimeRange time;
    std::int64_t launch_ns = 0;
    bool launched = false;    ///< `launch_ns` is known
    bool computes = false;    ///< else it communicates
    std::string_view kind{};  ///< of communication
};

std::vector<Action> cell_of(std::string_view text) {
    ActionRow row;
    try {
        add_cell(row, text);
    } catch (const InputError&) {
        return {};  // an annotation of somebody else
    }
    if (row.size() != 1) return {};
    return {row[0].begin(), row[0].end()};
}

/// The cell that an annotation names; empty for other annotations.
std::vector<Action> annotated_cell(std::string_view name, std::int32_t one_stage) {
    if (name.starts_with("PP:")) return cell_of(name.substr(3));
    for (const auto& [word, kind] : {std::pair<std::string_view, ActionKind>("Forward ", ActionKind::forward),
                                     std::pair<std::string_view, ActionKind>("Backward ", ActionKind::full_backward)}) {
        if (one_stage < 0 || !name.starts_with(word)) continue;
        const std::string_view number = name.substr(word.size());
        std::int32_t microbatch = 0;
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), microbatch);
        if (error == std::errc() && end == number.data() + number.size() && microbatch >= 0)
            return {{one_stage, microbatch, kind}};
    }
    return {};
}

/// `all_reduce` of `gloo:all_reduce`; empty for what is no communication of a host.
std::string_view host_communication(std::string_view name) {
    for (const std::string_view backend : {"gloo:", "nccl:", "mpi:", "ucc:", "xccl:"})
        if (name.starts_with(backend)) return name.substr(backend.size());
    return {};
}

class Recording {
  public:
    Recording(const MeasuredTrace& trace, std::int32_t one_stage) : trace_(trace), events_(trace.events()) {
        for (std::uint32_t event = 0; event < events_.size(); ++event) {
            if (!events_.is_interval(event) || trace.category(event) != EventCategory::user_annotation) continue;
            std::vector<Action> cell = annotated_cell(trace.name(event), one_stage);
            if (cell.empty()) continue;
            std::string name = cell_text(cell);
            annotations_.push_back({std::move(name), std::move(cell), events_.range(event)});
        }
        std::ranges::stable_sort(annotations_, {}, [](const Annotation& of) { return of.host.begin_ns; });
    }

    std::vector<RecordedStep> run() {
        trace_.activities().empty() ? collect_host() : collect_gpu();
        std::vector<RecordedStep> steps;
        for (auto& [step, works] : works_) steps.push_back(recorded(step, works));
        return steps;
    }

  private:
    void collect_gpu() {
        const std::vector<std::uint32_t> steps = steps_of_activities(trace_);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const GpuActivity& activity = trace_.activities()[i];
            const bool communicates = activity.work == GpuWork::communication;
            if (activity.work != GpuWork::compute && !communicates) continue;
            Work work;
            work.time = trace_.range(activity);
            work.launched = activity.launch != no_index;
            if (work.launched) work.launch_ns = events_.start_ns[activity.launch];
            work.computes = !communicates;
            if (communicates) {
                const CollectiveKind kind = trace_.collectives()[activity.collective].kind;
                work.kind = kind == CollectiveKind::none ? "communication" : collective_kind_name(kind);
            }
            add(steps[i], work);
        }
    }

    void collect_host() {
        for (std::uint32_t event = 0; event < events_.size(); ++event) {
            if (!events_.is_interval(event)) continue;
            const std::string_view name = trace_.name(event);
            Work work;
            work.time = events_.range(event);
            work.launch_ns = work.time.begin_ns;
            work.launched = true;
            work.kind = host_communication(name);
            // Of what only hands communication over, the time is no compute.
            work.computes = trace_.category(event) == EventCategory::cpu_op && work.kind.empty() &&
                            !name.starts_with("c10d::") && name != "record_param_comms";
            if (!work.computes && work.kind.empty()) continue;
            add(step_at(trace_.steps(), work.launch_ns), work);
        }
    }

    void add(std::uint32_t step, const Work& work) {
        if (!trace_.steps().empty() && step >= first_step_left_out(trace_)) return;
        works_[trace_.steps().empty() ? 0 : step].push_back(work);
    }

    /// The innermost that holds; null where none does.
    const Annotation* annotation_at(std::int64_t host_ns) const {
        auto found =
            std::ranges::upper_bound(annotations_, host_ns, {}, [](const Annotation& of) { return of.host.begin_ns; });
        // They are as deep as a cell of several actions: two.
        for (int depth = 0; found != annotations_.begin() && depth < 3; ++depth)
            if ((--found)->host.end_ns > host_ns) return &*found;
        return nullptr;
    }

    RecordedStep recorded(std::uint32_t number, std::vector<Work>& works) const {
        RecordedStep step;
        if (!trace_.steps().empty()) step.name = trace_.steps()[number].name;
        std::ranges::stable_sort(works, {}, [](const Work& work) { return work.time.begin_ns; });
        std::vector<TimeRange> computing, communicating, of_no_action;
        std::map<const Annotation*, TimeRange> times;
        for (const Work& work : works) {
            const Annotation* action = work.launched ? annotation_at(work.launch_ns) : nullptr;
            (work.computes ? computing : communicating).push_back(work.time);
            if (!work.computes) {
                step.communication.push_back(
                    {std::string(work.kind), action ? action->name : std::string(), work.time});
            } else if (!action) {
                of_no_action.push_back(work.time);
            } else if (const auto [found, first] = times.emplace(action, work.time); !first) {
                found->second.begin_ns = std::min(found->second.begin_ns, work.time.begin_ns);
                found->second.end_ns = std::max(found->second.end_ns, work.time.end_ns);
            }
        }
        step.computing = IntervalUnion(std::move(computing));
        step.communicating = IntervalUnion(std::move(communicating));
        step.of_no_action = IntervalUnion(std::move(of_no_action));
        const SpanSums busy(step.computing);
        for (const auto& [annotation, time] : times)
            step.actions.push_back({annotation->name, annotation->cell, time, time.length_ns() - busy.within_ns(time)});
        std::ranges::stable_sort(step.actions, {}, [](const RecordedAction& action) { return action.time.begin_ns; });
        // Starts and lengths are rounded each by itself.
        for (std::size_t i = 1; i < step.actions.size(); ++i) {
            std::int64_t& end_ns = step.actions[i - 1].time.end_ns;
            const std::int64_t next_ns = step.actions[i].time.begin_ns;
            if (end_ns > next_ns && end_ns <= next_ns + rounding_ns) end_ns = next_ns;
        }
        return step;
    }

    const MeasuredTrace& trace_;
    const MeasuredEvents& events_;
    std::vector<Annotation> annotations_;
    std::map<std::uint32_t, std::vector<Work>> works_;  ///< of each step
};

}  // namespace

std::int64_t rank_of_trace(const MeasuredTrace& trace, const std::string& file) {
    if (!trace.header().rank)
        throw InputError(
            file, "",
            "does not say which rank it is of: a job takes a file of PyTorch's profiler for each rank, which says "
            "so under \"distributedInfo\"");
    return *trace.header().rank;
}

RecordedRank recorded_rank(const MeasuredTrace& trace, const std::string& file, std::int32_t one_stage) {
    RecordedRank rank;
    rank.file = file;
    rank.rank = rank_of_trace(trace, file);
    rank.world_size = trace.header().world_size;
    std::set<std::string_view> devices;
    for (const GpuActivity& activity : trace.activities())
        devices.insert(trace.tracks()[trace.events().track[activity.event]].process);
    if (devices.size() > 1)
        throw InputError(file, "",
                         "expected the activities of one GPU, found those of " + counted(devices.size(), "GPU"));
    rank.steps = Recording(trace, one_stage).run();
    if (rank.steps.empty()) throw InputError(file, "", "has no compute and no communication of a whole step");
    return rank;
}

}  // namespace overlap::job
