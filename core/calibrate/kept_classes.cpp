#include "core/calibrate/kept_classes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/calibrate/sorted_samples.h"
#include "core/cost/compute_class.h"
#include "core/pipeline/time_source.h"

namespace overlap {
namespace {

/// Less is rounding.
constexpr double least_change = 0.001;

/// The nodes of one class in all runs that took time before.
struct OwnTimes {
    std::vector<double> work_ms, own_ms;
    double sum_ms() const {
        double sum = 0;
        for (const double time_ms : own_ms) sum += time_ms;
        return sum;
    }
};

/// The line of the class, priced for each node, beside its own times.
struct Change {
    double sum_ms = 0;       ///< of all nodes by the line
    double of_one_node = 0;  ///< the largest share by which a node changes
};

Change change_of(const OwnTimes& times, const CostParameters::ClassCost& line) {
    Change change;
    for (std::size_t node = 0; node < times.own_ms.size(); ++node) {
        const double time_ms = line.overhead_ms + times.work_ms[node] / line.efficiency;
        change.sum_ms += time_ms;
        change.of_one_node = std::max(change.of_one_node, std::abs(time_ms / times.own_ms[node] - 1));
    }
    return change;
}

/// The efficiency that keeps the sum, with the overhead that the class had where that leaves time for work.
CostParameters::ClassCost keeping_the_sum(const OwnTimes& times, double overhead_ms) {
    double work_ms = 0;
    for (const double of_node : times.work_ms) work_ms += of_node;
    const double all_overheads_ms = overhead_ms * static_cast<double>(times.own_ms.size());
    if (all_overheads_ms >= times.sum_ms() / 2) return {work_ms / times.sum_ms(), 0};
    return {work_ms / (times.sum_ms() - all_overheads_ms), overhead_ms};
}

std::map<std::string, OwnTimes> own_times(std::span<const CalibrationRun> runs, const NamedCostModel& device) {
    std::map<std::string, OwnTimes> times;
    for (const CalibrationRun& run : runs) {
        const std::vector<double> own_ms =
            sourced_times(*run.graph, modelled_source(false, run.compilation_of_own_times()).get()).times_ms;
        const std::vector<double> work_ms = work_at_full_rates(run.graph, run.compilation_of_own_times(), device);
        const std::vector<ComputeClass> classes = compute_classes(*run.graph);
        for (NodeId node = 0; node < run.graph->node_count(); ++node) {
            const ComputeClass of_node = classes[node];
            if (std::ranges::find(computing_classes, of_node) == computing_classes.end()) continue;
            if (own_ms[node] <= 0 || work_ms[node] <= 0) continue;
            OwnTimes& of_class = times[std::string(compute_class_name(of_node))];
            of_class.work_ms.push_back(work_ms[node]);
            of_class.own_ms.push_back(own_ms[node]);
        }
    }
    return times;
}

std::string sentence_on(const std::string& name, const OwnTimes& times, const CostParameters::ClassCost& kept,
                        const Change& before) {
    const Change after = change_of(times, kept);
    const std::string nodes = counted(times.own_ms.size(), "node");
    if (after.of_one_node < least_change)
        return "no run determines " + name + ", whose times stay as they were, those of " + nodes;
    std::string text = "no run determines " + name + ": its " + nodes + " had times of their own, " +
                       milliseconds_text(times.sum_ms()) + " together, and the model keeps this sum with " +
                       percent_text(kept.efficiency * 100) + " of full rates for all; single nodes change by up to " +
                       percent_text(after.of_one_node * 100);
    if (std::abs(before.sum_ms / times.sum_ms() - 1) >= least_change)
        text += ". By the efficiency that the graph's cost model gives the class they would take " +
                milliseconds_text(before.sum_ms);
    return text;
}

}  // namespace

std::vector<std::string> keep_classes(std::span<const CalibrationRun> runs, const std::set<std::string>& fitted,
                                      NamedCostModel& model) {
    std::vector<std::string> sentences;
    for (const auto& [name, times] : own_times(runs, model)) {
        if (fitted.contains(name)) continue;
        const auto known = model.classes.find(name);
        const CostParameters::ClassCost had =
            known == model.classes.end() ? CostParameters::ClassCost() : known->second;
        const Change before = change_of(times, had);
        const bool same = before.of_one_node < least_change;
        const CostParameters::ClassCost kept = same ? had : keeping_the_sum(times, had.overhead_ms);
        model.classes[name] = kept;
        sentences.push_back(sentence_on(name, times, kept, before));
    }
    return sentences;
}

}  // namespace overlap
