#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipeline/evaluation.h"
#include "core/plan/plan.h"

namespace overlap {

/// What an export is made from.
struct ExportInput {
    const Plan& plan;
    /// Of `plan` on its graph; null without a graph, which is allowed for formats that need nothing but the plan.
    std::shared_ptr<const Evaluation> result;
    /// Of the same graph without the plan, with the same times; null where there is no `result`.
    std::shared_ptr<const Evaluation> baseline;
    std::string made_by;  ///< the program and its version, for the provenance that a format carries
    std::string made_on;  ///< a date for the same, or empty: then exports of one plan are equal byte for byte
};

struct ExportOutput {
    std::string bytes;
    /// What the plan says and the format cannot, and what a reader must know; sentences without full stop. Formats that
    /// have comments carry them as well.
    std::vector<std::string> notes;
};

/// What is needed, and what must be true of it.
enum class ExportNeeds {
    plan,     ///< the plan alone; a graph adds checks
    result,   ///< a graph on which no step of the plan is refused
    figures,  ///< the same, with times of every node
};

/// A format that plans are exported to, registered once: the command's help, the window's menu and the tests are made
/// from export_formats().
struct ExportFormat {
    std::string_view name;    ///< as typed after --to
    std::string_view title;   ///< for menus, such as `Report`
    std::string_view suffix;  ///< of a file's name, with its dots: `.report.html`
    std::string_view help;    ///< one sentence without full stop
    ExportNeeds needs = ExportNeeds::result;
    /// @param input has what `needs` asks for.
    ExportOutput (*write)(const ExportInput& input) = nullptr;
};

/// All formats, in the order in which they are displayed.
std::span<const ExportFormat> export_formats();

/// @throws InputError when there is none of that name, with the nearest.
const ExportFormat& require_export_format(std::string_view name);

/// Writes a plan in a format, where that can be done.
/// @throws InputError with the reason where the format needs a graph that is not given, times that the graph does not
/// have, or the result of a pipeline that is refused.
ExportOutput write_export(const ExportFormat& format, const ExportInput& input);

/// The plan's steps that are switched on, with its buckets put in: those that were run where there is a result.
std::vector<PassStep> steps_that_run(const Plan& plan, const Execution* result);

/// Why the plan was refused, with the step where it was; empty if it was not.
std::string refusal_of(const Execution& execution);

/// What files made of a graph and a plan begin with: `GRAPH.PLAN`, in letters that every file system takes. Other
/// letters become `_` or are left out, and names end after 80 bytes, so different names can give the same file: `a b`
/// and `a_b`, or any two that have only other letters.
std::string export_file_stem(std::string_view graph_name, std::string_view plan_name);

/// A name for the export's file: its stem and the format's suffix.
std::string export_file_name(const ExportFormat& format, std::string_view graph_name, std::string_view plan_name);

}  // namespace overlap
