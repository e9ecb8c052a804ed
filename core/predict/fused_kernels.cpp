#include "core/predict/fused_kernels.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/predict/kernel_buffers.h"
#include "core/predict/kernel_bytes.h"

namespace overlap {
namespace {

/// Operators in one kernel at most (torch/_inductor/config.py: max_fusion_size).
constexpr std::size_t largest_kernel = 64;
/// Readers of one tensor of which each is compared with each; of more, each with the next.
constexpr std::size_t most_compared_readers = 16;

using KernelIndex = std::int32_t;
constexpr KernelIndex no_kernel = -1;

bool may_share_loops(const KernelLoops& left, const KernelLoops& right) {
    if (left == right) return true;
    if (left.columns || right.columns || (left.inner > 1 && right.inner > 1)) return false;
    const KernelLoops& reduction = left.inner > 1 ? left : right;
    const std::int64_t elements = left.inner > 1 ? right.outer : left.outer;
    return reduction.inner > 1 && (elements == reduction.outer || elements == reduction.elements());
}

/// Two kernels that would read or write less as one.
struct Candidate {
    KernelIndex first = no_kernel, second = no_kernel;
    std::int64_t saved_bytes = 0;
};

class Fuser {
  public:
    Fuser(const Graph& graph, std::span<const std::int32_t> regions, LaunchOrder order)
        : graph_(graph), regions_(regions), order_(order), buffers_(kernel_buffers(graph, regions)) {}

    FusedKernels fuse() {
        make_kernels();
        find_readers();
        if (order_ == LaunchOrder::of_graph) find_order();
        // Each round may bring kernels together that shared nothing before.
        while (fuse_once()) {
        }
        return result();
    }

  private:
    struct Kernel {
        std::vector<NodeId> nodes;  // in graph order; empty: became part of another
        KernelRole role = KernelRole::none;
        KernelLoops loops;
        std::int32_t region = -1;
        NodeId place = no_node;

        bool fusible() const { return region >= 0 && (role == KernelRole::pointwise || role == KernelRole::reduction); }
    };

    void make_kernels() {
        kernel_of_.assign(graph_.node_count(), no_kernel);
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const KernelOperator& made = buffers_.operators[node];
            if (made.role == KernelRole::none || buffers_.inlined[node]) continue;
            if (const NodeId product = buffers_.epilogue_of[node]; product != no_node) {
                kernel_of_[node] = kernel_of_[product];
                kernels_[static_cast<std::size_t>(kernel_of_[node])].nodes.push_back(node);
                kernels_[static_cast<std::size_t>(kernel_of_[node])].place = node;
                continue;
            }
            kernel_of_[node] = static_cast<KernelIndex>(kernels_.size());
            kernels_.push_back({{node}, made.role, made.loops, regions_[node], node});
        }
    }

    bool fuse_once() {
        bool any = false;
        for (const Candidate& candidate : candidates()) {
            const KernelIndex first = current(candidate.first), second = current(candidate.second);
            if (first == second || !fits(kernel(first), kernel(second))) continue;
            if (runs_between(first, second) || runs_between(second, first)) continue;
            const NodeId place = place_of_both(first, second);
            if (place == no_node) continue;
            merge(std::min(first, second), std::max(first, second));
            kernel(std::min(first, second)).place = place;
            any = true;
        }
        return any;
    }

    bool fits(const Kernel& left, const Kernel& right) const {
        return left.fusible() && right.fusible() && left.region == right.region &&
               left.nodes.size() + right.nodes.size() <= largest_kernel && may_share_loops(left.loops, right.loops);
    }

    /// Pairs that share a tensor, those that share most first.
    std::vector<Candidate> candidates() {
        std::map<std::pair<KernelIndex, KernelIndex>, std::int64_t> saved;
        const auto add = [&](KernelIndex left, KernelIndex right, std::int64_t bytes) {
            if (left == right || !fits(kernel(left), kernel(right))) return;
            saved[std::minmax(left, right)] += bytes;
        };
        for (auto& [place, readers] : readers_) {
            const auto& [node, part] = place;
            simplify(readers);
            const std::int64_t bytes = graph_.output_bytes(part);
            if (kernel_of_[node] != no_kernel) {
                for (const KernelIndex reader : readers) add(current(kernel_of_[node]), reader, bytes);
            }
            for (std::size_t left = 0; left < readers.size(); ++left) {
                const std::size_t end =
                    readers.size() <= most_compared_readers ? readers.size() : std::min(left + 2, readers.size());
                for (std::size_t right = left + 1; right < end; ++right) add(readers[left], readers[right], bytes);
            }
        }
        std::vector<Candidate> found;
        found.reserve(saved.size());
        for (const auto& [pair, bytes] : saved) found.push_back({pair.first, pair.second, bytes});
        std::ranges::stable_sort(found, std::ranges::greater{}, &Candidate::saved_bytes);
        return found;
    }

