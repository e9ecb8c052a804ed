#include "core/views/bucket_figures.h"

#include <algorithm>

#include "core/cost/cost_model.h"
#include "core/modules/home_module.h"

namespace overlap {

namespace {

std::string_view reduce_operation(const Graph& graph, NodeId start, CollectiveKind kind) {
    if (kind == CollectiveKind::all_gather) return {};
    const Value* operation = graph.argument(start, 1);
    return operation && operation->is(ValueKind::string) ? graph.text(operation->string) : std::string_view{};
}

std::string_view output_dtype(const Graph& graph, NodeId start) {
    const std::span<const TensorMeta> outputs = graph.outputs(start);
    return outputs.empty() || !outputs[0].is_tensor ? std::string_view{} : dtype_info(outputs[0].dtype).name;
}

MergedCollective& group_of(std::vector<MergedCollective>& groups, const Graph& graph, NodeId start) {
    const CollectiveKind kind = graph.target_info(start).starts;
    const std::string_view process_group = graph.group_name(start);
    const std::string_view operation = reduce_operation(graph, start, kind);
    const std::string_view dtype = output_dtype(graph, start);
    for (MergedCollective& group : groups) {
        if (group.kind == kind && group.process_group == process_group && group.reduce_operation == operation &&
            group.dtype == dtype) {
            return group;
        }
    }
    MergedCollective& made = groups.emplace_back();
    made.kind = kind;
    made.process_group = process_group;
    made.reduce_operation = operation;
    made.dtype = dtype;
    return made;
}

std::optional<double> merged_time_ms(const Graph& graph, const MergedCollective& merged) {
    const std::optional<CostParameters>& cost = graph.header().cost;
    if (const CostParameters::Link* link = cost ? cost->link(merged.process_group) : nullptr;
        link && link->bytes_per_s > 0) {
        return collective_time_ms(*link, merged.kind, merged.bytes);
    }
    double sum_ms = 0;
    for (const NodeId member : merged.members) {
        const std::optional<double> own_ms = graph.metadata(member).estimate_ms;
        if (!own_ms) return std::nullopt;
        sum_ms += *own_ms;
    }
    return sum_ms;
}

}  // namespace

std::size_t BucketFigures::count(CollectiveKind kind) const {
    std::size_t members = 0;
    for (const MergedCollective& merged : collectives) {
        if (merged.kind == kind) members += merged.members.size();
    }
    return members;
}

std::int64_t BucketFigures::bytes(CollectiveKind kind) const {
    std::int64_t bytes = 0;
    for (const MergedCollective& merged : collectives) {
        if (merged.kind == kind) bytes += merged.bytes;
    }
    return bytes;
}

std::optional<double> BucketFigures::time_ms(CollectiveKind kind) const {
    double sum_ms = 0;
    for (const MergedCollective& merged : collectives) {
        if (merged.kind != kind) continue;
        if (!merged.time_ms) return std::nullopt;
        sum_ms += *merged.time_ms;
    }
    return sum_ms;
}

BucketFigures bucket_figures(const Graph& graph, const ModuleTree& tree, const BucketingEligibility& eligibility,
                             const BucketEntry& entry, std::span<const NodeId> removed) {
    BucketFigures figures;
    for (const std::string& module : entry.modules) {
        for (const NodeId node : tree.nodes(module)) {
            if (!eligibility.eligible(node) || std::ranges::binary_search(removed, node)) continue;
            MergedCollective& merged = group_of(figures.collectives, graph, node);
            merged.members.push_back(node);
            const NodeId parameter = eligibility.only_placeholder(node);
            if (merged.kind == CollectiveKind::all_gather) figures.parameters.push_back(parameter);
        }
    }
    std::sort(figures.parameters.begin(), figures.parameters.end());
    figures.parameters.erase(std::unique(figures.parameters.begin(), figures.parameters.end()),
                             figures.parameters.end());
    for (MergedCollective& merged : figures.collectives) {
        std::int64_t input_bytes = 0, output_bytes = 0;
        for (const NodeId member : merged.members) {
            input_bytes += collective_input_bytes(graph, member);
            output_bytes += collective_output_bytes(graph, member);
        }
        merged.bytes = std::max(input_bytes, output_bytes);
        merged.time_ms = merged_time_ms(graph, merged);
    }
    return figures;
}

std::vector<BucketableCollective> bucketable_collectives(const Graph& graph, const ModuleTree& tree,
                                                         const BucketingEligibility& eligibility) {
    const std::vector<ModuleTree::ModuleId> homes = home_modules(tree, graph.node_count());
    std::vector<BucketableCollective> collectives;
    collectives.reserve(eligibility.collectives().size());
    for (const NodeId start : eligibility.collectives()) {
        const CollectiveKind kind = graph.target_info(start).starts;
        const NodeId parameter = kind == CollectiveKind::all_gather ? eligibility.only_placeholder(start) : no_node;
        collectives.push_back({start, kind, parameter, homes[start], collective_bytes(graph, start)});
    }
    return collectives;
}

std::vector<BucketableCollective> uncovered_collectives(std::span<const BucketableCollective> collectives,
                                                        const ModuleTree& tree,
                                                        const std::vector<BucketEntry>& buckets) {
    if (buckets.empty() || collectives.empty()) return {collectives.begin(), collectives.end()};
    std::vector<bool> covered(collectives.back().start + 1, false);
    for (const BucketEntry& entry : buckets) {
        for (const std::string& module : entry.modules) {
            for (const NodeId node : tree.nodes(module)) {
                if (node < covered.size()) covered[node] = true;
            }
        }
    }
    std::vector<BucketableCollective> uncovered;
    for (const BucketableCollective& collective : collectives) {
        if (!covered[collective.start]) uncovered.push_back(collective);
    }
    return uncovered;
}

std::vector<std::int32_t> buckets_of_modules(const ModuleTree& tree, const std::vector<BucketEntry>& buckets) {
    std::vector<std::int32_t> bucket_of(tree.module_count(), -1);
    if (buckets.empty()) return bucket_of;
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
        for (const std::string& path : buckets[bucket].modules) {
            const ModuleTree::ModuleId module = tree.find(path);
            if (module != ModuleTree::no_module && bucket_of[module] < 0)
                bucket_of[module] = static_cast<std::int32_t>(bucket);
        }
    }
    for (ModuleTree::ModuleId module = 1; module < bucket_of.size(); ++module) {  // parents are made first
        const std::int32_t around = bucket_of[tree.module(module).parent];
        if (around >= 0 && (bucket_of[module] < 0 || around < bucket_of[module])) bucket_of[module] = around;
    }
    return bucket_of;
}

}  // namespace overlap
