#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace overlap {

/// What of a graph a job compiles.
enum class CompiledScope : std::uint8_t {
    eager,   ///< nothing: every operator has a kernel of its own
    blocks,  ///< each transformer block by itself, as torchtitan's `--compile.enable` does; the rest runs eagerly
    whole,   ///< the whole graph
};

/// `eager`, `blocks`, `whole`.
std::string_view compiled_scope_name(CompiledScope scope);
std::optional<CompiledScope> compiled_scope_by_name(std::string_view name);

/// What a job compiles, for sentences: `nothing`, `its transformer blocks`, `the whole graph`.
std::string_view compiled_scope_text(CompiledScope scope);

/// How a job runs its graph, as far as times of kernels depend on it (core/predict).
struct Compilation {
    CompiledScope scope = CompiledScope::whole;
    /// The share of attention's scores that the mask leaves, where the graph does not tell: of flex attention. One half
    /// is a causal mask over one document; documents of length l in a sequence of s leave l / (2 s).
    double attention_density = 0.5;

    bool operator==(const Compilation&) const = default;
};

}  // namespace overlap
