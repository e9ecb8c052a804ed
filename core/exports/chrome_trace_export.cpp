// The simulated step in the Trace Event Format.

#include "core/exports/formats.h"
#include "core/simulate/chrome_trace.h"

namespace overlap {

ExportOutput export_chrome_trace(const ExportInput& input) {
    const Evaluation& result = *input.result;
    return {chrome_trace_json(*result.graph, result.simulation, result.corrected_memory, result.contention.get()), {}};
}

}  // namespace overlap
