// The plan as its own document.

#include "core/exports/formats.h"
#include "core/io/plan/plan_file.h"

namespace overlap {

ExportOutput export_plan_document(const ExportInput& input) {
    Plan plan = input.plan;
    if (input.result) plan.graph = fingerprint(*input.result->original);
    ExportOutput output;
    output.bytes = write_plan_text(plan);
    if (!plan.graph)
        output.notes.emplace_back("the plan names no graph, so a job cannot tell whether it is for its own");
    if (input.result && input.result->refused)
        output.notes.push_back("the plan is refused: " + refusal_of(*input.result));
    return output;
}

}  // namespace overlap
