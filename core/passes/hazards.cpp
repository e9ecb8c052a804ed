#include "core/passes/hazards.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "core/base/number_text.h"
#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/graph/direction.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

bool is_view(const Graph& graph, NodeId node) {
    return graph.op(node) == NodeOp::call_function && graph.target_info(node).traits.view;
}

bool is_compute(const Graph& graph, NodeId node) {
    return graph.op(node) == NodeOp::call_function && graph.target_info(node).traits.compute;
}

bool starts(const Graph& graph, NodeId node, CollectiveKind kind) {
    return graph.op(node) == NodeOp::call_function && graph.target_info(node).starts == kind;
}

std::string quoted_name(const Graph& graph, NodeId node) {
    return in_quotes(graph.name(node));
}

/// ` and 3 others`, ` and another one`, or nothing.
std::string and_others(std::size_t others) {
    if (others == 0) return {};
    return others == 1 ? " and another one" : " and " + std::to_string(others) + " others";
}

Problem problem_of(Severity severity, ProblemKind kind, std::string title, std::vector<std::string> nodes) {
    Problem problem;
    problem.severity = severity;
    problem.kind = kind;
    problem.title = std::move(title);
    problem.nodes = std::move(nodes);
    return problem;
}

/// For each node whether its result leads to one for which `wanted` holds.
template <typename Wanted>
std::vector<bool> leads_to(const Graph& graph, Wanted&& wanted) {
    std::vector<bool> leads(graph.node_count());
    for (NodeId node = graph.node_count(); node-- > 0;) {
        const std::span<const NodeId> users = graph.users(node);
        leads[node] = std::ranges::any_of(users, [&](NodeId user) { return leads[user] || wanted(user); });
    }
    return leads;
}

/// Finds nodes before a copy that read, directly or through views, a buffer that the copy fills.
class EarlyReaders {
  public:
    explicit EarlyReaders(const Graph& graph) : graph_(graph), mark_(graph.node_count()) {}

    /// In the order of the graph.
    std::vector<NodeId> of(NodeId copy) {
        std::vector<NodeId> readers;
        const Value* out = graph_.keyword(copy, "out");
        if (!out) return readers;
        ++now_;
        for_each_node(graph_.values(), *out, [&](NodeId written) {
            while (is_view(graph_, written) && graph_.inputs(written).size() == 1) {
                mark_[written] = now_;  // what it writes through is no reader
                written = graph_.inputs(written).front();
            }
            stack_.push_back(written);
        });
        while (!stack_.empty()) {
            const NodeId node = stack_.back();
            stack_.pop_back();
            for (const NodeId user : graph_.users(node)) {
                if (user >= copy || mark_[user] == now_) continue;
                mark_[user] = now_;
                (is_view(graph_, user) ? stack_ : readers).push_back(user);
            }
        }
        std::ranges::sort(readers);
        return readers;
    }

  private:
    const Graph& graph_;
    std::vector<std::uint32_t> mark_;  ///< by node: the copy for which it was met last
    std::uint32_t now_ = 0;
    std::vector<NodeId> stack_;
};

/// A path along users from `from` to `to`, both included; empty when there is none.
std::vector<NodeId> way(const Graph& graph, NodeId from, NodeId to) {
    std::vector<NodeId> came_from(graph.node_count(), no_node), queue = {from};
    came_from[from] = from;
    for (std::size_t index = 0; index < queue.size() && came_from[to] == no_node; ++index) {
        for (const NodeId user : graph.users(queue[index])) {
            if (came_from[user] != no_node) continue;
            came_from[user] = queue[index];
            queue.push_back(user);
        }
    }
    std::vector<NodeId> nodes;
    if (came_from[to] == no_node) return nodes;
    for (NodeId node = to; node != from; node = came_from[node]) nodes.push_back(node);
    nodes.push_back(from);
    std::ranges::reverse(nodes);
    return nodes;
}

void add_cyclic_order(const Graph& graph, std::vector<Problem>& problems) {
    std::vector<std::string> nodes, others;
    std::string first;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const std::span<const NodeId> inputs = graph.inputs(node);
        const auto later = std::ranges::find_if(inputs, [&](NodeId input) { return input >= node; });
        if (later == inputs.end()) continue;
        if (!first.empty()) {
            others.emplace_back(graph.name(node));
            continue;
        }
        const std::vector<NodeId> cycle = way(graph, node, *later);
        first = quoted_name(graph, node) + " is ordered after " + quoted_name(graph, *later) + ", which " +
                (cycle.empty() ? "stands behind it" : "needs its result");
        for (const NodeId member : cycle) nodes.emplace_back(graph.name(member));
        if (cycle.empty()) nodes = {std::string(graph.name(node)), std::string(graph.name(*later))};
    }
    if (first.empty()) return;
    nodes.insert(nodes.end(), others.begin(), others.end());
    Problem problem = problem_of(Severity::error, ProblemKind::cyclic_order, "Cyclic order", std::move(nodes));
    problem.message = first + (others.empty() ? "" : ", and so it is with" + and_others(others.size()).substr(4)) +
                      ": insert_overlap_deps makes a graph that cannot be executed, and PyTorch does not notice";
    problems.push_back(std::move(problem));
}

