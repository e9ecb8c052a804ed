#include "core/calibrate/calibration_run.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/cost/compute_class.h"
#include "core/cost/profile_guided_times.h"
#include "core/predict/compiled_times.h"
#include "core/simulate/simulation.h"
#include "core/timeline/interval_union.h"

namespace overlap {

namespace {

constexpr double ns_per_ms = 1e6;

TimeRange range_of(double start_ms, double end_ms) {
    return {nanoseconds(start_ms), nanoseconds(end_ms)};
}

/// What runs when, by the stream model.
class Overlaps {
  public:
    Overlaps(const Graph& graph, const std::vector<double>& times_ms)
        : simulation_(simulate(graph, times_ms)), groups_(simulation_.groups.size()) {
        std::vector<TimeRange> compute;
        std::vector<std::vector<TimeRange>> of_group(simulation_.groups.size());
        std::vector<bool> waits(graph.node_count());
        for (const TransferTiming& timing : simulation_.transfers) {
            if (timing.wait != no_node) waits[timing.wait] = true;
        }
        for (const CollectiveTiming& timing : simulation_.collectives) {
            of_group[timing.group].push_back(range_of(timing.start_ms, timing.end_ms));
            if (timing.wait != no_node) waits[timing.wait] = true;
        }
        for (NodeId node = 0; node < graph.node_count(); ++node) {
            if (times_ms[node] > 0 && !waits[node] && simulation_.on_compute(node))
                compute.push_back(range_of(simulation_.nodes[node].start_ms, simulation_.nodes[node].end_ms));
        }
        compute_ = IntervalUnion(std::move(compute));
        std::vector<TimeRange> all;
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            all.insert(all.end(), of_group[group].begin(), of_group[group].end());
            groups_[group] = IntervalUnion(std::move(of_group[group]));
        }
        communication_ = IntervalUnion(std::move(all));
    }

    void fill(NodeSample& sample) const {
        const NodeTiming& timing = simulation_.nodes[sample.node];
        const TimeRange range = range_of(timing.start_ms, timing.end_ms);
        const std::int32_t collective = simulation_.collective_of_node[sample.node];
        const IntervalUnion& beside = collective < 0 ? communication_ : compute_;
        sample.beside_ms = static_cast<double>(overlap_ns(range, beside)) / ns_per_ms;
        if (collective < 0) return;
        for (std::size_t group = 0; group < groups_.size(); ++group) {
            if (group != simulation_.collectives[static_cast<std::size_t>(collective)].group)
                sample.beside_others_ms += static_cast<double>(overlap_ns(range, groups_[group])) / ns_per_ms;
        }
    }

    double exposed_ms() const { return simulation_.exposed_ms; }

  private:
    Simulation simulation_;
    IntervalUnion compute_, communication_;
    std::vector<IntervalUnion> groups_;
};

/// Jobs have a few collectives of their own beside those of the graph, and a trace may lack a few: beyond this share
/// of either side, it is probably another plan that ran.
constexpr double usual_share_without_partner = 0.05;

/// How many collectives of the trace or the graph have no partner, where these are more than usual; else empty.
std::string difference_from_plan(const MeasuredComparison& comparison) {
    const auto unusual = [&](std::uint32_t without_partner) {
        const std::uint32_t all = comparison.matching.pairs + without_partner;
        return without_partner > usual_share_without_partner * all;
    };
    if (!unusual(comparison.only_measured) && !unusual(comparison.only_planned)) return {};
    const auto part = [&](std::uint32_t without_partner) {
        return std::to_string(without_partner) + " of " + std::to_string(comparison.matching.pairs + without_partner);
    };
    return part(comparison.only_measured) + " collectives of the trace are not in the graph with its plan, and " +
           part(comparison.only_planned) + " of that graph are not in the trace";
}

/// Inductor's kernels but its templates, which are products and attention.
bool is_generated_kernel(std::string_view name) {
    return name.starts_with("triton_") && !name.starts_with("triton_tem_");
}

/// The kernels in the measured step that a compiler wrote.
void measure_generated(const MeasuredStepData& step, GeneratedKernels& generated) {
    const MeasuredTrace& trace = *step.trace;
    for (const GpuActivity& activity : trace.activities()) {
        const TimeRange range = trace.range(activity);
        const std::string& device = trace.tracks()[trace.events().track[activity.event]].process;
        if (activity.work != GpuWork::compute || device != step.device ||
            !is_generated_kernel(trace.name(activity.event)))
            continue;
        if (range.begin_ns < step.span.begin_ns || range.end_ns > step.span.end_ns) continue;
        ++generated.measured;
        generated.total_ms += static_cast<double>(range.length_ns()) / ns_per_ms;
    }
}

GeneratedKernels generated_kernels(const MeasuredStepData& step, const CompiledTimes& compiled) {
    GeneratedKernels generated;
    for (NodeId node = 0; node < compiled.generated.size(); ++node)
        if (compiled.generated[node] && compiled.times_ms[node] > 0) generated.nodes.push_back(node);
    for (const FusedKernel& kernel : compiled.kernels.kernels)
        generated.modelled += compiled.generated[kernel.nodes.front()];
    measure_generated(step, generated);
    return generated;
}

}  // namespace

double NodeSample::sum(const std::vector<double>& of_node) const {
    double all = of_node[node];
    for (const NodeId other : others) all += of_node[other];
    return all;
}

