// The report: one HTML file that a colleague can read without the application. It has no script and asks for nothing
// from elsewhere, which its content security policy states.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/explain/explain.h"
#include "core/exports/code_points.h"
#include "core/exports/formats.h"
#include "core/exports/html_text.h"
#include "core/exports/page_pictures.h"
#include "core/exports/picture_style.h"
#include "core/exports/report_style.h"
#include "core/exports/report_text.h"
#include "core/files/ordered_json.h"
#include "core/io/plan/option_json.h"
#include "core/pipeline/beside_step.h"
#include "core/pipeline/manual_start.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/automatic_plan.h"
#include "core/redistribution/device_orders.h"
#include "core/views/process_groups.h"
#include "core/views/timeline_of.h"

namespace overlap {

namespace {

/// Collectives that are explained: those that cost most.
constexpr std::size_t explained = 12;
/// Rows of the table of buckets, and modules named in one of them; more are counted.
constexpr std::size_t bucket_rows = 200, modules_named = 8;
/// Bytes that are shown of a bucket's title, and of a sentence.
constexpr std::size_t title_length = 120, sentence_length = 600;

std::string names_in_cell(const std::vector<std::string>& names) {
    std::string html;
    for (std::size_t index = 0; index < std::min(names.size(), modules_named); ++index) {
        html += (index > 0 ? ", " : "") + html_name(names[index], 80);
    }
    if (names.size() > modules_named) html += " and " + std::to_string(names.size() - modules_named) + " more";
    return html;
}

std::string cause_text(ExposureCause cause) {
    std::string text(exposure_cause_name(cause));
    std::ranges::replace(text, '_', ' ');
    return text;
}

class Report {
  public:
    explicit Report(const ExportInput& input)
        : input_(input),
          plan_(input.plan),
          of_job_(with_links_shared(input.result)),
          baseline_of_job_(with_links_shared(input.baseline)),
          result_(*of_job_),
          baseline_(*baseline_of_job_) {}

    std::string write() {
        html_ =
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
        html_ += html_text(plan_.name) + " · " + html_text(graph_name()) + "</title>\n<style>";
        html_ += picture_style;
        html_ += report_style;
        html_ += "</style></head><body><main>\n";
        headline();
        timelines();
        buckets();
        exposed_collectives();
        groups();
        overlaps();
        device_orders();
        problems();
        passes();
        provenance();
        return html_ + "</main></body></html>\n";
    }

  private:
    const std::string& graph_name() const { return result_.input->header().name; }

    void figure(std::string_view label, const std::string& value, double now, double before,
                const std::string& before_text, const std::string& difference, const std::string& remark = "") {
        html_ += "<div class=\"figure\"><span class=\"label\">" + html_text(label) + "</span><b>" + html_text(value) +
                 "</b>";
        std::string classes;
        if (now != before) classes = now < before ? " class=\"better\"" : " class=\"worse\"";
        html_ += "<span" + classes + ">" + html_text(signed_text(now - before, difference));
        const std::string share = now == before ? "" : share_text(now - before, before);
        if (!share.empty()) html_ += html_text((now < before ? " (−" : " (+") + share + ")");
        html_ += "</span><small>from " + html_text(before_text) + "</small>";
        if (!remark.empty()) html_ += "<small>" + html_text(remark) + "</small>";
        html_ += "</div>\n";
    }

    void time_figure(std::string_view label, double now, double before) {
        figure(label, time_text(now), now, before, time_text(before), time_text(now - before));
    }

    /// Better and worse refer to what a job holds, as they do in the window; PyTorch's estimate is shown beside it.
    void memory_figure() {
        const std::int64_t now = result_.corrected_memory.peak_bytes, before = baseline_.corrected_memory.peak_bytes;
        const std::int64_t estimate = result_.memory.peak_bytes;
        figure("Peak memory", bytes_text(now), static_cast<double>(now), static_cast<double>(before),
               bytes_text(before), bytes_text(now - before),
               now == estimate ? "" : "PyTorch says " + bytes_text(estimate));
    }