void add_exposed_reductions(const Graph& graph, const PassReport& report, std::vector<Problem>& problems) {
    const auto scatters = [](const BucketReport& bucket) { return bucket.kind == CollectiveKind::reduce_scatter; };
    if (std::ranges::none_of(report.buckets, scatters)) return;
    bool has_all_reduce = false;
    std::vector<std::uint32_t> computes_before(graph.node_count() + 1);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        has_all_reduce |= starts(graph, node, CollectiveKind::all_reduce);
        computes_before[node + 1] = computes_before[node] + (is_compute(graph, node) ? 1 : 0);
    }
    if (!has_all_reduce) return;
    const std::vector<bool> needed =
        leads_to(graph, [&](NodeId user) { return starts(graph, user, CollectiveKind::all_reduce); });
    std::vector<std::string> nodes;
    for (const BucketReport& bucket : report.buckets) {
        if (!scatters(bucket) || bucket.waits.empty()) continue;
        const NodeId start = graph.find(bucket.start), wait = graph.find(bucket.waits.front());
        if (start == no_node || wait == no_node || wait < start || !needed[wait]) continue;
        if (computes_before[start] == computes_before[wait]) nodes.push_back(bucket.start);
    }
    if (nodes.empty()) return;
    Problem problem =
        problem_of(Severity::caution, ProblemKind::exposed_reduction, "Exposed reduction", std::move(nodes));
    problem.message = "nothing is computed between " + in_quotes(problem.nodes.front()) +
                      and_others(problem.nodes.size() - 1) +
                      " and the wait, since an all-reduce needs the result (hybrid sharding): PyTorch delays the "
                      "all-reduce alone";
    problems.push_back(std::move(problem));
}

void add_activation_reductions(const Graph& input, const PassReport& report, std::vector<Problem>& problems) {
    const auto reduces = [](const BucketReport& bucket) { return bucket.kind == CollectiveKind::all_reduce; };
    if (std::ranges::none_of(report.buckets, reduces)) return;
    const std::vector<bool> computed_with = leads_to(input, [&](NodeId user) { return is_compute(input, user); });
    std::vector<std::string> nodes;
    std::set<std::size_t> entries;
    for (const BucketReport& bucket : report.buckets) {
        if (!reduces(bucket)) continue;
        for (const std::string& member : bucket.members) {
            const NodeId node = input.find(member);
            if (node == no_node || !computed_with[node]) continue;
            nodes.push_back(member);
            if (bucket.plan_entry) entries.insert(*bucket.plan_entry);
        }
    }
    if (nodes.empty()) return;
    Problem problem = problem_of(Severity::caution, ProblemKind::activation_reduction_bucketed, "Activations bucketed",
                                 std::move(nodes));
    if (entries.size() == 1) problem.plan_entry = static_cast<int>(*entries.begin());
    problem.message = in_quotes(problem.nodes.front()) + and_others(problem.nodes.size() - 1) +
                      " reduce what is computed with afterwards, such as activations of tensor parallelism, and were "
                      "bucketed all the same: PyTorch takes every all-reduce of a bucket's modules for a gradient's, "
                      "and moves it";
    problems.push_back(std::move(problem));
}

/// Whether a start was made by a bucketing pass, as far as the nodes around it show.
bool is_bucketed(const Graph& graph, NodeId start) {
    if (graph.target(start) == "_c10d_functional.all_gather_into_tensor_out.default") return true;
    const Value* packed = graph.argument(start, 0);
    if (!packed || !packed->is(ValueKind::node)) return false;
    NodeId packing = packed->node;
    if (is_view(graph, packing) && !graph.inputs(packing).empty()) packing = graph.inputs(packing).front();
    const std::string_view target = graph.target(packing);
    if (target.starts_with("bucketing._pre_bucket_")) return true;
    if (target != "aten.cat.default") return false;
    const std::span<const NodeId> waits = graph.users(start);
    if (waits.size() != 1 || graph.users(waits.front()).size() != 1) return false;
    return graph.target(graph.users(waits.front()).front()).starts_with("aten.split_with_sizes.");
}

