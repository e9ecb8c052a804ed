#include "core/predict/kernel_bytes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace overlap {
namespace {

class ByteCounter {
  public:
    ByteCounter(const Graph& graph, std::span<const std::int32_t> regions, const KernelBuffers& buffers,
                const std::vector<std::int32_t>& kernel_of_node)
        : graph_(graph), regions_(regions), buffers_(buffers), kernel_of_node_(kernel_of_node) {}

    void count(FusedKernel& one) const {
        const std::int32_t own = kernel_of_node_[one.nodes.front()];
        std::map<NodeId, std::map<NodeId, std::int64_t>> read;  // by buffer and part
        for (const NodeId node : one.nodes) {
            one.bytes_read += buffers_.operators[node].extra_bytes;
            for (const BufferRead& of : buffers_.reads[node]) {
                if (kernel_of_node_[of.node] != own && !is_scattered_into(node, of)) read[of.node][of.part] = of.bytes;
            }
            // What is not compiled writes whether or not anything reads it, in place too.
            const bool writes = regions_[node] < 0 || is_read_elsewhere(node, own);
            if (!writes) continue;
            one.writes.push_back({node, written_bytes(node)});
            one.bytes_written += one.writes.back().bytes;
        }
        for (const auto& [node, parts] : read) {
            std::int64_t bytes = 0;
            for (const auto& [part, of_part] : parts) {
                one.reads.push_back({node, part, of_part});
                bytes += of_part;
            }
            one.bytes_read += std::min({bytes, graph_.output_bytes(node), most_read(one, node)});  // parts may overlap
        }
        for (const NodeId node : one.nodes) {
            if (buffers_.operators[node].reduces_weight_gradient) one.bytes_read += weight_gradient_bytes(node);
        }
    }

  private:
    /// The tensor that a scattering operator changes in a few places.
    bool is_scattered_into(NodeId node, const BufferRead& read) const {
        return buffers_.operators[node].scatters && !buffers_.reads[node].empty() &&
               buffers_.reads[node].front().same_place(read);
    }

    std::int64_t written_bytes(NodeId node) const {
        if (buffers_.operators[node].scatters) {
            std::int64_t scattered = 0;
            for (const BufferRead& read : buffers_.reads[node])
                scattered += is_scattered_into(node, read) ? 0 : read.bytes;
            return scattered;
        }
        return buffers_.recomputed[node] ? statistics_bytes(buffers_.operators[node]) : graph_.output_bytes(node);
    }

    /// A kernel reads an element of a tensor for each of its own, at most: of an embedding only the rows that it needs.
    std::int64_t most_read(const FusedKernel& one, NodeId node) const {
        constexpr auto unknown = std::numeric_limits<std::int64_t>::max();
        const auto outputs = graph_.outputs(node);
        const bool scatters =
            std::ranges::any_of(one.nodes, [&](NodeId member) { return buffers_.operators[member].extra_bytes > 0; });
        const bool own_loops = one.role == KernelRole::pointwise || one.role == KernelRole::reduction;
        if (!own_loops || scatters || outputs.empty()) return unknown;
        return outputs[0].is_tensor ? one.loops.elements() * dtype_info(outputs[0].dtype).bytes : unknown;
    }

    /// The gradient of a weight sums over rows, so the kernel that makes it reads everything a second time.
    std::int64_t weight_gradient_bytes(NodeId node) const {
        std::int64_t bytes = 0;
        for (const BufferRead& read : buffers_.reads[node]) bytes += read.bytes;
        return bytes;
    }

    bool is_read_elsewhere(NodeId node, std::int32_t own) const {
        return std::ranges::any_of(graph_.users(node), [&](NodeId user) {
            if (graph_.op(user) != NodeOp::call_function) return true;
            const bool passes_on = buffers_.inlined[user] || buffers_.operators[user].role == KernelRole::none;
            if (passes_on && !graph_.target_info(user).is_wait) return is_read_elsewhere(user, own);
            return kernel_of_node_[user] != own;
        });
    }

    const Graph& graph_;
    std::span<const std::int32_t> regions_;
    const KernelBuffers& buffers_;
    const std::vector<std::int32_t>& kernel_of_node_;
};

}  // namespace

void count_kernel_bytes(const Graph& graph, std::span<const std::int32_t> regions, const KernelBuffers& buffers,
                        FusedKernels& made) {
    const ByteCounter counter(graph, regions, buffers, made.kernel_of_node);
    for (FusedKernel& one : made.kernels) counter.count(one);
}

}  // namespace overlap