    void headline() {
        const Simulation &now = result_.simulation, &before = baseline_.simulation;
        html_ += "<h1>" + html_text(plan_.name) + "</h1>\n";
        html_ += paragraph("A plan for the communication of " + html_name(graph_name()) + ", " +
                               std::to_string(result_.input->node_count()) +
                               " nodes. Figures are of one simulated step of one rank, beside the graph as it is.",
                           "dim");
        html_ += "<div class=\"figures\">\n";
        const bool shared = input_.result->on_shared_links || input_.baseline->on_shared_links;
        time_figure(shared ? "Step, links shared" : "Step", now.step_ms, before.step_ms);
        time_figure(shared ? "Exposed, links shared" : "Exposed communication", now.exposed_ms, before.exposed_ms);
        memory_figure();
        const auto count = now.collectives.size(), count_before = before.collectives.size();
        const auto difference = static_cast<double>(count) - static_cast<double>(count_before);
        figure("Collectives", std::to_string(count), static_cast<double>(count), static_cast<double>(count_before),
               std::to_string(count_before), std::to_string(std::llabs(std::llround(difference))));
        time_figure("Compute", now.compute_ms, before.compute_ms);
        html_ += "</div>\n";
        if (shared)
            html_ += paragraph(
                "Times of communication are those of process groups that share the links that they go over, which the "
                "cost model does not say. With a link of its own for each group the step takes " +
                    html_text(time_text(input_.result->simulation.step_ms)) +
                    " (the graph as it is: " + html_text(time_text(input_.baseline->simulation.step_ms)) + ").",
                "dim");
        if (result_.corrected_memory.peak_bytes != result_.memory.peak_bytes) {
            html_ += paragraph(
                "Peak memory counts what a collective reads until its wait, what a wait returns once, and a tensor "
                "that is "
                "computed again apart from its original. PyTorch's estimator does none of this and says " +
                    html_text(bytes_text(result_.memory.peak_bytes)) +
                    " (the graph as it is: " + html_text(bytes_text(baseline_.memory.peak_bytes)) + ").",
                "dim");
        }
        if (const std::optional<OptimizerStep> beside = beside_step(result_)) {
            html_ +=
                paragraph("Beside the step, and in none of these figures: " + html_text(time_text(beside->time_ms)) +
                              " of clipping and AdamW, which are not in the graph.",
                          "dim");
        }
        if (!plan_.notes.empty()) html_ += paragraph(html_text(plan_.notes));
    }

    static std::string swatch(std::string_view classes, std::string_view label) {
        return "<span><svg width=\"14\" height=\"12\" aria-hidden=\"true\"><rect class=\"" + std::string(classes) +
               "\" width=\"14\" height=\"12\"/></svg>" + html_text(label) + "</span>\n";
    }

    void timelines() {
        const auto now = timeline_of(result_), before = timeline_of(baseline_);
        const TimeRange range{0, std::max(now->range().end_ns, before->range().end_ns)};
        html_ += section("Timeline") + picture_definitions();
        html_ += "<figure><figcaption>As the graph is, " + html_text(time_text(baseline_.simulation.step_ms)) +
                 "</figcaption>\n" + timeline_picture(*before, range, "Timeline of the graph as it is") + "</figure>\n";
        html_ += "<figure><figcaption>With the plan, " + html_text(time_text(result_.simulation.step_ms)) +
                 "</figcaption>\n" + timeline_picture(*now, range, "Timeline with the plan") + "</figure>\n";
        html_ += "<div class=\"legend\">" + swatch("stall", "compute waits for communication") +
                 swatch("r2", "a bucket, and compute of its modules: a colour each, eight in turn") +
                 swatch("r1", "compute of no bucket") + swatch("r12", "communication in no bucket") + "</div>\n";
        html_ += "<figure><figcaption>Memory held over the step; dashed: as the graph is</figcaption>\n" +
                 memory_picture(*now, before.get(), range, "Memory held over the step, with the plan and without") +
                 "</figure>\n";
    }

    std::string title_of(std::int32_t entry) const {
        if (entry < 0) return "<span class=\"dim\">made by a pass</span>";
        const BucketEntry& bucket = plan_.buckets[static_cast<std::size_t>(entry)];
        const std::string title = bucket.title.empty() ? "" : html_text(cut(bucket.title, title_length)) + "<br>";
        return title + names_in_cell(bucket.modules);
    }