    void find_readers() {
        for (const Kernel& reader : kernels_) {
            if (!reader.fusible()) continue;
            for (const NodeId member : reader.nodes) {
                for (const BufferRead& read : buffers_.reads[member])
                    readers_[{read.node, read.part}].push_back(kernel_of_[member]);
            }
        }
    }

    /// What must be known to launch kernels in the order of the graph.
    void find_order() {
        takers_.resize(graph_.node_count());
        awaited_.assign(graph_.node_count(), 0);
        std::vector<NodeId> passed(graph_.node_count(), 0);  // the last wait between a value and the memory it is in
        // Of a node without a kernel: the memory without content that it is a view of; of such memory: who wrote it
        // last.
        std::vector<NodeId> allocated(graph_.node_count(), no_node), writer(graph_.node_count(), no_node);
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            const bool has_kernel = kernel_of_[node] != no_kernel;
            NodeId last = 0;
            for (const NodeId input : graph_.inputs(node)) {
                // Who writes into memory that was only allocated is not told by what reads it, or a view of it.
                const bool is_empty = only_allocates(graph_, input);
                const NodeId memory = is_empty ? input : kernel_of_[input] == no_kernel ? allocated[input] : no_node;
                NodeId before = kernel_of_[input] == no_kernel ? passed[input] : 0;
                if (is_empty) before = node;
                if (!is_empty && memory != no_node)
                    before = std::max(before, writer[memory] == no_node ? node : writer[memory]);
                last = std::max(last, before);
                if (!has_kernel && memory != no_node) allocated[node] = memory;
            }
            if (const Value* given = graph_.op(node) == NodeOp::call_function ? graph_.keyword(node, "out") : nullptr) {
                for_each_node(graph_.values(), *given, [&](NodeId into) {
                    const NodeId memory = only_allocates(graph_, into) ? into : allocated[into];
                    if (memory != no_node) writer[memory] = node;
                });
            }
            if (is_barrier(node)) last = node;
            (has_kernel ? awaited_ : passed)[node] = last;
            if (!has_kernel && !is_barrier(node) && graph_.op(node) != NodeOp::output) continue;
            for (const BufferRead& read : buffers_.reads[node]) takers_[read.node].push_back(node);
        }
    }

    NodeId place_of(NodeId node) {
        return kernel_of_[node] == no_kernel ? node : kernel(current(kernel_of_[node])).place;
    }

    bool is_of(NodeId node, KernelIndex first, KernelIndex second) {
        if (kernel_of_[node] == no_kernel) return false;
        const KernelIndex owner = current(kernel_of_[node]);
        return owner == first || owner == second;
    }

    /// The last operator of both in whose place they can be launched as one; no_node where there is none.
    NodeId place_of_both(KernelIndex first, KernelIndex second) {
        if (order_ == LaunchOrder::any) return std::max(kernel(first).place, kernel(second).place);
        NodeId earliest = 0, latest = graph_.node_count();  // inclusive, exclusive
        for (const KernelIndex one : {first, second}) {
            for (const NodeId node : kernel(one).nodes) {
                earliest = std::max(earliest, awaited_[node]);
                for (const BufferRead& read : buffers_.reads[node]) {
                    const bool has_kernel = kernel_of_[read.node] != no_kernel;
                    if (has_kernel && !is_of(read.node, first, second))
                        earliest = std::max(earliest, place_of(read.node) + 1);
                }
                for (const NodeId taker : takers_[node]) {
                    if (!is_of(taker, first, second)) latest = std::min(latest, place_of(taker));
                }
            }
        }
        NodeId place = no_node;
        for (const KernelIndex one : {first, second}) {
            for (const NodeId node : kernel(one).nodes) {
                if (node >= earliest && node < latest && (place == no_node || node > place)) place = node;
            }
        }
        return place;
    }

    /// Each kernel once, in graph order.
    void simplify(std::vector<KernelIndex>& readers) {
        for (KernelIndex& reader : readers) reader = current(reader);
        std::ranges::sort(readers);
        readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    }

    /// Whether some other kernel needs what `first` computes and computes what `second` needs.
    bool runs_between(KernelIndex first, KernelIndex second) {
        ++visit_;
        visited_.resize(graph_.node_count(), 0);
        last_needed_ = kernel(second).nodes.back();
        pending_.clear();
        for (const NodeId node : kernel(first).nodes) follow(node);
        while (!pending_.empty()) {
            const NodeId node = pending_.back();
            pending_.pop_back();
            const KernelIndex owner = kernel_of_[node] == no_kernel ? no_kernel : current(kernel_of_[node]);
            if (owner == first || owner == second) continue;
            if (owner == no_kernel && !is_barrier(node)) {
                follow(node);  // a view, or computed where it is read
            } else if (leads_to(node, owner, second)) {
                return true;
            }
        }
        return false;
    }

