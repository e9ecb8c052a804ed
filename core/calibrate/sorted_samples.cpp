#include "core/calibrate/sorted_samples.h"

#include <algorithm>

#include "core/cost/compute_class.h"
#include "core/cost/stream_steps.h"
#include "core/cost/with_cost_model.h"
#include "core/pipeline/time_source.h"
#include "core/predict/matrix_products.h"

namespace overlap {
namespace {

NamedCostModel at_full_rates(const NamedCostModel& device) {
    NamedCostModel full_rates = device;
    full_rates.classes.clear();
    full_rates.flops_efficiency = full_rates.memory_efficiency = 1;
    // Collectives are fitted by bytes; any link will do for what is asked for here.
    full_rates.links_of_groups.clear();
    full_rates.links_of_sizes.clear();
    full_rates.cluster.reset();
    full_rates.gpus_per_node = 0;
    full_rates.within_node.reset();
    full_rates.between_nodes = LinkCost{0, 0, 1};
    return full_rates;
}

/// The class by whose efficiency each node is priced: that of products for all that core/predict takes for one.
/// Estimates as traced take products of experts for moved bytes.
std::vector<ComputeClass> priced_classes(const CalibrationRun& run) {
    std::vector<ComputeClass> classes = compute_classes(*run.graph);
    if (!run.compilation) return classes;
    for (NodeId node = 0; node < classes.size(); ++node) {
        if (classes[node] == ComputeClass::memory && matrix_product(*run.graph, node))
            classes[node] = ComputeClass::matrix_multiply;
    }
    return classes;
}

/// Of a kernel of several nodes: the product, where one of them is, else that of all.
ComputeClass class_of(const NodeSample& sample, const std::vector<ComputeClass>& classes) {
    for (const NodeId other : sample.others) {
        if (classes[other] != ComputeClass::memory) return classes[other];
    }
    return classes[sample.node];
}

void add_generated(const CalibrationRun& run, const std::vector<double>& work_ms, SortedSamples& sorted) {
    const GeneratedKernels& generated = run.generated;
    if (generated.modelled == 0 || generated.total_ms <= 0) return;
    const double kernels = generated.modelled;
    MeanKernel mean{kernels, 0, generated.total_ms / kernels};
    for (const NodeId node : generated.nodes) mean.work_ms += work_ms[node] / kernels;
    if (mean.work_ms > 0) sorted.generated.push_back(mean);
}

void add_samples(const CalibrationRun& run, const NamedCostModel& device, const std::vector<double>& known_ms,
                 SortedSamples& sorted) {
    const Graph& graph = *run.graph;
    const std::vector<double> work_ms = work_at_full_rates(run.graph, run.compilation, device);
    const std::vector<ComputeClass> classes = priced_classes(run);
    const StreamSteps steps = stream_steps(graph);
    for (const NodeSample& sample : run.samples) {
        FittedSample fitted{sample.sum(work_ms), sample.time_ms, sample.beside_ms, sample.beside_others_ms,
                            sample.sum(known_ms)};
        const StreamStep& step = steps.of_node[sample.node];
        if (step.kind == StreamStep::Kind::collective) {
            const IssuedCollective& collective = steps.collectives[step.collective];
            const std::string& group = steps.groups[collective.group];
            fitted.work = static_cast<double>(collective.bytes);
            sorted.groups[group].push_back(fitted);
            if (const ProcessGroup* known = graph.header().process_group(group))
                sorted.group_sizes[group] = static_cast<std::int64_t>(known->ranks.size());
        } else if (step.kind == StreamStep::Kind::transfer) {
            fitted.work = static_cast<double>(steps.transfers[step.collective].bytes);
            sorted.transfers.push_back(fitted);
        } else if (const ComputeClass of_sample = class_of(sample, classes); of_sample != ComputeClass::nothing) {
            sorted.classes[std::string(compute_class_name(of_sample))].push_back(fitted);
        }
    }
    add_generated(run, work_ms, sorted);
}

}  // namespace

SortedSamples sorted_samples(std::span<const CalibrationRun> runs, const NamedCostModel& device,
                             std::span<const std::vector<double>> known_ms) {
    SortedSamples sorted;
    for (std::size_t run = 0; run < runs.size(); ++run) add_samples(runs[run], device, known_ms[run], sorted);
    return sorted;
}

std::vector<double> work_at_full_rates(const std::shared_ptr<const Graph>& graph,
                                       const std::optional<Compilation>& compilation, const NamedCostModel& device) {
    const std::shared_ptr<const Graph> priced = with_cost_model(graph, at_full_rates(device)).graph;
    return sourced_times(*priced, modelled_source(false, compilation).get()).times_ms;
}

std::vector<std::string> rows_of_samples(const CalibrationRun& run) {
    const std::vector<ComputeClass> classes = priced_classes(run);
    const StreamSteps steps = stream_steps(*run.graph);
    std::vector<std::string> rows;
    for (const NodeSample& sample : run.samples) {
        const StreamStep& step = steps.of_node[sample.node];
        if (step.kind == StreamStep::Kind::transfer) {
            rows.emplace_back("link host");
        } else if (step.kind == StreamStep::Kind::collective) {
            rows.push_back("group " + steps.groups[steps.collectives[step.collective].group]);
        } else {
            rows.push_back("class " + std::string(compute_class_name(class_of(sample, classes))));
        }
    }
    return rows;
}

}  // namespace overlap