    void buckets() {
        html_ += section("Buckets");
        std::vector<FinalBucket> made = final_buckets(result_);
        if (made.empty()) {
            html_ += paragraph("No collectives are merged.");
            return;
        }
        HtmlTable table({"#Bucket", "Modules", "Collective", "Kind", "#Merged", "#Bytes", "#Time", "#Exposed", "Why"});
        std::size_t rows = 0;
        for (const CollectiveTiming& timing : result_.simulation.collectives) {
            const std::string_view start = result_.graph->name(timing.start);
            const auto bucket = std::ranges::find(made, start, &FinalBucket::start);
            if (bucket == made.end() || ++rows > bucket_rows) continue;
            const std::int32_t entry = result_.bucket_of_node[timing.start];
            table.add({entry < 0 ? "" : std::to_string(entry + 1), title_of(entry), html_name(start, 60),
                       html_text(collective_kind_name(timing.kind)), std::to_string(bucket->members.size()),
                       html_text(bytes_text(timing.bytes)), html_text(time_text(timing.end_ms - timing.start_ms)),
                       html_text(time_text(timing.exposed_ms)),
                       timing.exposed_ms > 0 ? html_text(cause_text(timing.cause)) : ""});
        }
        html_ += table.take();
        if (rows > bucket_rows) {
            const bool shared = input_.result->on_shared_links.has_value();
            html_ += paragraph("The first " + std::to_string(bucket_rows) + " of " + std::to_string(rows) +
                                   " in order of issue; the export buckets.csv has all" +
                                   (shared ? ", with times of a link of its own for each process group." : "."),
                               "dim");
        }
    }

    void exposed_collectives() {
        const Simulation& simulation = result_.simulation;
        std::vector<std::size_t> order(simulation.collectives.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order, std::greater(),
                                 [&](std::size_t index) { return simulation.collectives[index].exposed_ms; });
        order.resize(std::min(order.size(), explained));
        std::erase_if(order, [&](std::size_t index) { return simulation.collectives[index].exposed_ms <= 0; });
        html_ += section("What is exposed, and why");
        if (order.empty()) {
            html_ += paragraph("Nothing: compute never waits for communication.");
            return;
        }
        HtmlTable table({"Collective", "#Exposed", "#Of the step", "Why"});
        for (const std::size_t index : order) {
            const CollectiveTiming& timing = simulation.collectives[index];
            const CollectiveExplanation why = explain_result(result_, timing.start, Introduction::left_out);
            std::string list = "<ul>";
            for (const std::string& line : why.sentences) list += "<li>" + sentence(cut(line)) + "</li>";
            table.add({html_name(result_.graph->name(timing.start), 60), html_text(time_text(timing.exposed_ms)),
                       html_text(share_text(timing.exposed_ms, simulation.step_ms)), list + "</ul>"});
        }
        html_ += table.take();
    }

    /// What users write, and sentences with names, may be of any length.
    static std::string cut(const std::string& text, std::size_t longest = sentence_length) {
        if (text.size() <= longest) return text;
        return std::string(beginning_of(text, longest)) + "…";
    }

    void groups() {
        html_ += section("Process groups");
        HtmlTable table({"Group", "For", "Ranks", "#Collectives", "#Communication", "#Exposed", "#Queued", "Made by"});
        for (const ProcessGroupFigures& group : process_group_figures(result_)) {
            if (group.collectives == 0) continue;
            table.add({html_name(group.name, 60), html_text(group.title), html_text(ranks_text(group.ranks)),
                       std::to_string(group.collectives), html_text(time_text(group.comm_ms)),
                       html_text(time_text(group.exposed_ms)), html_text(time_text(group.queued_ms)),
                       group.creator ? html_name(group.creator->pass) : "the job"});
        }
        html_ += table.empty() ? paragraph("The graph does not communicate.") : table.take();
    }

    void overlaps() {
        if (plan_.overlaps.list.empty()) return;
        html_ += section("Overlaps by hand");
        HtmlTable table({"Asked for", "Outcome"});
        for (std::size_t index = 0; index < plan_.overlaps.list.size(); ++index) {
            const std::vector<DirectiveOutcome>& outcomes = result_.overlaps.directives;
            std::string outcome = "not applied";
            if (index < outcomes.size()) outcome = outcomes[index].holds() ? "holds" : outcomes[index].refusal;
            table.add({html_text(cut(describe(plan_.overlaps.list[index]))), html_text(cut(outcome))});
        }
        html_ += table.take();
    }

    void device_orders() {
        if (plan_.device_orders.empty()) return;
        html_ += section("Device orders");
        HtmlTable table({"Parameters", "Mesh", "Order", "#Expected saving"});
        for (const DeviceOrder& order : plan_.device_orders) {
            table.add({html_name(order.parameters), names_in_cell(order.mesh), html_name(order.order),
                       html_text(time_text(order.saving_ms))});
        }
        html_ += table.take();
        html_ +=
            paragraph("The job lays parameters out, so these change neither the graph nor the figures above.", "dim");
    }

