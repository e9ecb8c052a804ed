#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"

namespace overlap::memory {

/// What the memory passes know of the operators of a graph, looked up once for each different target.
class MemoryOperators {
  public:
    enum Trait : std::uint8_t {
        saved = 1,               ///< its outputs are expensive to compute again: the policies save them
        seeded = 2,              ///< draws random numbers (torch's tag `nondeterministic_seeded`)
        view_packet = 4,         ///< one of the views that offloading follows, whatever the overload
        collective = 8,          ///< in the namespace `_c10d_functional`
        getitem = 16,            ///< `operator.getitem`
        awaits_collective = 32,  ///< `_c10d_functional.wait_tensor.default`
        counted_product = 64,    ///< a matrix product that the policy `eager` counts
        transfer = 128,          ///< `ao.offload`, `ao.reload`, `ao.wait_tensor`
    };

    explicit MemoryOperators(const Graph& graph);

    /// Whether a call_function node, given by its record, has one of the traits. Targets that an editor added to the
    /// graph's have none.
    bool has(const NodeRecord& record, unsigned traits) const {
        return record.op == NodeOp::call_function && record.target < traits_.size() &&
               (traits_[record.target] & traits) != 0;
    }

  private:
    std::vector<std::uint8_t> traits_;
};

/// Whether torch takes a seeded operator's call for one that draws random numbers: attention whose dropout is known to
/// be 0 does not (torch/_functorch/partitioners.py, `is_rng_op`). @pre the operator is `seeded`.
bool draws_random_numbers(const Graph& graph, NodeId node);

inline constexpr std::string_view offload_operator = "ao.offload.default", reload_operator = "ao.reload.default",
                                  transfer_wait_operator = "ao.wait_tensor.default";

/// The only value of a node where that is a tensor, as `meta["val"]` of most nodes is; else nullptr.
template <typename AnyGraph>
const TensorMeta* only_tensor(const AnyGraph& graph, NodeId node) {
    const auto outputs = graph.outputs(node);
    return !graph.record(node).multi && outputs.size() == 1 && outputs.front().is_tensor ? &outputs.front() : nullptr;
}

}  // namespace overlap::memory
