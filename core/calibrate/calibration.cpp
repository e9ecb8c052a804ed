#include "core/calibrate/calibration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/statistics.h"
#include "core/calibrate/fitted_link.h"
#include "core/calibrate/fitted_samples.h"
#include "core/calibrate/kept_classes.h"
#include "core/calibrate/prediction.h"
#include "core/calibrate/sorted_samples.h"
#include "core/cost/compute_class.h"
#include "core/cost/with_cost_model.h"
#include "core/pipeline/time_source.h"

namespace overlap {

namespace {

/// The line of kernels that are known by their means: the overhead stays as it was, or is 0 where that is more than
/// half of what they took.
SamplesFit fit_of_means(const std::vector<MeanKernel>& means, double known_overhead_ms) {
    double kernels = 0, work_ms = 0, time_ms = 0;
    for (const MeanKernel& mean : means) {
        kernels += mean.kernels;
        work_ms += mean.kernels * mean.work_ms;
        time_ms += mean.kernels * mean.time_ms;
    }
    SamplesFit fit;
    fit.line.intercept_ms = kernels * known_overhead_ms <= time_ms / 2 ? known_overhead_ms : 0;
    fit.line.slope = (time_ms - kernels * fit.line.intercept_ms) / work_ms;
    return fit;
}

class Calibrator {
  public:
    Calibrator(std::span<const CalibrationRun> runs, const CalibrationBase& base, std::string name)
        : runs_(runs), base_(base) {
        std::vector<std::vector<double>> known_ms;
        for (const CalibrationRun& run : runs) known_ms.push_back(known_times_ms(run));
        samples_ = sorted_samples(runs, base.model, known_ms);
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
        fit_host_link();
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

    /// By the graph's own times or by the base.
    std::vector<double> known_times_ms(const CalibrationRun& run) const {
        if (base_.graphs_own_times)
            return sourced_times(*run.graph, modelled_source(false, run.compilation_of_own_times()).get()).times_ms;
        const auto graph = with_cost_model(run.graph, base_.model).graph;
        return sourced_times(*graph, modelled_source(false, run.compilation).get()).times_ms;
    }

    CalibrationRow& add_row(CalibrationRow::Kind kind, const std::string& name, std::size_t samples) {
        CalibrationRow& row = result_.rows.emplace_back();
        row.kind = kind;
        row.name = name;
        row.samples = static_cast<std::uint32_t>(samples);
        return row;
    }

    /// @returns by how much compute slows communication down, if the runs determine it.
    std::optional<double> fit_groups() {
        std::vector<double> slowdowns;
        for (const auto& [group, samples] : samples_.groups) {
            CalibrationRow& row = add_row(CalibrationRow::Kind::process_group, group, samples.size());
            const std::optional<CostParameters::Link> known = known_link(group);
            const FittedLink found = fit_link(samples, known.value_or(CostParameters::Link()));
            if (!found.fit) {
                row.note = "no bandwidth fits its times, so its link stays as it was";
                continue;
            }
            result_.model.links_of_groups[group] = found.link;
            row.held_out = found.held_out;
            row.note = note_on(*found.fit, "latency");
            if (!found.link.kinds.empty())
                row.note +=
                    (row.note.empty() ? "" : "; ") + std::string("its rates of each kind of collective are scaled");
            if (found.fit->slowdown) slowdowns.push_back(*found.fit->slowdown);
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
        std::set<std::string> fitted;
        if (!samples_.generated.empty() && fit_generated()) fitted.insert(memory_);
        for (const auto& [name, samples] : samples_.classes) {
            if (fitted.contains(name)) continue;
            CalibrationRow& row = add_row(CalibrationRow::Kind::compute_class, name, samples.size());
            const double known_ms = known_overhead_ms(name);
            const std::optional<SamplesFit> found = fit_samples(samples, known_ms);
            if (!found || found->line.slope <= 0) {
                row.note = "no efficiency fits its times, so it stays as it was";
                continue;
            }
            fitted.insert(name);
            result_.model.classes[name] = {1 / found->line.slope, found->line.intercept_ms};
            row.held_out = held_out_error(samples, known_ms, HeldOut::by_place);
            row.note = note_on(*found, "overhead");
            if (found->slowdown) {
                // A transfer that compute slows down disturbs compute less by as much.
                contention.compute_slowdown[name] =
                    *found->slowdown * (1 + contention.communication_slowdown.value_or(0));
            } else {
                note_unknown_slowdown(name);
            }
        }
        tell_kept_classes(fitted);
    }

    /// Large copies reach the link's rate, and only such are worth making, so there is no latency to fit.
    void fit_host_link() {
        double bytes = 0, time_ms = 0;
        for (const FittedSample& sample : samples_.transfers) {
            bytes += sample.work;
            time_ms += sample.time_ms;
        }
        if (bytes <= 0 || time_ms <= 0) return;
        add_row(CalibrationRow::Kind::host_link, "host", samples_.transfers.size());
        constexpr double ms_per_s = 1e3;
        result_.model.host_link_bytes_per_s = bytes / time_ms * ms_per_s;
    }

    double known_overhead_ms(const std::string& name) const {
        const auto known = base_.model.classes.find(name);
        return known == base_.model.classes.end() ? 0 : known->second.overhead_ms;
    }

    void note_unknown_slowdown(const std::string& name) {
        result_.notes.push_back("by how much communication slows " + name +
                                " down is not known: too few nodes ran both alone and beside communication");
    }

    /// What a compiler wrote is most of the class; the few operators beside it are priced alike.
    bool fit_generated() {
        const SamplesFit found = fit_of_means(samples_.generated, known_overhead_ms(memory_));
        if (found.line.slope <= 0) return false;
        double kernels = 0;
        for (const MeanKernel& mean : samples_.generated) kernels += mean.kernels;
        const auto others = samples_.classes.find(memory_);
        CalibrationRow& row =
            add_row(CalibrationRow::Kind::compute_class, memory_,
                    samples_.generated.size() + (others == samples_.classes.end() ? 0 : others->second.size()));
        row.note = "by the sum of " + std::to_string(std::llround(kernels)) + " kernels that the compiler wrote";
        result_.model.classes[memory_] = {1 / found.line.slope, found.line.intercept_ms};
        note_unknown_slowdown(memory_);
        return true;
    }

    /// Classes that no run determines.
    void tell_kept_classes(const std::set<std::string>& fitted) {
        if (base_.graphs_own_times) {
            for (std::string& sentence : keep_classes(runs_, fitted, base_.model, result_.model))
                result_.notes.push_back(std::move(sentence));
        } else if (fitted.empty()) {
            result_.notes.push_back("no compute of the runs could be matched with the graph, so compute is priced by " +
                                    in_quotes(base_.model.name) + " as before");
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
            const Prediction old = base_.graphs_own_times ? predict(run.graph, run.compilation_of_own_times())
                                                          : predict(run.graph, base_.model, run.compilation);
            const Prediction fitted = predict(run.graph, result_.model, run.compilation);
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
        result_.notes.push_back("caution: the model predicts the step of " + step.run +
                                " worse than before: measured " + milliseconds_text(*step.measured_ms) + ", before " +
                                milliseconds_text(step.before_ms) + ", after " + milliseconds_text(step.after_ms));
    }

    static std::string key_of(CalibrationRow::Kind kind, const std::string& name) {
        switch (kind) {
            case CalibrationRow::Kind::process_group:
                return "group " + name;
            case CalibrationRow::Kind::host_link:
                return "link " + name;
            case CalibrationRow::Kind::compute_class:
                break;
        }
        return "class " + name;
    }

    static void collect_errors(const CalibrationRun& run, const Prediction& prediction,
                               std::map<std::string, std::vector<double>>& errors) {
        const auto error = [](double predicted_ms, double measured_ms) {
            return std::abs(predicted_ms - measured_ms) / measured_ms;
        };
        const std::vector<std::string> rows = rows_of_samples(run);
        for (std::size_t index = 0; index < rows.size(); ++index) {
            const NodeSample& sample = run.samples[index];
            errors[rows[index]].push_back(error(sample.sum(prediction.times_ms), sample.time_ms));
        }
        if (run.generated.total_ms <= 0) return;
        double generated_ms = 0;
        for (const NodeId node : run.generated.nodes) generated_ms += prediction.times_ms[node];
        errors["class " + memory_].push_back(error(generated_ms, run.generated.total_ms));
    }

    static RelativeError error_of(const std::vector<double>& errors) {
        if (errors.empty()) return {};
        return {quantile(errors, 0.5), quantile(errors, 0.9)};
    }

    inline static const std::string memory_{compute_class_name(ComputeClass::memory)};

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