    /// What is exposed has a section of its own, and figures of shared links need no word that links are not shared.
    bool is_listed(const Problem& problem) const {
        if (problem.kind == ProblemKind::links_not_shared) return !input_.result->on_shared_links;
        return problem.kind != ProblemKind::exposed;
    }

    void problems() {
        html_ += section("Problems and hazards");
        HtmlTable table({"", "What", "Message"});
        for (const Severity severity : {Severity::error, Severity::caution, Severity::note}) {
            for (const Problem& problem : result_.problems) {
                if (problem.severity != severity || !is_listed(problem)) continue;
                const std::string name(severity_name(severity));
                table.add({"<span class=\"" + name + "\">" + name + "</span>", html_text(problem.title),
                           sentence(cut(problem.message))});
            }
        }
        html_ += table.empty() ? paragraph("None were found.") : table.take();
    }

    void passes() {
        html_ += section("Passes");
        if (plan_.pipeline.empty()) {
            html_ += paragraph("The plan runs none.");
            return;
        }
        HtmlTable table({"#", "Pass", "Options", "What it did"});
        for (std::size_t step = 0; step < plan_.pipeline.size(); ++step) {
            table.add({std::to_string(step + 1), html_name(plan_.pipeline[step].pass), options_of(plan_.pipeline[step]),
                       step < result_.steps.size() ? outcome_of(result_.steps[step]) : ""});
        }
        html_ += table.take();
    }

    static std::string options_of(const PassStep& step) {
        std::string html;
        for (const auto& [name, value] : step.options) {
            html += (html.empty() ? "" : "<br>") + html_name(name) + " = " +
                    html_name(option_json(value).dump(-1, ' ', false, Json::error_handler_t::replace), 200);
        }
        return html.empty() ? "<span class=\"dim\">as PyTorch has them</span>" : html;
    }

    static std::string outcome_of(const StepOutcome& outcome) {
        if (outcome.state == StepOutcome::State::switched_off) return "switched off";
        if (outcome.state != StepOutcome::State::ran) return html_text(cut(outcome.refusal));
        const GraphDifference& difference = *outcome.difference;
        if (difference.empty()) return "changed nothing";
        return std::to_string(difference.added.size()) + " nodes added, " + std::to_string(difference.removed.size()) +
               " removed, " + std::to_string(difference.moved.size()) + " moved";
    }

    void provenance() {
        const GraphHeader& header = result_.input->header();
        const GraphFingerprint graph = fingerprint(*result_.original);
        html_ += section("Where this comes from");
        HtmlTable table({"", ""});
        table.add({"Graph", html_name(graph.name) + ", " + std::to_string(graph.nodes) + " nodes, digest " +
                                html_name(graph.digest)});
        if (header.rank) table.add({"Rank", std::to_string(*header.rank) + rank_of(header)});
        if (!header.producer_json.empty()) table.add({"Produced by", html_name(header.producer_json, 300)});
        table.add({"Times", times_text()});
        table.add({"Made by",
                   html_text(input_.made_by) + (input_.made_on.empty() ? "" : " on " + html_text(input_.made_on))});
        html_ += table.take();
    }

    std::string times_text() const {
        const std::optional<CostParameters>& cost = result_.input->header().cost;
        std::string text = "of the graph's file, or of the analytic cost model where it has none";
        if (cost && !cost->model_name.empty()) text = "of the cost model " + html_name(cost->model_name);
        const TimeSource* source = result_.time_source.get();
        if (source && source->measured()) return "of the trace " + html_name(source->name);
        if (source && source->compilation)
            text += ", with the kernels of a job that compiles " +
                    std::string(compiled_scope_text(source->compilation->scope));
        return result_.contention ? text + ", with contention" : text;
    }

    static std::string rank_of(const GraphHeader& header) {
        return header.world_size ? " of " + std::to_string(*header.world_size) : "";
    }

    const ExportInput& input_;
    const Plan& plan_;
    std::shared_ptr<const Evaluation> of_job_, baseline_of_job_;  ///< with links shared, as the window shows them
    const Evaluation& result_;
    const Evaluation& baseline_;
    std::string html_;
};

}  // namespace

ExportOutput export_report(const ExportInput& input) {
    return {Report(input).write(), {}};
}

}  // namespace overlap