CalibrationRun run_of_runner(std::string name, std::shared_ptr<const Graph> graph, const RunnerTimes& times) {
    CalibrationRun run;
    run.name = std::move(name);
    run.step_ms = times.step_ms;
    run.device = times.device;
    run.versions = times.versions;
    std::map<std::string_view, NodeSample> kernels;  // of several nodes, by the node with which they are launched
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        const auto measured = times.node_ms.find(graph->name(node));
        if (measured == times.node_ms.end() || measured->second <= 0) continue;
        const auto kernel = times.kernel_of_node.find(graph->name(node));
        if (kernel == times.kernel_of_node.end()) {
            run.samples.push_back({.node = node, .time_ms = measured->second, .beside_ms = {}});
            continue;
        }
        NodeSample& sample = kernels[kernel->second];
        if (kernel->second == graph->name(node)) {
            sample.node = node;
        } else {
            sample.others.push_back(node);
        }
        sample.time_ms += measured->second;
    }
    for (auto& [launched_with, sample] : kernels) {
        if (sample.node == no_node)
            throw InputError(run.name, "nodes",
                             "the kernel " + in_quotes(launched_with) + " is of no node with a time");
        run.samples.push_back(std::move(sample));
    }
    std::ranges::sort(run.samples, {}, &NodeSample::node);
    if (run.samples.empty()) throw InputError(run.name, "nodes", "no node of the graph has a time there");
    std::vector<double> times_ms(graph->node_count());
    for (const NodeSample& sample : run.samples) times_ms[sample.node] = sample.time_ms;
    const Overlaps overlaps(*graph, times_ms);
    for (NodeSample& sample : run.samples) overlaps.fill(sample);
    run.exposed_ms = times.exposed_ms ? *times.exposed_ms : overlaps.exposed_ms();
    run.compilation = Compilation{.scope = times.compiled};
    run.as_traced = times.compiled == CompiledScope::eager;
    run.graph = std::move(graph);
    return run;
}

CalibrationRun run_of_trace(std::string name, const MeasuredComparison& comparison, const ProfileTables& profile) {
    const Evaluation& evaluation = *comparison.evaluation;
    const std::size_t planned = evaluation.simulation.collectives.size();
    const std::string found =
        std::to_string(comparison.matching.pairs) + " of " + std::to_string(planned) + " collectives of the graph";
    if (comparison.matching.pairs * 2 < planned) {
        throw InputError(name, "", "only " + found + " are in the trace, so it is of another job or another plan");
    }
    CalibrationRun run;
    run.name = std::move(name);
    run.graph = evaluation.graph;
    run.step_ms = static_cast<double>(comparison.step.span.length_ns()) / ns_per_ms;
    run.exposed_ms = static_cast<double>(comparison.step.exposed_ns) / ns_per_ms;
    const MeasuredTrace& trace = *comparison.step.trace;
    if (!trace.header().devices.empty()) run.device = trace.header().devices.front();
    for (const CollectiveComparison& row : comparison.rows) {
        if (!row.is_matched() || row.measured_ms <= 0) continue;
        const StepCollective& measured = comparison.step.collectives[row.measured];
        NodeSample sample;
        sample.node = evaluation.simulation.collectives[row.planned].start;
        // A rank that came early has waited in the kernel for the others, which is no property of the link.
        sample.time_ms = row.measured_ms - row.late_peer_ms;
        sample.beside_ms = static_cast<double>(measured.beside_compute_ns) / ns_per_ms;
        sample.beside_others_ms = static_cast<double>(measured.beside_others_ns) / ns_per_ms;
        if (sample.time_ms > 0) run.samples.push_back(sample);
    }
    const std::size_t communicating = run.samples.size();
    if (evaluation.time_source) run.compilation = evaluation.time_source->compilation;
    std::vector<bool> generated(evaluation.graph->node_count());
    if (run.compilation) {
        const CompiledTimes compiled = compiled_times(*evaluation.graph, *run.compilation);
        run.generated = generated_kernels(comparison.step, compiled);
        generated = compiled.generated;
    }
    const ProfileGuidedEstimator estimator(*evaluation.graph, profile);
    for (NodeId node = 0; node < evaluation.graph->node_count(); ++node) {
        // An operator that the trace has by itself is not the part of a kernel that has the same name.
        if (evaluation.simulation.collective_of_node[node] >= 0 || generated[node]) continue;
        const std::optional<double> time_ms = estimator.time_ms(node);
        if (time_ms && *time_ms > 0) run.samples.push_back({.node = node, .time_ms = *time_ms, .beside_ms = {}});
    }
    if (comparison.step.trace->header().is_simulated)
        run.notes.push_back("caution: the trace " + run.name +
                            " was simulated and not measured, so the model is fitted to a prediction");
    if (const std::string difference = difference_from_plan(comparison); !difference.empty())
        run.notes.push_back("caution: the trace " + run.name + " may be of another plan: " + difference);
    run.notes.push_back("the trace " + run.name + " has times of " + found + " and of " +
                        std::to_string(run.samples.size() - communicating) + " other nodes");
    if (run.generated.modelled > 0)
        run.notes.push_back("the trace " + run.name + " has " + counted(run.generated.measured, "kernel") +
                            " that the compiler wrote, and the model makes " + std::to_string(run.generated.modelled) +
                            "; they are compared as a sum");
    return run;
}

CalibrationRun run_of_ranks(std::string name, const std::shared_ptr<const Evaluation>& ran,
                            std::span<const std::shared_ptr<const MeasuredTrace>> traces, const AlignedRanks& aligned,
                            const ProfileTables& profile) {
    const MeasuredComparison comparison =
        compare_with_measurement(ran, measured_step(traces.front()), {.ranks = &aligned, .own = 0});
    CalibrationRun run = run_of_trace(std::move(name), comparison, profile);
    if (traces.size() > 1)
        run.notes.push_back("the traces of " + counted(traces.size() - 1, "other rank") + " tell how long " + run.name +
                            " waited for them; nothing else of them is fitted");
    return run;
}

}  // namespace overlap
