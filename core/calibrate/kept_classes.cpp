#include "core/calibrate/kept_classes.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/calibrate/sorted_samples.h"
#include "core/cost/compute_class.h"
#include "core/cost/with_cost_model.h"
#include "core/pipeline/time_source.h"

namespace overlap {
namespace {

/// Less is rounding.
constexpr double least_change = 0.001;

/// Times in milliseconds that are nearer to one another are the same one, rounded to nanoseconds.
constexpr double rounding_ms = 1.5e-6;

/// The nodes of one class in the graphs that ran, each once, that took time before.
struct OwnTimes {
    std::vector<double> work_ms, own_ms;
    std::vector<double> modelled_ms;  ///< by the model that the calibration starts from
    double sum_ms() const {
        double sum = 0;
        for (const double time_ms : own_ms) sum += time_ms;
        return sum;
    }
};

/// Times of the nodes by a model beside their own.
struct Change {
    double sum_ms = 0;       ///< of all nodes by the model
    double of_one_node = 0;  ///< the largest share by which a node changes
};

Change change_to(const OwnTimes& times, const std::vector<double>& model_ms) {
    Change change;
    for (std::size_t node = 0; node < times.own_ms.size(); ++node) {
        change.sum_ms += model_ms[node];
        if (std::abs(model_ms[node] - times.own_ms[node]) > rounding_ms)
            change.of_one_node = std::max(change.of_one_node, std::abs(model_ms[node] / times.own_ms[node] - 1));
    }
    return change;
}

Change change_to(const OwnTimes& times, const CostParameters::ClassCost& line) {
    std::vector<double> line_ms;
    for (const double work_ms : times.work_ms) line_ms.push_back(line.overhead_ms + work_ms / line.efficiency);
    return change_to(times, line_ms);
}

/// The efficiency that keeps the sum, with the overhead that the class had where that leaves time for work.
CostParameters::ClassCost keeping_the_sum(const OwnTimes& times, double overhead_ms) {
    double work_ms = 0;
    for (const double of_node : times.work_ms) work_ms += of_node;
    const double all_overheads_ms = overhead_ms * static_cast<double>(times.own_ms.size());
    if (all_overheads_ms >= times.sum_ms() / 2) return {work_ms / times.sum_ms(), 0};
    return {work_ms / (times.sum_ms() - all_overheads_ms), overhead_ms};
}

/// Whether the same graph ran before, compiled alike.
bool ran_before(std::span<const CalibrationRun> runs, std::size_t run) {
    return std::ranges::any_of(runs.first(run), [&](const CalibrationRun& other) {
        return other.graph == runs[run].graph &&
               other.compilation_of_own_times() == runs[run].compilation_of_own_times();
    });
}

void add_own_times(const CalibrationRun& run, const NamedCostModel& base, std::map<std::string, OwnTimes>& times) {
    const std::optional<Compilation> compilation = run.compilation_of_own_times();
    const auto source = modelled_source(false, compilation);
    const std::vector<double> own_ms = sourced_times(*run.graph, source.get()).times_ms;
    const std::vector<double> modelled_ms =
        sourced_times(*with_cost_model(run.graph, base).graph, source.get()).times_ms;
    const std::vector<double> work_ms = work_at_full_rates(run.graph, compilation, base);
    const std::vector<ComputeClass> classes = compute_classes(*run.graph);
    for (NodeId node = 0; node < run.graph->node_count(); ++node) {
        const ComputeClass of_node = classes[node];
        if (std::ranges::find(computing_classes, of_node) == computing_classes.end()) continue;
        if (own_ms[node] <= 0 || work_ms[node] <= 0) continue;
        OwnTimes& of_class = times[std::string(compute_class_name(of_node))];
        of_class.work_ms.push_back(work_ms[node]);
        of_class.own_ms.push_back(own_ms[node]);
        of_class.modelled_ms.push_back(modelled_ms[node]);
    }
}

std::map<std::string, OwnTimes> own_times(std::span<const CalibrationRun> runs, const NamedCostModel& base) {
    std::map<std::string, OwnTimes> times;
    for (std::size_t run = 0; run < runs.size(); ++run)
        if (!ran_before(runs, run)) add_own_times(runs[run], base, times);
    return times;
}

std::string unchanged(const std::string& name, const OwnTimes& times) {
    return "no run determines " + name + ", whose times stay as they were, those of " +
           counted(times.own_ms.size(), "node");
}

std::string sentence_on(const std::string& name, const OwnTimes& times, const CostParameters::ClassCost& kept,
                        const Change& before) {
    const Change after = change_to(times, kept);
    std::string text = "no run determines " + name + ": its " + counted(times.own_ms.size(), "node") +
                       " had times of their own, " + milliseconds_text(times.sum_ms()) +
                       " together, and the model keeps this sum with " + percent_text(kept.efficiency * 100) +
                       " of full rates for all";
    if (after.of_one_node >= least_change)
        text += "; single nodes change by up to " + percent_text(after.of_one_node * 100);
    if (std::abs(before.sum_ms / times.sum_ms() - 1) >= least_change)
        text += ". By the efficiency that the graph's cost model gives the class they would take " +
                milliseconds_text(before.sum_ms);
    return text;
}

}  // namespace

std::vector<std::string> keep_classes(std::span<const CalibrationRun> runs, const std::set<std::string>& fitted,
                                      const NamedCostModel& base, NamedCostModel& model) {
    std::vector<std::string> sentences;
    for (const auto& [name, times] : own_times(runs, base)) {
        if (fitted.contains(name)) continue;
        const Change before = change_to(times, times.modelled_ms);
        if (before.of_one_node < least_change) {
            sentences.push_back(unchanged(name, times));
            continue;
        }
        const auto known = base.classes.find(name);
        const CostParameters::ClassCost kept =
            keeping_the_sum(times, known == base.classes.end() ? 0 : known->second.overhead_ms);
        model.classes[name] = kept;
        sentences.push_back(sentence_on(name, times, kept, before));
    }
    return sentences;
}

}  // namespace overlap