    bool is_barrier(NodeId node) const {
        return graph_.op(node) == NodeOp::call_function && graph_.target_info(node).is_wait;
    }

    void follow(NodeId node) {
        for (const NodeId user : graph_.users(node)) {
            if (user > last_needed_ || visited_[user] == visit_ || buffers_.operators[user].fills) continue;
            visited_[user] = visit_;
            pending_.push_back(user);
        }
    }

    /// Whether `second` needs what the kernel of `node`, or the wait that it is, gives.
    bool leads_to(NodeId node, KernelIndex owner, KernelIndex second) {
        std::vector<NodeId> open = owner == no_kernel ? std::vector<NodeId>{node} : kernel(owner).nodes;
        while (!open.empty()) {
            const NodeId from = open.back();
            open.pop_back();
            for (const NodeId user : graph_.users(from)) {
                if (user > last_needed_ || buffers_.operators[user].fills) continue;
                const KernelIndex of_user = kernel_of_[user] == no_kernel ? no_kernel : current(kernel_of_[user]);
                if (of_user == second) return true;
                if (reached_.size() < graph_.node_count()) reached_.resize(graph_.node_count(), 0);
                if (reached_[user] == visit_) continue;
                reached_[user] = visit_;
                if (of_user == no_kernel) {
                    open.push_back(user);
                } else {
                    for (const NodeId member : kernel(of_user).nodes) open.push_back(member);
                }
            }
        }
        return false;
    }

    void merge(KernelIndex into, KernelIndex gone) {
        Kernel& kept = kernel(into);
        Kernel& merged = kernel(gone);
        std::vector<NodeId> nodes;
        std::ranges::merge(kept.nodes, merged.nodes, std::back_inserter(nodes));
        kept.nodes = std::move(nodes);
        if (merged.loops.inner > 1) kept.loops = merged.loops;
        if (merged.role == KernelRole::reduction) kept.role = KernelRole::reduction;
        merged.nodes.clear();
        merged_into_.resize(kernels_.size(), no_kernel);
        merged_into_[static_cast<std::size_t>(gone)] = into;
    }

    KernelIndex current(KernelIndex index) {
        if (merged_into_.empty()) return index;
        while (merged_into_[static_cast<std::size_t>(index)] != no_kernel)
            index = merged_into_[static_cast<std::size_t>(index)];
        return index;
    }

    Kernel& kernel(KernelIndex index) { return kernels_[static_cast<std::size_t>(index)]; }

    FusedKernels result() {
        FusedKernels made;
        made.kernel_of_node.assign(graph_.node_count(), no_kernel);
        for (const Kernel& one : kernels_) {
            if (one.nodes.empty()) continue;
            for (const NodeId node : one.nodes)
                made.kernel_of_node[node] = static_cast<std::int32_t>(made.kernels.size());
            made.kernels.push_back({one.role, one.nodes, one.loops, one.place, 0, 0, {}, {}});
        }
        count_kernel_bytes(graph_, regions_, buffers_, made);
        made.inlined = std::move(buffers_.inlined);
        return made;
    }

    const Graph& graph_;
    std::span<const std::int32_t> regions_;
    LaunchOrder order_;
    KernelBuffers buffers_;
    std::vector<Kernel> kernels_;
    std::vector<KernelIndex> kernel_of_, merged_into_;
    std::map<std::pair<NodeId, NodeId>, std::vector<KernelIndex>> readers_;  // of a buffer or a part of it
    /// Of each node what reads its memory when it runs: operators with a kernel, waits, and the graph's output.
    std::vector<std::vector<NodeId>> takers_;
    std::vector<NodeId> awaited_;  ///< of each operator with a kernel: the last wait that what it reads passes, or 0
    std::vector<std::uint32_t> visited_, reached_;  // numbers of visits
    std::vector<NodeId> pending_;
    std::uint32_t visit_ = 0;
    NodeId last_needed_ = no_node;
};

}  // namespace

FusedKernels fused_kernels(const Graph& graph, std::span<const std::int32_t> regions, LaunchOrder order) {
    return Fuser(graph, regions, order).fuse();
}

FusedKernels fused_kernels(const Graph& graph) {
    return fused_kernels(graph, std::vector<std::int32_t>(graph.node_count(), 0));
}

std::vector<double> parts_of_kernel(const Graph& graph, std::span<const NodeId> nodes) {
    double all = 0;
    for (const NodeId node : nodes) all += static_cast<double>(graph.output_bytes(node));
    std::vector<double> parts;
    parts.reserve(nodes.size());
    for (const NodeId node : nodes) {
        parts.push_back(all > 0 ? static_cast<double>(graph.output_bytes(node)) / all
                                : 1 / static_cast<double>(nodes.size()));
    }
    return parts;
}

}  // namespace overlap