void add_repetition(const Graph& input, const PassReport& report, std::vector<Problem>& problems) {
    std::vector<std::string> nodes;
    for (const BucketReport& bucket : report.buckets) {
        for (const std::string& member : bucket.members) {
            const NodeId node = input.find(member);
            if (node != no_node && is_bucketed(input, node)) nodes.push_back(member);
        }
    }
    if (nodes.empty()) return;
    Problem problem = problem_of(Severity::note, ProblemKind::not_idempotent, "Bucketed again", std::move(nodes));
    problem.message = in_quotes(problem.nodes.front()) + and_others(problem.nodes.size() - 1) +
                      " had been made by a bucketing pass before and were packed once more, as PyTorch does";
    problems.push_back(std::move(problem));
}

/// One problem for all buckets, since their memory adds up.
void add_gathered_for_both(const Graph& input, const PassReport& report, std::vector<Problem>& problems) {
    std::vector<std::string> merged;
    std::set<std::size_t> entries;
    std::int64_t held = 0;
    for (const BucketReport& bucket : report.buckets) {
        if (bucket.kind != CollectiveKind::all_gather) continue;
        std::int64_t backward_bytes = 0;
        std::size_t backward = 0;
        for (const std::string& member : bucket.members) {
            const NodeId node = input.find(member);
            if (node == no_node || !runs_in_backward(input, node)) continue;
            ++backward;
            for (const TensorMeta& tensor : input.outputs(node)) backward_bytes += input.tensor_bytes(tensor);
        }
        if (backward == 0 || backward == bucket.members.size()) continue;
        merged.push_back(bucket.start);
        if (bucket.plan_entry) entries.insert(*bucket.plan_entry);
        held += backward_bytes;
    }
    if (merged.empty()) return;
    Problem problem = problem_of(Severity::note, ProblemKind::gathered_for_both, "Gathered for both", merged);
    if (entries.size() == 1) problem.plan_entry = static_cast<int>(*entries.begin());
    problem.message = counted(merged.size(), "merged gather") + (merged.size() == 1 ? " is" : " are") +
                      " for forward and backward at once, so " + bytes_text(held) +
                      " for backward stay gathered from forward on; "
                      "joint_transformer_block_bucketing_reordering_pass keeps the two apart";
    problems.push_back(std::move(problem));
}

}  // namespace

std::vector<Problem> reads_before_fill(const Graph& graph) {
    std::vector<Problem> problems;
    const TargetSet copies(graph, {"aten.split_with_sizes_copy.out"});
    if (!copies.any()) return problems;
    EarlyReaders early(graph);
    for (NodeId copy = 0; copy < graph.node_count(); ++copy) {
        if (!copies.has(graph.record(copy))) continue;
        const std::vector<NodeId> readers = early.of(copy);
        if (readers.empty()) continue;
        Problem problem = problem_of(Severity::error, ProblemKind::read_before_fill, "Read before fill", {});
        for (const NodeId reader : readers) problem.nodes.emplace_back(graph.name(reader));
        problem.nodes.emplace_back(graph.name(copy));
        problem.message =
            quoted_name(graph, readers.front()) + and_others(readers.size() - 1) +
            (readers.size() == 1 ? " reads" : " read") + " gathered parameters before " + quoted_name(graph, copy) +
            " fills their buffer: the job computes with uninitialised memory, and PyTorch does not notice";
        problems.push_back(std::move(problem));
    }
    return problems;
}

bool are_reads_before_same_fill(const Problem& left, const Problem& right) {
    return left.kind == ProblemKind::read_before_fill && right.kind == left.kind &&
           left.nodes.back() == right.nodes.back();
}

bool is_new_read_before_fill(const Problem& read, std::span<const Problem> known) {
    return std::ranges::none_of(known, [&](const Problem& other) {
        return are_reads_before_same_fill(read, other) && std::ranges::all_of(read.nodes, [&](const std::string& node) {
                   return std::ranges::count(other.nodes, node) > 0;
               });
    });
}

std::vector<Problem> find_hazards(const Graph& input, const Graph& result, const PassReport& report) {
    std::vector<Problem> problems = reads_before_fill(result);
    add_cyclic_order(result, problems);
    add_exposed_reductions(result, report, problems);
    add_activation_reductions(input, report, problems);
    add_repetition(input, report, problems);
    add_gathered_for_both(input, report, problems);
    return problems;
}

}  // namespace overlap
