#pragma once

#include <cstdint>

#include "core/graph/graph.h"

namespace overlap {

/// What a compiler that makes kernels of a graph, such as Inductor, does with an operator.
enum class KernelRole : std::uint8_t {
    none,        ///< placeholders, views, waits, scalars, buffers without content: no kernel
    collective,  ///< starts communication
    pointwise,   ///< each element by itself; also gathers and concatenations
    reduction,   ///< rows or columns become one number each, maybe with a value for each element after that
    library,     ///< a kernel of its own: products, attention, sorting, complex numbers, and what is not known
};

/// The loops of a kernel: `outer` results, each of `inner` elements. Pointwise operators have `inner` 1.
struct KernelLoops {
    std::int64_t outer = 0;
    std::int64_t inner = 1;
    bool columns = false;  ///< reduces a dimension other than the last, so elements of one result lie apart

    std::int64_t elements() const { return outer * inner; }
    bool operator==(const KernelLoops&) const = default;
};

struct KernelOperator {
    KernelRole role = KernelRole::none;
    KernelLoops loops;  ///< of pointwise operators and reductions
    /// A normalisation, whose values follow from its input and one or two numbers of each row: where only kernels read
    /// them, they are computed again there, and only these numbers are written.
    bool has_statistics = false;
    /// Of a backward that also reduces over rows for the gradient of a weight: that part is a kernel of its own.
    bool reduces_weight_gradient = false;
    bool writes_argument = false;  ///< in place
    bool fills = false;            ///< with a number: of its inputs only the shape counts
    bool scatters = false;         ///< writes into a tensor only what its other arguments hold
    std::int64_t extra_bytes = 0;  ///< that it moves beside its inputs and its output
};

/// Complex numbers are computed by PyTorch's own kernels.
bool has_complex_output(const Graph& graph, NodeId node);

/// Whether a node returns memory that nothing is written to, such as `empty_like`: no kernel runs for it.
bool only_allocates(const Graph& graph, NodeId node);

/// By the operator's name and traits, its tensors and its arguments. Operators inside control_deps are `library`.
KernelOperator kernel_operator(const Graph& graph, NodeId node);

}  // namespace overlap
