#include "app/commands/comparison_output.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <ostream>

#include "app/commands/formatting.h"
#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/files/ordered_json.h"
#include "core/measure/job_match.h"
#include "core/simulate/simulation_totals.h"

namespace overlap::commands {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array changes = {CollectiveChange::moved,    CollectiveChange::changed, CollectiveChange::appeared,
                                CollectiveChange::vanished, CollectiveChange::merged,  CollectiveChange::split,
                                CollectiveChange::same};

Json bytes_or_null(std::int64_t bytes) {
    return bytes == 0 ? Json(nullptr) : Json(bytes);
}

Json totals_json(const std::string& name, const ComparisonTotals& totals) {
    return {{"name", name},
            {"step_ms", totals.step_ms},
            {"compute_ms", totals.compute_ms},
            {"communication_ms", totals.communication_ms},
            {"exposed_ms", totals.exposed_ms},
            {"idle_ms", idle_ms(totals.step_ms, totals.compute_ms, totals.exposed_ms)},
            {"peak_memory_bytes", bytes_or_null(totals.corrected_peak_bytes)},
            {"torch_peak_memory_bytes", bytes_or_null(totals.estimated_peak_bytes)},
            {"beside_ms", totals.beside_ms ? Json(*totals.beside_ms) : Json(nullptr)},
            {"collectives", totals.collectives}};
}

Json side_json(const std::optional<ComparedCollective>& side) {
    if (!side) return nullptr;
    return {{"name", side->name},
            {"process_group", side->process_group},
            {"kind", collective_kind_name(side->kind)},
            {"bytes", side->bytes},
            {"start_ms", side->start_ms},
            {"time_ms", side->time_ms},
            {"exposed_ms", side->exposed_ms},
            {"members", side->members}};
}

/// The row of the measured comparison that a row of the table was made of.
class MeasuredRows {
  public:
    explicit MeasuredRows(const MeasuredComparison* measured) {
        if (!measured) return;
        for (const CollectiveComparison& row : measured->rows) rows_[{row.planned, row.measured}] = &row;
    }

    const CollectiveComparison* of(const ComparisonRow& row) const {
        const auto found =
            rows_.find({row.before ? row.before->index : no_index, row.after ? row.after->index : no_index});
        return found == rows_.end() ? nullptr : found->second;
    }

