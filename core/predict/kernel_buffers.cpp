#include "core/predict/kernel_buffers.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/cost/flop_formulas.h"

namespace overlap {
namespace {

/// Reads from which a value with several readers is kept rather than computed in each of them
/// (torch/_inductor/config.py: realize_reads_threshold).
constexpr std::size_t most_inlined_reads = 4;

std::int64_t bytes_of(const Graph& graph, NodeId node) {
    return graph.output_bytes(node);
}

class BufferFinder {
  public:
    BufferFinder(const Graph& graph, std::span<const std::int32_t> regions) : graph_(graph), regions_(regions) {
        const std::uint32_t count = graph.node_count();
        found_.operators.resize(count);
        found_.inlined.assign(count, false);
        found_.recomputed.assign(count, false);
        found_.reads.resize(count);
        found_.epilogue_of.assign(count, no_node);
        for (NodeId node = 0; node < count; ++node) found_.operators[node] = kernel_operator(graph, node);
    }

    KernelBuffers find() {
        find_epilogues();
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            find_reads(node);
            found_.inlined[node] = is_inlined(node);
            found_.recomputed[node] = is_recomputed(node);
        }
        // Whether a node is inlined decides what its readers read, so these lists were made in graph order.
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (found_.inlined[node]) found_.reads[node].clear();
        }
        return std::move(found_);
    }

  private:
    KernelRole role(NodeId node) const { return found_.operators[node].role; }
    bool is_compiled(NodeId node) const { return regions_[node] >= 0; }

    /// `add(x, mm(a, b))` runs as one product that starts from x.
    void find_epilogues() {
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            if (!is_compiled(node) || graph_.target(node) != "aten.add.Tensor") continue;
            for (const NodeId product : graph_.inputs(node)) {
                if (starts_from_sum(product, node)) {
                    found_.epilogue_of[node] = product;
                    found_.operators[node].role = KernelRole::library;
                    break;
                }
            }
        }
    }

    bool starts_from_sum(NodeId product, NodeId sum) const {
        if (graph_.op(product) != NodeOp::call_function || graph_.target(product) != "aten.mm.default") return false;
        if (regions_[product] != regions_[sum] || graph_.users(product).size() != 1) return false;
        const std::span<const NodeId> terms = graph_.inputs(sum);
        return terms.size() == 2 && std::ranges::all_of(terms, [&](NodeId term) {
                   return bytes_of(graph_, term) == bytes_of(graph_, sum) &&
                          graph_.outputs(term).size() == graph_.outputs(sum).size();
               });
    }

    void find_reads(NodeId node) {
        std::vector<BufferRead>& reads = found_.reads[node];
        if (found_.operators[node].fills) return;
        if (role(node) == KernelRole::none) {
            for (const NodeId input : graph_.inputs(node)) add_reads_of(input, reads);
            take_part(node, reads);
            return;
        }
        for (const NodeId input : graph_.inputs(node)) add_reads_of(input, reads);
    }

    /// A view of a part reads as much less of each buffer.
    void take_part(NodeId view, std::vector<BufferRead>& reads) const {
        if (graph_.inputs(view).empty()) return;
        const std::int64_t whole = bytes_of(graph_, graph_.inputs(view).front()), part = bytes_of(graph_, view);
        if (part <= 0 || part >= whole) return;
        const double share = static_cast<double>(part) / static_cast<double>(whole);
        for (BufferRead& read : reads) read = {read.node, view, std::llround(static_cast<double>(read.bytes) * share)};
    }

    void add_reads_of(NodeId input, std::vector<BufferRead>& reads) const {
        if (found_.recomputed[input]) {
            for (const BufferRead& read : found_.reads[input]) add(read, reads);
            add({input, input, statistics_bytes(found_.operators[input])}, reads);
        } else if (found_.inlined[input] || (role(input) == KernelRole::none && !graph_.inputs(input).empty())) {
            for (const BufferRead& read : found_.reads[input]) add(read, reads);
        } else if (bytes_of(graph_, input) > 0 && has_content(input)) {
            add({input, input, bytes_of(graph_, input)}, reads);
        }
    }

    /// False for memory that was only allocated.
    bool has_content(NodeId node) const {
        return role(node) != KernelRole::none || graph_.op(node) != NodeOp::call_function;
    }

    void add(const BufferRead& read, std::vector<BufferRead>& reads) const {
        const auto known = std::ranges::find_if(reads, [&](const BufferRead& other) { return other.same_place(read); });
        if (known == reads.end()) {
            reads.push_back(read);
        } else {
            known->bytes = std::max(known->bytes, read.bytes);
        }
    }

    bool is_recomputed(NodeId node) const {
        std::size_t readers = 0;
        return found_.operators[node].has_statistics && is_compiled(node) && only_kernels_read(node, node, readers) &&
               readers > 0;
    }

    bool is_inlined(NodeId node) const {
        const KernelOperator& made = found_.operators[node];
        if (made.role != KernelRole::pointwise || !is_compiled(node) || made.writes_argument || made.extra_bytes > 0)
            return false;
        std::size_t readers = 0;
        if (!only_kernels_read(node, node, readers)) return false;
        return readers > 0 && (readers == 1 || found_.reads[node].size() <= most_inlined_reads);
    }

    /// Whether all that reads `node`, through views, is compiled with it; counts these readers.
    bool only_kernels_read(NodeId node, NodeId written, std::size_t& readers) const {
        for (const NodeId user : graph_.users(node)) {
            if (graph_.op(user) != NodeOp::call_function || regions_[user] != regions_[written]) return false;
            if (role(user) == KernelRole::none) {
                if (graph_.target_info(user).is_wait || has_complex_output(graph_, user)) return false;
                if (!only_kernels_read(user, written, readers)) return false;
                continue;
            }
            const KernelRole reader = role(user);
            if (reader != KernelRole::pointwise && reader != KernelRole::reduction) return false;
            if (found_.operators[user].writes_argument && graph_.inputs(user).front() == node) return false;
            ++readers;
        }
        return true;
    }

    const Graph& graph_;
    std::span<const std::int32_t> regions_;
    KernelBuffers found_;
};

}  // namespace

std::int64_t statistics_bytes(const KernelOperator& normalisation) {
    constexpr std::int64_t float32_bytes = 4;
    return normalisation.loops.outer * float32_bytes;
}

KernelBuffers kernel_buffers(const Graph& graph, std::span<const std::int32_t> regions) {
    return BufferFinder(graph, regions).find();
}

}  // namespace overlap
