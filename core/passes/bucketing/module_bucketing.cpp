#include "core/passes/bucketing/module_bucketing.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/graph/editing/graph_editor.h"
#include "core/graph/module_nodes.h"
#include "core/passes/bucketing/bucket_keys.h"
#include "core/passes/bucketing/bucket_report.h"
#include "core/passes/bucketing/collective_reachability.h"
#include "core/passes/bucketing/device_puts.h"
#include "core/passes/bucketing/fsdp_collectives.h"
#include "core/passes/bucketing/safe_unpacking.h"
#include "core/passes/hazards.h"
#include "core/passes/overlaps/overlap_order.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

/// Nodes of each plan entry; none where no node has a module. @throws InputError when a node belongs to two.
std::vector<std::vector<NodeId>> select_scopes(const Graph& graph, ModuleSource source, const ModuleLists& plans) {
    std::vector<std::string_view> paths;
    for (const ModuleList& entry : plans) paths.insert(paths.end(), entry.modules.begin(), entry.modules.end());
    const ModuleNodes nodes_of(graph, source, paths);
    std::vector<std::vector<NodeId>> scopes;
    if (!nodes_of.exist()) return scopes;
    std::size_t total = 0, distinct = 0, path = 0;
    std::vector<bool> seen(graph.node_count());
    NodeId repeated = no_node;
    for (const ModuleList& entry : plans) {
        std::vector<NodeId>& scope = scopes.emplace_back();
        for (std::size_t module = 0; module < entry.modules.size(); ++module) {
            const std::span<const NodeId> nodes = nodes_of.of(path++);
            scope.insert(scope.end(), nodes.begin(), nodes.end());
        }
        total += scope.size();
        for (const NodeId node : scope) {
            if (seen[node] && repeated == no_node) repeated = node;
            if (!seen[node]) ++distinct;
            seen[node] = true;
        }
    }
    if (total > distinct) {
        throw InputError("bucket plans",
                         "entries overlap: " + std::to_string(total - distinct) +
                             " nodes are selected twice, such as " + in_quotes(graph.name(repeated)) +
                             ", and PyTorch raises an AssertionError",
                         ErrorCode::overlapping_entries);
    }
    return scopes;
}

class Run {
  public:
    Run(const std::shared_ptr<const Graph>& source, const ModuleBucketing& settings, std::stop_token stop)
        : source_(*source),
          settings_(settings),
          bucket_mode_(bucket_mode_by_name(settings.options.bucket_mode)),
          module_order_(settings.options.fsdp_param_module_order.begin(),
                        settings.options.fsdp_param_module_order.end()),
          stop_(std::move(stop)),
          editor_(source),
          reachability_(source_, recognised_collectives(source_)),
          placeholders_(source_.node_count(), no_node) {
        for (NodeId node = 0; node < source_.node_count(); ++node)
            placeholders_[node] = PlaceholderAncestry::combined(source_, node, placeholders_);
    }

    PassResult operator()() {
        make_device_puts_blocking(editor_);
        const auto scopes = select_scopes(source_, settings_.source, settings_.options.plans);
        require(!settings_.joint || scopes.size() == settings_.options.plans.size(),
                "no node has a module, so no entry of the plan selects anything");
        for (std::size_t entry = 0; entry < scopes.size(); ++entry) {
            if (stop_.stop_requested()) return {};
            if (settings_.joint) {
                bucket_directions(entry, scopes[entry]);
            } else {
                bucket_scope(entry, scopes[entry]);
            }
        }
        require(editor_.is_topological(), "the graph after bucketing is not in topological order");
        reorder(scopes);
        PassResult result;
        result.report = std::move(report_);
        result.graph = editor_.finish(result.origin);
        std::ranges::move(find_hazards(source_, *result.graph, result.report),
                          std::back_inserter(result.report.problems));
        if (settings_.options.safe) result.report.problems.push_back(what_safe_changed());
        return result;
    }

