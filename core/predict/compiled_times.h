#pragma once

#include <vector>

#include "core/graph/graph.h"
#include "core/predict/fused_kernels.h"

namespace overlap {

struct CompiledTimes {
    std::vector<double> times_ms;  ///< of each node; a kernel's time stands with the operators whose results it writes
    /// What each would take if nothing had to be read: by its flops, and by what it writes.
    std::vector<double> without_reading_ms;
    FusedKernels kernels;
    /// Of each node: whether the compiler writes the kernel that computes it, alone or with others. False of library
    /// kernels, of collectives and of what is not compiled: a trace of the job has those as operators of their own.
    std::vector<bool> generated;
};

/// Times of a graph whose kernels were fused, by the graph's cost model: a fused kernel takes its overhead and what it
/// reads and writes at the memory's rate, a matrix product what its shape reaches, attention by the scores that its
/// mask leaves, a collective what its link takes. The graph's own `estimate_ms` do not count, nor do PyTorch's rules
/// for estimates, by which passes decide; these are core/cost/cost_model.h's.
/// @throws InputError as analytic_times_ms().
CompiledTimes compiled_times(const Graph& graph, const Compilation& compilation);

}  // namespace overlap
