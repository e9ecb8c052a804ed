#include "core/calibrate/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/statistics.h"
#include "core/calibrate/line_fit.h"
#include "core/calibrate/prediction.h"
#include "core/cost/compute_class.h"
#include "core/cost/cost_model.h"
#include "core/cost/with_cost_model.h"
#include "core/simulate/stream_steps.h"

namespace overlap {

namespace {

/// Below the first share of its time beside others a sample counts as alone, above the second one as beside them.
constexpr double alone_share = 0.1, beside_share = 0.3;

/// A sample of a class or a group with its work: milliseconds at full rates, or bytes.
struct FittedSample {
    double work = 0;
    double time_ms = 0;
    std::optional<double> beside_ms;
    double beside_others_ms = 0;

    /// A mean over several occurrences says nothing about what ran beside them, and has to be taken as it is.
    bool alone() const { return beside_ms.value_or(0) < alone_share * time_ms && !beside_others(); }
    bool beside() const { return beside_ms && *beside_ms > beside_share * time_ms && !beside_others(); }
    bool beside_others() const { return beside_others_ms >= alone_share * time_ms; }
};

using Samples = std::map<std::string, std::vector<FittedSample>>;

/// The samples of all runs by class and by process group.
struct SortedSamples {
    Samples classes, groups;
    std::map<std::string, std::int64_t> group_sizes;
};

/// Milliseconds of all nodes at the device's full rates.
std::vector<double> work_of(const std::shared_ptr<const Graph>& graph, const NamedCostModel& device) {
    NamedCostModel full_rates = device;
    full_rates.classes.clear();
    // Collectives are fitted by bytes; any link will do for what is asked for here.
    full_rates.links_of_groups.clear();
    full_rates.links_of_sizes.clear();
    full_rates.cluster.reset();
    full_rates.gpus_per_node = 0;
    full_rates.within_node.reset();
    full_rates.between_nodes = LinkCost{0, 0, 1};
    return node_times_ms(*with_cost_model(graph, full_rates).graph);
}

void sort_samples(const CalibrationRun& run, const NamedCostModel& device, SortedSamples& sorted) {
    const Graph& graph = *run.graph;
    const std::vector<double> work_ms = work_of(run.graph, device);
    const std::vector<ComputeClass> classes = compute_classes(graph);
    const StreamSteps steps = stream_steps(graph);
    for (const NodeSample& sample : run.samples) {
        FittedSample fitted{work_ms[sample.node], sample.time_ms, sample.beside_ms, sample.beside_others_ms};
        const StreamStep& step = steps.of_node[sample.node];
        if (step.kind == StreamStep::Kind::collective) {
            const IssuedCollective& collective = steps.collectives[step.collective];
            const std::string& group = steps.groups[collective.group];
            fitted.work = static_cast<double>(collective.bytes);
            sorted.groups[group].push_back(fitted);
            if (const ProcessGroup* known = graph.header().process_group(group))
                sorted.group_sizes[group] = static_cast<std::int64_t>(known->ranks.size());
        } else if (classes[sample.node] != ComputeClass::nothing) {
            sorted.classes[std::string(compute_class_name(classes[sample.node]))].push_back(fitted);
        }
    }
}

/// The slowdown `s` of samples beside others: `(time - alone) / beside = s / (1 + s)`; nothing where there are too few.
std::optional<double> slowdown_of(const std::vector<FittedSample>& samples, const LineFit& alone) {
    std::vector<double> shares;
    for (const FittedSample& sample : samples) {
        if (!sample.beside()) continue;
        shares.push_back((sample.time_ms - alone.time_ms(sample.work)) / *sample.beside_ms);
    }
    if (shares.size() < samples_needed) return std::nullopt;
    constexpr double slowest = 0.95;  // twenty times as long: beyond that no factor explains a time
    const double share = std::clamp(quantile(std::move(shares), 0.5), 0.0, slowest);
    return share / (1 - share);
}

/// The line of one class or group, and what could be determined.
struct Fit {
    LineFit line;
    std::optional<double> slowdown;
    bool few_alone = false;  ///< too few samples ran alone: all count, as they are
};

std::vector<WorkSample> times_of(const std::vector<FittedSample>& samples, bool only_alone) {
    std::vector<WorkSample> times;
    for (const FittedSample& sample : samples) {
        if (!only_alone || sample.alone()) times.push_back({sample.work, sample.time_ms});
    }
    return times;
}

std::optional<Fit> fit(const std::vector<FittedSample>& samples, double known_intercept_ms) {
    const std::vector<WorkSample> alone = times_of(samples, true);
    const bool enough = alone.size() >= samples_needed;
    const std::optional<LineFit> line = fit_line(enough ? alone : times_of(samples, false), known_intercept_ms);
    if (!line) return std::nullopt;
    Fit result{*line, {}, !enough};
    if (enough) result.slowdown = slowdown_of(samples, *line);
    return result;
}

/// What the samples could not determine. @param intercept what the line's beginning is called.
std::string note_on(const Fit& fit, const std::string& intercept) {
    std::string note;
    if (!fit.line.intercept_fitted) note = "sizes vary too little to determine its " + intercept;
    if (fit.few_alone) note += (note.empty() ? "" : "; ") + std::string("too few ran alone, so all count as they are");
    return note;
}

class Calibrator {
  public:
    Calibrator(std::span<const CalibrationRun> runs, const CalibrationBase& base, std::string name)
        : runs_(runs), base_(base) {
        for (const CalibrationRun& run : runs) sort_samples(run, base.model, samples_);
        result_.model = base.model;
        result_.model.name = std::move(name);
        result_.model.description = "Calibrated from " + std::to_string(runs.size()) +
                                    (runs.size() == 1 ? " run" : " runs") + ", beginning with " +
                                    in_quotes(base.model.name);
        set_origin();
    }