  private:
    void reorder(const std::vector<std::vector<NodeId>>& scopes) {
        std::vector<bool> in_scope(settings_.joint ? editor_.source_count() : 0);
        if (settings_.joint) {
            for (const std::vector<NodeId>& scope : scopes) {
                for (const NodeId node : scope) in_scope[node] = true;
            }
        }
        OverlapDependencies dependencies = settings_.joint ? joint_overlap_dependencies(editor_, roles_, in_scope)
                                                           : overlap_dependencies(editor_, roles_);
        for (const auto& [target, sources] : dependencies) {
            for (const NodeId source : sources) {
                report_.orderings.push_back({std::string(editor_.name(target)), std::string(editor_.name(source))});
            }
        }
        require(move_overlap_nodes(editor_, dependencies, roles_) && editor_.is_topological(),
                "the overlaps cannot be ordered without a cycle");
        if (!settings_.options.insert_overlap_deps) return;
        if (settings_.options.safe) leave_out_contradictions(dependencies);
        insert_control_deps(editor_, dependencies);
    }

    /// Of the orderings wanted, those that the order of the nodes could not satisfy: as edges they would make a cycle.
    void leave_out_contradictions(OverlapDependencies& dependencies) {
        for (auto& [target, sources] : dependencies) {
            orderings_left_out_ +=
                std::erase_if(sources, [&, after = target](NodeId source) { return editor_.is_before(after, source); });
        }
        std::erase_if(dependencies, [](const auto& dependency) { return dependency.second.empty(); });
    }

    Problem what_safe_changed() const {
        Problem problem;
        problem.kind = ProblemKind::safe;
        problem.title = "Not PyTorch's";
        if (reads_ordered_ == 0 && orderings_left_out_ == 0) {
            problem.title = "Nothing to add";
            problem.message = "safe: no edge is missing, so the result is PyTorch's";
            return problem;
        }
        problem.message = "safe: not PyTorch's result: " + std::to_string(reads_ordered_) +
                          " gathered results were made to depend on the copies that fill their buffers";
        if (orderings_left_out_ > 0) {
            problem.message +=
                ", and " + std::to_string(orderings_left_out_) + " orderings that contradict the data were left out";
        }
        return problem;
    }

    /// torchtitan's joint pass: forward and backward nodes of an entry are separate scopes, and new nodes record which
    /// entry and direction they belong to.
    void bucket_directions(std::size_t entry, const std::vector<NodeId>& scope) {
        for (const bool backward : {false, true}) {
            std::vector<NodeId> nodes;
            std::ranges::copy_if(scope, std::back_inserter(nodes), [&](NodeId node) {
                return editor_.metadata(node).autograd_backward.value_or(false) == backward;
            });
            const NodeId first_new = editor_.number_count();
            bucket_scope(entry, nodes);
            const nlohmann::ordered_json bucket = {
                {"fsdp_bucket",
                 {{"plan_fqns", settings_.options.plans.at(entry).modules}, {"direction", backward ? "bwd" : "fwd"}}}};
            const StringId extra = first_new < editor_.number_count() ? editor_.intern(bucket.dump()) : empty_string;
            for (NodeId node = first_new; node < editor_.number_count(); ++node) {
                NodeMetadata metadata = editor_.metadata(node);
                metadata.extra_json = extra;
                if (backward) metadata.autograd_backward = true;
                editor_.set_metadata(node, metadata);
            }
        }
    }

    /// Members in the order in which the job's parameters are registered, where that is known.
    void sort_by_parameter(std::vector<NodeId>& bucket) const {
        if (module_order_.empty()) return;
        std::vector<std::pair<std::int64_t, NodeId>> placed;
        placed.reserve(bucket.size());
        for (const NodeId start : bucket) {
            const auto known = module_order_.find(editor_.text(editor_.metadata(start).module_fqn));
            placed.emplace_back(known == module_order_.end() ? source_.node_count() : known->second, start);
        }
        std::ranges::sort(placed);
        std::ranges::transform(placed, bucket.begin(), &std::pair<std::int64_t, NodeId>::second);
    }

    static void require(bool holds, const char* otherwise) {
        if (!holds) throw InputError("", std::string(otherwise) + ", and PyTorch raises an error");
    }

    /// Whether the reference buckets the collective, on the graph as it is now.
    bool is_bucketed(NodeId node) const {
        switch (bucketable_kind(editor_, node)) {
            case CollectiveKind::all_gather:
                return placeholders_[node] != no_node && placeholders_[node] != PlaceholderAncestry::several;
            case CollectiveKind::reduce_scatter:
                return reaches_output_alone(editor_, node);
            case CollectiveKind::all_reduce:
                return true;
            default:
                return false;
        }
    }

