#include "core/exports/python_file.h"

#include "core/exports/python_text.h"
#include "core/files/ordered_json.h"

namespace overlap {

std::string python_file_head(const ExportInput& input, std::string_view docstring, std::string_view imports,
                             std::span<const std::string> notes) {
    Json plan = {{"name", input.plan.name}, {"made_by", input.made_by}};
    if (!input.made_on.empty()) plan["made_on"] = input.made_on;
    std::optional<GraphFingerprint> graph = input.plan.graph;
    if (input.result) graph = fingerprint(*input.result->original);
    if (graph) plan["graph"] = {{"name", graph->name}, {"nodes", graph->nodes}, {"digest", graph->digest}};
    if (!input.plan.notes.empty()) plan["notes"] = input.plan.notes;
    std::string text = "\"\"\"";
    text.append(docstring).append("\"\"\"\n");
    if (!imports.empty()) text.append("\n").append(imports);
    text += python_assignment("PLAN", plan);
    text += "\n# What the plan says and this file cannot, and what to know before using it.";
    text += python_assignment("NOTES", Json(std::vector<std::string>(notes.begin(), notes.end())));
    return text;
}

std::string python_assignment(std::string_view name, const Json& value) {
    std::string text = "\n";
    return text.append(name).append(" = ").append(python_value(value)) += '\n';
}

}  // namespace overlap
