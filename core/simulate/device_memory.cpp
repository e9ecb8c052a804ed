#include "core/simulate/device_memory.h"

#include "core/base/number_text.h"

namespace overlap {

std::int64_t device_memory_bytes(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    return cost ? cost->memory_bytes : 0;
}

std::optional<Problem> memory_problem(const Graph& graph, const MemoryProfile& memory) {
    const std::int64_t held = device_memory_bytes(graph);
    if (held <= 0 || memory.peak_bytes <= held) return std::nullopt;
    const std::string& device = graph.header().cost->device_name;
    Problem problem;
    problem.severity = Severity::caution;
    problem.title = "beyond the memory";
    if (memory.peak_node != no_node) problem.nodes = {std::string(graph.name(memory.peak_node))};
    problem.message = "the peak memory of the step is " + bytes_text(memory.peak_bytes) + ", which is " +
                      bytes_text(memory.peak_bytes - held) + " more than the device holds (" +
                      (device.empty() ? std::string() : device + ", ") + bytes_text(held) + ")";
    return problem;
}

}  // namespace overlap
