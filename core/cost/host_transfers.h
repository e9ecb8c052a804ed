#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace overlap {

/// Copies of offloaded tensors between device and host, and the waits for them
/// (torch/_functorch/_activation_offloading/offload_ops.py). torch has one stream of them for each device, so that
/// copies in both directions run one after the other, whether or not the link could carry both at once.
class HostTransfers {
  public:
    enum class Kind : std::uint8_t { none, to_host, from_host, wait };

    explicit HostTransfers(const Graph& graph);

    /// Whether the graph has any.
    bool any() const { return any_; }
    Kind kind(NodeId node) const {
        const NodeRecord& record = graph_.record(node);
        return record.op == NodeOp::call_function ? kinds_[record.target] : Kind::none;
    }

  private:
    const Graph& graph_;
    std::vector<Kind> kinds_;  ///< by target
    bool any_ = false;
};

/// What is taken where a cost model does not say what the host link carries: PCIe 5.0 x16, 64 GB/s a direction, of
/// which large copies from pinned memory reach 85 %.
inline constexpr double usual_host_link_bytes_per_s = 64e9 * 0.85;

/// What copies of a graph's job reach, by its cost model. @pre the graph has a cost model.
double host_link_bytes_per_s(const Graph& graph);

/// Gives copies between device and host the time that the host link takes for them, whatever they had: estimates that
/// exist are by the bandwidth of the device's own memory. Waits for them have no time of their own. Without a cost
/// model times stay.
/// @param times_ms of each node.
void price_host_transfers(const Graph& graph, std::vector<double>& times_ms);

/// The time of a copy of so many bytes in milliseconds, rounded to six decimals.
double host_transfer_ms(const Graph& graph, std::int64_t bytes);

}  // namespace overlap