    void bucket_scope(std::size_t entry, const std::vector<NodeId>& scope) {
        std::vector<std::pair<BucketKey, std::vector<NodeId>>> groups;
        for (const NodeId node : scope) {
            if (reachability_.wait_of(node) == no_node || editor_.is_erased(node)) continue;
            if (!is_bucketed(node)) continue;
            const BucketKey key = bucket_key(editor_, node);
            auto group = std::ranges::find(groups, key, &decltype(groups)::value_type::first);
            if (group == groups.end()) group = groups.insert(group, {key, {}});
            group->second.push_back(node);
        }
        // All buckets of a scope are planned before the first is merged.
        std::vector<std::vector<NodeId>> buckets;
        for (const auto& [key, members] : groups) {
            for (std::vector<NodeId>& bucket : reachability_.independent_levels(members)) {
                reachability_.plan_merge(bucket);
                buckets.push_back(std::move(bucket));
            }
        }
        std::vector<NodeId> changed;
        for (std::vector<NodeId>& bucket : buckets) {
            sort_by_parameter(bucket);
            merge(entry, bucket, changed);
        }
        require(sort_if_needed(editor_, changed), "merging makes a cycle");
    }

    void merge(std::size_t entry, const std::vector<NodeId>& bucket, std::vector<NodeId>& changed) {
        const auto in_order = [&](NodeId left, NodeId right) { return editor_.is_before(left, right); };
        std::vector<NodeId> waits, candidates = {*std::ranges::min_element(bucket, in_order)};
        for (const NodeId start : bucket) {
            waits.push_back(reachability_.wait_of(start));
            for (const NodeId user : editor_.users(waits.back())) changed.push_back(user);
            candidates.push_back(merged_input(editor_, start));
        }
        const NodeId anchor = *std::ranges::max_element(candidates, in_order);
        NodeId next = editor_.next(anchor);
        while (std::ranges::find(bucket, next) != bucket.end()) next = editor_.next(next);
        const NodeId first_wait = *std::ranges::min_element(waits, in_order);
        const MergePlace place{next, editor_.is_before(first_wait, next) ? next : first_wait};

        BucketReport report;
        const MergedBucket merged = merge_bucket(editor_, bucket, bucket_mode_, place, report);
        report.plan_entry = entry;
        if (settings_.options.safe) reads_ordered_ += order_reads_after_fill(editor_, merged.nodes);
        roles_.set(merged.start, start_role(report.kind));
        for (const NodeId wait : merged.waits) {
            roles_.set(wait, wait_role(report.kind));
            roles_.set_canonical_wait(wait, merged.waits.back());
        }
        for (const auto& [wait, output] : merged.replacements) changed.push_back(output);

        report_.buckets.push_back(std::move(report));
    }

    const Graph& source_;
    const ModuleBucketing& settings_;
    const BucketMode bucket_mode_;
    const std::map<std::string, std::int64_t, std::less<>> module_order_;  ///< place of a module's parameters
    std::stop_token stop_;
    GraphEditor editor_;
    CollectiveReachability reachability_;
    std::vector<NodeId> placeholders_;  ///< of each node of the source, as PlaceholderAncestry::combined() has it
    BucketRoles roles_;
    PassReport report_;
    std::size_t reads_ordered_ = 0, orderings_left_out_ = 0;  ///< by the option `safe`
};

}  // namespace

BucketMode bucket_mode_by_name(const std::optional<std::string>& name) {
    if (!name || name->empty() || name->find("custom_ops") != std::string::npos) return BucketMode::custom_ops;
    return *name == "coalesced" ? BucketMode::coalesced : BucketMode::concatenate;
}

PassResult bucket_by_modules(const std::shared_ptr<const Graph>& graph, const ModuleBucketing& settings,
                             std::stop_token stop) {
    return or_refused(settings.pass_name, [&] {
        PassResult result = Run(graph, settings, std::move(stop))();
        result.report.pass = settings.pass_name;
        return result;
    });
}

}  // namespace overlap
