#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/predict/fused_kernels.h"

namespace overlap {

/// What of a graph a job compiles.
enum class CompiledScope : std::uint8_t {
    blocks,  ///< each transformer block by itself, as torchtitan's `--compile.enable` does; the rest runs eagerly
    whole,   ///< the whole graph
};

/// `blocks`, `whole`.
std::string_view compiled_scope_name(CompiledScope scope);
std::optional<CompiledScope> compiled_scope_by_name(std::string_view name);

/// `its transformer blocks`, `the whole graph`, for sentences.
std::string_view compiled_scope_text(CompiledScope scope);

/// How a job runs its graph, as far as times depend on it.
struct Compilation {
    CompiledScope scope = CompiledScope::whole;
    /// The share of attention's scores that the mask leaves, where the graph does not tell: of flex attention. One half
    /// is a causal mask over one document; documents of length l in a sequence of s leave l / (2 s).
    double attention_density = 0.5;
    double launch_gap_ms = 0;  ///< between kernels

    bool operator==(const Compilation&) const = default;
};

struct CompiledTimes {
    std::vector<double> times_ms;  ///< of each node; a kernel's time stands with the operators whose results it writes
    FusedKernels kernels;
};

/// Times of a graph whose kernels were fused, by the graph's cost model: a fused kernel takes its overhead and what it
/// reads and writes at the memory's rate, a matrix product what its shape reaches, attention by the scores that its
/// mask leaves, a collective what its link takes. The graph's own `estimate_ms` do not count, nor do PyTorch's rules
/// for estimates, by which passes decide; these are core/cost/cost_model.h's.
/// @throws InputError as analytic_times_ms().
CompiledTimes compiled_times(const Graph& graph, const Compilation& compilation);

}  // namespace overlap
