#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/plan/plan.h"

namespace overlap {

/// Reads an overlap-plan document, version 1 (resources/schemas/overlap-plan.schema.json).
/// @throws InputError with file and place: malformed JSON, unknown version, wrong types, unknown passes or options.
Plan read_plan_file(const std::string& path);
Plan read_plan_text(std::string_view text, const std::string& name);

/// The document, indented, entries expanded.
std::string write_plan_text(const Plan& plan);
/// Writes the document; the file appears whole or not at all.
void write_plan_file(const Plan& plan, const std::string& path);

/// Reads what `overlap apply --pipeline` takes: a JSON list of steps, or a plan.
/// @throws InputError with file and place.
std::vector<PassStep> read_pipeline_file(const std::string& path);
/// @param name stands for the file in messages.
std::vector<PassStep> read_pipeline_text(std::string_view text, const std::string& name);

/// @throws InputError that says what differs when the plan is for another graph.
void check_plan_fits(const Plan& plan, const Graph& graph);
/// The same where what identifies the graph was computed before, which takes time that grows with the graph.
void check_plan_fits(const Plan& plan, const GraphFingerprint& found);

}  // namespace overlap
