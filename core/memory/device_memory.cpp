#include "core/memory/device_memory.h"

#include "core/base/number_text.h"
#include "core/base/wording.h"
#include "core/cost/fused_products.h"
#include "core/cost/fused_values.h"
#include "core/graph/device_text.h"
#include "core/memory/storage_table.h"

namespace overlap {
namespace {

/// A caution without a title where the peak is more than `most`, whose message goes on behind `words`.
std::optional<Problem> beyond(const Graph& graph, const MemoryProfile& memory, std::int64_t most, const char* words) {
    if (memory.peak_bytes <= most) return std::nullopt;
    Problem problem;
    problem.severity = Severity::caution;
    if (memory.peak_node != no_node) problem.nodes = {std::string(graph.name(memory.peak_node))};
    problem.message = "the peak memory of the step is " + bytes_text(memory.peak_bytes) + ", which is " +
                      bytes_text(memory.peak_bytes - most) + " more " + words;
    return problem;
}

}  // namespace

std::int64_t device_memory_bytes(const Graph& graph) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    return cost ? cost->memory_bytes : 0;
}

std::optional<Problem> memory_problem(const Graph& graph, const MemoryProfile& memory) {
    const std::int64_t held = device_memory_bytes(graph);
    if (held <= 0) return std::nullopt;
    const std::string& device = graph.header().cost->device_name;
    std::optional<Problem> problem = beyond(graph, memory, held, "than the device holds (");
    if (!problem) return std::nullopt;
    problem->kind = ProblemKind::beyond_device_memory;
    problem->title = "Beyond the memory";
    problem->message += (device.empty() ? std::string() : device + ", ") + bytes_text(held) + ")";
    return problem;
}

std::optional<Problem> limit_problem(const Graph& graph, const MemoryProfile& memory, std::int64_t limit) {
    if (limit <= 0) return std::nullopt;
    std::optional<Problem> problem = beyond(graph, memory, limit, "than the limit that was set (");
    if (!problem) return std::nullopt;
    problem->title = "Beyond the limit";
    problem->message += bytes_text(limit) + ")";
    return problem;
}

std::optional<Problem> uncounted_results_problem(const Graph& graph) {
    const FusedProducts products(graph);
    if (!products.any()) return std::nullopt;
    const FusedValues values(graph);
    Problem problem;
    std::size_t unknown = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (!products.is_fused(node) || !graph.outputs(node).empty() || values.adds(node)) continue;
        if (++unknown == 1) problem.nodes = {std::string(graph.name(node))};
    }
    if (unknown == 0) return std::nullopt;
    problem.severity = Severity::caution;
    problem.kind = ProblemKind::uncounted_results;
    problem.title = "Memory too low";
    problem.message = "the peak memory leaves out what " + counted(unknown, "fused product") +
                      (unknown == 1 ? " returns" : " return") +
                      ": PyTorch gives them no sizes, and none follow from what they read";
    return problem;
}

std::optional<Problem> unknown_sizes_problem(const Graph& graph) {
    const FusedProducts products(graph);
    Problem problem;
    std::size_t unknown = 0;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        // What these operators return has sizes always.
        const TargetInfo& info = graph.target_info(node);
        const bool moves = info.starts != CollectiveKind::none && info.starts != CollectiveKind::point_to_point;
        const bool sized = info.traits.compute || moves;
        if (!sized || !graph.outputs(node).empty() || (products.any() && products.is_fused(node))) continue;
        if (++unknown == 1) problem.nodes = {std::string(graph.name(node))};
    }
    if (unknown == 0) return std::nullopt;
    problem.severity = Severity::caution;
    problem.kind = ProblemKind::unknown_sizes;
    problem.title = "Sizes unknown";
    problem.message = std::string("times and memory leave out what ") +
                      (unknown == 1 ? "a product or collective works on: "
                                    : std::to_string(unknown) + " products or collectives work on: ") +
                      "the graph does not say how large it is";
    return problem;
}

std::optional<Problem> memory_on_cpu_problem(const Graph& graph) {
    // Nearly every graph has a device's tensor at its beginning, so only others are asked for their storages.
    for (NodeId node = 0; node < graph.node_count(); ++node)
        for (const TensorMeta& tensor : graph.outputs(node))
            if (tensor.is_tensor && !is_on_cpu(graph.text(tensor.device))) return std::nullopt;
    const StorageTable table(graph, StorageRule::corrected);
    std::int64_t bytes = 0;
    for (const Storage& storage : table.storages()) bytes += storage.bytes;
    if (bytes == 0) return std::nullopt;
    Problem problem;
    problem.severity = Severity::caution;
    problem.kind = ProblemKind::memory_on_cpu;
    problem.title = "Memory of the CPU";
    problem.message = "the graph's tensors are on the CPU, " + bytes_text(bytes) +
                      " in all, and the peak memory is that of the device, which counts none of them";
    return problem;
}

}  // namespace overlap