    Calibration run() {
        NamedCostModel::Contention contention;
        if (base_.model.contention) contention.groups_share_links = base_.model.contention->groups_share_links;
        contention.communication_slowdown = fit_groups();
        fit_classes(contention);
        if (result_.rows.empty()) throw InputError("", "the runs have no time of a node that could be fitted");
        result_.model.contention = std::move(contention);
        add_errors();
        return std::move(result_);
    }

  private:
    void set_origin() {
        NamedCostModel::Origin& origin = result_.model.origin;
        origin = {.kind = "calibration", .runs = {}, .versions = {}};
        for (const CalibrationRun& run : runs_) {
            result_.notes.insert(result_.notes.end(), run.notes.begin(), run.notes.end());
            origin.runs.push_back(run.name);
            origin.versions.insert(run.versions.begin(), run.versions.end());
            if (!run.device.empty() && run.device != result_.model.device_name) {
                if (result_.model.device_name == base_.model.device_name) {
                    result_.model.device_name = run.device;
                } else {
                    result_.notes.push_back("the runs are of different devices, " + in_quotes(run.device) + " and " +
                                            in_quotes(result_.model.device_name));
                }
            }
        }
    }

    CalibrationRow& add_row(CalibrationRow::Kind kind, const std::string& name,
                            const std::vector<FittedSample>& samples) {
        CalibrationRow& row = result_.rows.emplace_back();
        row.kind = kind;
        row.name = name;
        row.samples = static_cast<std::uint32_t>(samples.size());
        return row;
    }

    /// @returns by how much compute slows communication down, if the runs determine it.
    std::optional<double> fit_groups() {
        std::vector<double> slowdowns;
        for (const auto& [group, samples] : samples_.groups) {
            CalibrationRow& row = add_row(CalibrationRow::Kind::process_group, group, samples);
            const std::optional<CostParameters::Link> known = known_link(group);
            const std::optional<Fit> found = fit(samples, known ? known->latency_ms : 0);
            if (!found || found->line.slope <= 0) {
                row.note = "no bandwidth fits its times, so its link stays as it was";
                continue;
            }
            constexpr double ms_per_s = 1e3;
            result_.model.links_of_groups[group] = {found->line.intercept_ms, 0, ms_per_s / found->line.slope};
            row.note = note_on(*found, "latency");
            if (found->slowdown) slowdowns.push_back(*found->slowdown);
        }
        if (slowdowns.empty()) {
            result_.notes.emplace_back(
                "by how much compute slows communication down is not known: too few collectives "
                "of one process group ran both alone and beside compute");
            return std::nullopt;
        }
        return quantile(std::move(slowdowns), 0.5);
    }

