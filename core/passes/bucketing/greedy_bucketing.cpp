#include "core/passes/bucketing/greedy_bucketing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/byte_units.h"
#include "core/passes/bucketing/bucket_keys.h"
#include "core/passes/bucketing/bucket_report.h"

namespace overlap {

namespace {

/// Which collectives follow from the members of one bucket. The walk enters only nodes that lead to a candidate: no
/// other can be queried, and hardly any of FSDP's collectives leads to another.
class Descendants {
  public:
    Descendants(const GraphEditor& graph, const std::vector<std::vector<NodeId>>& runs)
        : graph_(graph), leads_to_candidate_(graph.number_count()), reached_(graph.number_count()) {
        for (const std::vector<NodeId>& run : runs) {
            stack_.insert(stack_.end(), run.begin(), run.end());
        }
        for (const NodeId candidate : stack_) leads_to_candidate_[candidate] = true;
        while (!stack_.empty()) {
            const NodeId node = stack_.back();
            stack_.pop_back();
            for (const NodeId input : graph_.inputs(node)) {
                if (leads_to_candidate_[input]) continue;
                leads_to_candidate_[input] = true;
                stack_.push_back(input);
            }
        }
    }

    void start_bucket() { ++bucket_; }
    bool reach(NodeId node) const { return reached_[node] == bucket_; }

    void add_member(NodeId start) {
        stack_.push_back(start);
        while (!stack_.empty()) {
            const NodeId node = stack_.back();
            stack_.pop_back();
            graph_.for_each_user(node, [&](NodeId user) {
                if (!leads_to_candidate_[user] || reached_[user] == bucket_) return;
                reached_[user] = bucket_;
                stack_.push_back(user);
            });
        }
    }

  private:
    const GraphEditor& graph_;
    std::vector<bool> leads_to_candidate_;
    std::vector<std::uint32_t> reached_;  ///< by node: the last bucket that it follows from
    std::uint32_t bucket_ = 1;
    std::vector<NodeId> stack_;
};

/// The collective that a wait awaits; no_node for nodes that are no wait.
NodeId awaited(const GraphEditor& graph, NodeId wait) {
    if (graph.op(wait) != NodeOp::call_function || !graph.target_info(wait).is_wait) return no_node;
    const NodeId start = graph.node_argument(wait, 0);
    if (start == no_node) {
        refuse_member(graph, wait, "it does not wait for a node, and PyTorch raises an AttributeError");
    }
    return start;
}

/// Maximal runs of at least two collectives with one key, in order of their waits.
std::vector<std::vector<NodeId>> runs_of_one_key(const GraphEditor& graph, const GreedyBucketing& rule) {
    std::vector<std::vector<NodeId>> runs;
    std::optional<BucketKey> current;
    for (NodeId node = graph.first(); node != no_node; node = graph.next(node)) {
        const NodeId start = awaited(graph, node);
        if (start == no_node || bucketable_kind(graph, start) != rule.kind) continue;
        if (rule.takes_wait && !rule.takes_wait(node)) continue;
        const BucketKey key = bucket_key(graph, start, rule.several_dtypes);
        if (key != current) runs.emplace_back();
        current = key;
        runs.back().push_back(start);
    }
    std::erase_if(runs, [](const std::vector<NodeId>& run) { return run.size() < 2; });
    return runs;
}

/// MiB as whole bytes, towards zero.
std::int64_t bytes_of_cap(double megabytes) {
    const double bytes = std::trunc(megabytes * bytes_per_mib);
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    return bytes >= static_cast<double>(most) ? most : static_cast<std::int64_t>(bytes);
}

/// The larger of result and first input.
std::int64_t bucket_bytes(const GraphEditor& graph, NodeId start) {
    const std::span<const NodeId> inputs = graph.inputs(start);
    if (inputs.empty()) refuse_member(graph, start, "it has no input, and PyTorch raises an IndexError");
    const auto is_tensor = [&](NodeId node) {
        return graph.outputs(node).size() == 1 && graph.outputs(node).front().is_tensor;
    };
    if (!is_tensor(start) || !is_tensor(inputs.front())) {
        refuse_member(graph, start, "the file does not say which tensor goes in or comes out");
    }
    return std::max(output_bytes(graph, start), output_bytes(graph, inputs.front()));
}

bool has_collective(const GraphEditor& graph, CollectiveKind kind) {
    for (NodeId node = graph.first(); node != no_node; node = graph.next(node)) {
        if (bucketable_kind(graph, node) == kind) return true;
    }
    return false;
}

}  // namespace

std::vector<std::vector<NodeId>> greedy_buckets(const GraphEditor& graph, const GreedyBucketing& rule) {
    if (!has_collective(graph, rule.kind)) return {};
    const std::vector<std::vector<NodeId>> runs = runs_of_one_key(graph, rule);
    const std::int64_t most = bytes_of_cap(rule.bucket_cap_mb);
    Descendants descendants(graph, runs);
    std::vector<std::vector<NodeId>> buckets;
    for (const std::vector<NodeId>& run : runs) {
        std::vector<NodeId> bucket;
        std::int64_t bytes = 0;
        const auto close = [&] {
            if (bucket.size() > 1) buckets.push_back(std::move(bucket));
            bucket = {};
            bytes = 0;
            descendants.start_bucket();
        };
        for (const NodeId start : run) {
            if (descendants.reach(start)) continue;
            const std::int64_t more = bucket_bytes(graph, start);
            if (!bucket.empty() && more > most - bytes) close();
            bytes += more;
            bucket.push_back(start);
            descendants.add_member(start);
        }
        close();
    }
    return buckets;
}

void bucket_greedily(GraphEditor& graph, const GreedyBucketing& rule, BucketMode mode,
                     std::vector<BucketReport>& reports) {
    for (const std::vector<NodeId>& bucket : greedy_buckets(graph, rule)) {
        const NodeId behind_last = graph.next(bucket.back());
        merge_bucket(graph, bucket, mode, {behind_last, behind_last}, reports.emplace_back());
    }
}

}  // namespace overlap