  private:
    std::map<std::pair<std::uint32_t, std::uint32_t>, const CollectiveComparison*> rows_;
};

Json row_json(const ComparisonRow& row, const MeasuredRows& measured) {
    Json json = {{"change", collective_change_name(row.change)},
                 {"before", side_json(row.before)},
                 {"after", side_json(row.after)},
                 {"exposed_change_ms", row.exposed_change_ms()},
                 {"time_change_ms", row.time_change_ms()},
                 {"start_change_ms", row.start_change_ms()},
                 {"counterpart", row.counterpart.empty() ? Json(nullptr) : Json(row.counterpart)},
                 {"remark", row.remark}};
    if (const CollectiveComparison* shares = measured.of(row)) {
        json["cause"] = difference_cause_name(row.cause);
        json["shares"] = {{"late_peer_ms", shares->late_peer_ms},
                          {"contention_ms", shares->contention_ms},
                          {"kernel_ms", shares->kernel_ms},
                          {"launch_gap_ms", shares->launch_gap_ms}};
    }
    return json;
}

Json measurement_json(const MeasuredComparison& measured) {
    const MeasuredTrace& trace = *measured.step.trace;
    const JobMatch match = job_match(measured);
    Json groups = Json::array();
    for (const GroupMatch& group : measured.matching.groups) {
        const auto& planned = measured.evaluation->simulation.groups;
        groups.push_back(
            {{"planned", group.planned == no_index ? Json(nullptr) : Json(planned[group.planned].process_group)},
             {"measured", group.measured == no_index ? Json(nullptr) : Json(trace.groups()[group.measured].name)},
             {"matched_by", group_match_basis_name(group.basis)},
             {"collectives", group.pairs}});
    }
    return {{"device", measured.step.device},
            {"step", measured.step.name.empty() ? Json(nullptr) : Json(measured.step.name)},
            {"axis_origin_ns", measured.origin_ns},
            {"matched", match.pairs},
            {"share_of_planned", match.share_of_planned()},
            {"share_of_measured", match.share_of_measured()},
            {"doubt", match.doubt().empty() ? Json(nullptr) : Json(match.doubt())},
            {"only_planned", measured.only_planned},
            {"only_measured", measured.only_measured},
            {"groups", std::move(groups)}};
}

Json error_json(const PredictionError& error) {
    return {{"collectives", error.collectives},
            {"mean_absolute_ms", error.mean_absolute_ms},
            {"median_relative", error.median_relative}};
}

std::string signed_milliseconds(double milliseconds) {
    const std::string text = milliseconds_text(milliseconds);
    const bool added = milliseconds > 0 && text != milliseconds_text(0);
    return added ? "+" + text : text;
}

/// @param measured: the trace's name of a collective adds nothing to its planned name.
std::string name_of(const ComparisonRow& row, bool measured) {
    if (!row.before || !row.after) return name_text((row.before ? row.before : row.after)->name);
    const std::string before = name_text(row.before->name);
    return measured || row.before->name == row.after->name ? before : before + " -> " + name_text(row.after->name);
}

/// Nothing where one side is measured, whose memory is not known.
void add_peak(TextTable& table, const char* name, std::int64_t before, std::int64_t after) {
    if (before == 0 || after == 0) return;
    std::string change = after < before ? "-" : "+";
    change += bytes_text(std::abs(after - before));
    table.add({name, bytes_text(before), bytes_text(after), std::move(change)});
}

void write_totals(std::ostream& out, const ComparisonOutput& output) {
    const ComparisonTotals& before = output.comparison.before;
    const ComparisonTotals& after = output.comparison.after;
    out << "before: " << name_text(output.before, longest_sentence)
        << "\nafter:  " << name_text(output.after, longest_sentence) << '\n';
    TextTable table({"", "before", "after", "change"});
    const auto add = [&](const char* name, double a, double b) {
        table.add({name, milliseconds_text(a), milliseconds_text(b), signed_milliseconds(b - a)});
    };
    add("step", before.step_ms, after.step_ms);
    add("compute", before.compute_ms, after.compute_ms);
    add("communication", before.communication_ms, after.communication_ms);
    add("exposed", before.exposed_ms, after.exposed_ms);
    const auto idle = [](const ComparisonTotals& totals) {
        return idle_ms(totals.step_ms, totals.compute_ms, totals.exposed_ms);
    };
    if (idle(before) > 0 || idle(after) > 0) add("idle", idle(before), idle(after));
    add_peak(table, "peak memory", before.corrected_peak_bytes, after.corrected_peak_bytes);
    add_peak(table, "peak memory as PyTorch estimates it", before.estimated_peak_bytes, after.estimated_peak_bytes);
    if (before.beside_ms || after.beside_ms) {
        const auto text = [](const std::optional<double>& time_ms) {
            return time_ms ? milliseconds_text(*time_ms) : std::string("unknown");
        };
        table.add({"beside it: clipping, AdamW", text(before.beside_ms), text(after.beside_ms), ""});
    }
    table.add({"collectives", std::to_string(before.collectives), std::to_string(after.collectives), ""});
    table.write(out);
}

void write_measurement(std::ostream& out, const ComparisonOutput& output) {
    const MeasuredComparison& measured = *output.measured;
    out << counted(measured.matching.pairs, "collective") << " matched, " << measured.only_planned << " only planned, "
        << measured.only_measured << " only measured\n";
    std::map<std::string_view, std::size_t> causes;
    for (const CollectiveComparison& row : measured.rows) {
        if (row.cause != DifferenceCause::none) ++causes[difference_cause_name(row.cause)];
    }
    for (const auto& [cause, count] : causes) out << "  " << cause << ": " << count << '\n';
    TextTable table({"error of predicted times", "mean absolute", "median relative"});
    const auto add = [&](const std::string& name, const PredictionError& error) {
        table.add({name, milliseconds_text(error.mean_absolute_ms), percent_text(error.median_relative * 100)});
    };
    if (output.error_of_plan.collectives == 0) return;
    add("the graph's own times", output.error_of_plan);
    add("times of the profile (" + counted(output.error_of_profile.from_profile, "collective") + " known)",
        output.error_of_profile.error);
    table.write(out);
}

void write_rows(std::ostream& out, const ComparisonOutput& output, std::size_t limit) {
    const std::vector<ComparisonRow>& rows = output.comparison.rows;
    const auto differing = static_cast<std::size_t>(
        std::ranges::count_if(rows, [](const auto& row) { return row.change != CollectiveChange::same; }));
    const std::size_t shown = limit == 0 ? differing : std::min(limit, differing);
    for (const CollectiveChange change : changes) {
        out << collective_change_name(change) << ' ' << output.comparison.count(change)
            << (change == changes.back() ? "\n" : ", ");
    }
    if (shown == 0) return;
    TextTable table({"collective", "change", "exposed", "duration", "start", output.measured ? "cause" : ""});
    for (std::size_t index = 0; index < shown; ++index) {
        const ComparisonRow& row = rows[index];
        table.add({name_of(row, output.measured != nullptr), std::string(collective_change_name(row.change)),
                   signed_milliseconds(row.exposed_change_ms()), signed_milliseconds(row.time_change_ms()),
                   signed_milliseconds(row.start_change_ms()),
                   output.measured ? std::string(difference_cause_name(row.cause)) : ""});
    }
    table.write(out);
    for (std::size_t index = 0; index < shown; ++index) {
        if (rows[index].remark.empty()) continue;
        out << name_of(rows[index], output.measured != nullptr) << ": "
            << name_text(rows[index].remark, longest_sentence) << '\n';
    }
    if (shown < differing) out << "and " << counted(differing - shown, "row") << " with smaller effects\n";
}

}  // namespace

Json comparison_json(const ComparisonOutput& output) {
    const MeasuredRows measured(output.measured);
    Json counts = Json::object();
    for (const CollectiveChange change : changes) {
        counts[std::string(collective_change_name(change))] = output.comparison.count(change);
    }
    Json rows = Json::array();
    for (const ComparisonRow& row : output.comparison.rows) rows.push_back(row_json(row, measured));
    Json json = {{"before", totals_json(output.before, output.comparison.before)},
                 {"after", totals_json(output.after, output.comparison.after)},
                 {"changes", std::move(counts)}};
    if (output.measured) {
        json["measurement"] = measurement_json(*output.measured);
        json["prediction_error"] = {{"model", error_json(output.error_of_plan)},
                                    {"profile", error_json(output.error_of_profile.error)}};
        json["prediction_error"]["profile"]["known"] = output.error_of_profile.from_profile;
    }
    json["rows"] = std::move(rows);
    return json;
}

void write_comparison(std::ostream& out, const ComparisonOutput& output, std::size_t rows) {
    // First, since it puts all that follows into question.
    if (const std::string doubt = output.measured ? job_match(*output.measured).doubt() : std::string(); !doubt.empty())
        out << "caution: " << doubt << '\n';
    write_totals(out, output);
    if (output.measured) write_measurement(out, output);
    write_rows(out, output, rows);
}

}  // namespace overlap::commands