    void fit_classes(NamedCostModel::Contention& contention) {
        if (samples_.classes.empty()) {
            result_.notes.push_back("no compute of the runs could be matched with the graph, so compute is priced by " +
                                    in_quotes(base_.model.name) + " as before");
        }
        for (const auto& [name, samples] : samples_.classes) {
            CalibrationRow& row = add_row(CalibrationRow::Kind::compute_class, name, samples);
            const auto known = base_.model.classes.find(name);
            const std::optional<Fit> found =
                fit(samples, known == base_.model.classes.end() ? 0 : known->second.overhead_ms);
            if (!found || found->line.slope <= 0) {
                row.note = "no efficiency fits its times, so it stays as it was";
                continue;
            }
            result_.model.classes[name] = {1 / found->line.slope, found->line.intercept_ms};
            row.note = note_on(*found, "overhead");
            if (found->slowdown) {
                // A transfer that compute slows down disturbs compute less by as much.
                contention.compute_slowdown[name] =
                    *found->slowdown * (1 + contention.communication_slowdown.value_or(0));
            } else {
                result_.notes.push_back("by how much communication slows " + name +
                                        " down is not known: too few nodes ran both alone and beside communication");
            }
        }
    }

    std::optional<CostParameters::Link> known_link(const std::string& group) const {
        for (const CalibrationRun& run : runs_) {
            if (const ProcessGroup* known = run.graph->header().process_group(group))
                return link_of(base_.model, *known);
        }
        ProcessGroup unlisted;
        unlisted.name = group;
        return link_of(base_.model, unlisted);
    }

    void add_errors() {
        std::map<std::string, std::vector<double>> before, after;
        for (const CalibrationRun& run : runs_) {
            const Prediction old = base_.graphs_own_times ? predict(run.graph) : predict(run.graph, base_.model);
            const Prediction fitted = predict(run.graph, result_.model);
            collect_errors(run, old, before);
            collect_errors(run, fitted, after);
            result_.steps.push_back({run.name, run.step_ms, run.exposed_ms, old.step_ms, old.exposed_ms, fitted.step_ms,
                                     fitted.exposed_ms});
            note_if_worse(result_.steps.back());
        }
        for (CalibrationRow& row : result_.rows) {
            row.before = error_of(before[key_of(row.kind, row.name)]);
            row.after = error_of(after[key_of(row.kind, row.name)]);
        }
    }

    /// A calibration is expected to improve predicted steps; where one gets worse, that must be prominent.
    void note_if_worse(const CalibratedStep& step) {
        constexpr double least_told_ms = 0.0005;  // less is not seen in the sentence below
        if (!step.measured_ms) return;
        const double before_ms = std::abs(step.before_ms - *step.measured_ms);
        const double after_ms = std::abs(step.after_ms - *step.measured_ms);
        if (after_ms <= before_ms + least_told_ms) return;
        result_.notes.push_back("warning: the model predicts the step of " + step.run +
                                " worse than before: measured " + milliseconds_text(*step.measured_ms) + ", before " +
                                milliseconds_text(step.before_ms) + ", after " + milliseconds_text(step.after_ms));
    }

    static std::string key_of(CalibrationRow::Kind kind, const std::string& name) {
        return (kind == CalibrationRow::Kind::process_group ? "group " : "class ") + name;
    }

    static void collect_errors(const CalibrationRun& run, const Prediction& prediction,
                               std::map<std::string, std::vector<double>>& errors) {
        const std::vector<ComputeClass> classes = compute_classes(*run.graph);
        const StreamSteps steps = stream_steps(*run.graph);
        for (const NodeSample& sample : run.samples) {
            const StreamStep& step = steps.of_node[sample.node];
            const bool communicates = step.kind == StreamStep::Kind::collective;
            const std::string name = communicates ? steps.groups[steps.collectives[step.collective].group]
                                                  : std::string(compute_class_name(classes[sample.node]));
            const auto kind = communicates ? CalibrationRow::Kind::process_group : CalibrationRow::Kind::compute_class;
            errors[key_of(kind, name)].push_back(std::abs(prediction.times_ms[sample.node] - sample.time_ms) /
                                                 sample.time_ms);
        }
    }

    static RelativeError error_of(const std::vector<double>& errors) {
        if (errors.empty()) return {};
        return {quantile(errors, 0.5), quantile(errors, 0.9)};
    }

    std::span<const CalibrationRun> runs_;
    const CalibrationBase& base_;
    SortedSamples samples_;
    Calibration result_;
};

}  // namespace

Calibration calibrate(std::span<const CalibrationRun> runs, const CalibrationBase& base, std::string name) {
    if (runs.empty()) throw InputError("", "there is no run to calibrate from");
    return Calibrator(runs, base, std::move(name)).run();
}

}  // namespace overlap
