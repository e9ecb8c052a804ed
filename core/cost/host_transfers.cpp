#include "core/cost/host_transfers.h"

#include "core/base/rounding.h"

namespace overlap {

HostTransfers::HostTransfers(const Graph& graph) : graph_(graph), kinds_(graph.target_count(), Kind::none) {
    for (std::uint32_t target = 0; target < graph.target_count(); ++target) {
        const std::string_view name = graph.target_text(target);
        if (!name.starts_with("ao.")) continue;
        Kind& kind = kinds_[target];
        if (name == "ao.offload.default") kind = Kind::to_host;
        if (name == "ao.reload.default") kind = Kind::from_host;
        if (name == "ao.wait_tensor.default") kind = Kind::wait;
        any_ = any_ || kind != Kind::none;
    }
}

double host_link_bytes_per_s(const Graph& graph) {
    const double known = graph.header().cost->host_link_bytes_per_s;
    return known > 0 ? known : usual_host_link_bytes_per_s;
}

void price_host_transfers(const Graph& graph, std::vector<double>& times_ms) {
    if (!graph.header().cost) return;
    const HostTransfers transfers(graph);
    if (!transfers.any()) return;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const HostTransfers::Kind kind = transfers.kind(node);
        if (kind == HostTransfers::Kind::none) continue;
        const bool waits = kind == HostTransfers::Kind::wait;
        times_ms[node] = waits ? 0 : host_transfer_ms(graph, graph.output_bytes(node));
    }
}

double host_transfer_ms(const Graph& graph, std::int64_t bytes) {
    constexpr double ms_per_s = 1e3;
    return round_to_six_decimals(static_cast<double>(bytes) / host_link_bytes_per_s(graph) * ms_per_s);
}

}  // namespace overlap
