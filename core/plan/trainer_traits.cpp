#include "core/plan/trainer_traits.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_set>

#include "core/files/json_members.h"
#include "core/modules/parameter_names.h"
#include "core/passes/bucketing/eligibility.h"
#include "core/plan/memory_section.h"

namespace overlap {

namespace {

/// Place of each module with parameters, in the order in which they are registered (the trainer strips the parameters'
/// own names and lets the first count).
NamedIntegers parameter_order(const Graph& graph) {
    NamedIntegers order;
    const auto names = parameter_names(graph);
    if (!names) return order;
    std::unordered_set<std::string> known;
    for (const auto& [placeholder, parameter] : *names) {
        const std::size_t dot = parameter.rfind('.');
        if (dot == std::string::npos) continue;
        const std::string module = parameter.substr(0, dot);
        if (known.insert(module).second) order.emplace_back(module, static_cast<std::int64_t>(order.size()));
    }
    return order;
}

void read_layers(const ModuleTree& tree, TrainerTraits& traits) {
    const ModuleTree::ModuleId layers = tree.exists() ? tree.find("layers") : ModuleTree::no_module;
    if (layers == ModuleTree::no_module) return;
    for (const ModuleTree::ModuleId layer : tree.module(layers).children) {
        const std::string& name = tree.module(layer).name;
        std::int64_t number = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
        if (error != std::errc{} || end != name.data() + name.size()) continue;
        traits.layers = std::max(traits.layers, number + 1);
        if (tree.child(layer, "moe") != ModuleTree::no_module) traits.expert_layers.push_back(number);
    }
    std::ranges::sort(traits.expert_layers);
}

/// The trainer's pattern for a module whose batch is halved, by its path as JSON: `layers.*.moe` or `layers.*`.
std::string pattern_of(std::string_view region_json) {
    return region_json.find(".moe") == region_json.npos ? whole_blocks : expert_modules;
}

}  // namespace

TrainerTraits trainer_traits(const Graph& graph, const ModuleTree& tree) {
    TrainerTraits traits;
    const BucketingEligibility eligibility(graph);
    traits.joint = tree.source() == ModuleSource::module_fqn && tree.exists();
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const NodeMetadata& metadata = graph.metadata(node);
        const std::string_view fields = graph.text(metadata.extra_json);
        if (graph.op(node) == NodeOp::placeholder)
            traits.symbolic_inputs |= fields.find("symbolic_shapes") != fields.npos;
        if (graph.op(node) != NodeOp::call_function) continue;
        const CollectiveKind kind = graph.target_info(node).starts;
        traits.exchanges |= kind == CollectiveKind::all_to_all;
        traits.gathers_again |= kind == CollectiveKind::all_gather && metadata.autograd_backward.value_or(false);
        const bool in_block = graph.text(metadata.module_fqn).starts_with("layers.");
        if (in_block && (kind == CollectiveKind::all_gather || kind == CollectiveKind::reduce_scatter)) {
            const BucketingObstacle obstacle = eligibility.obstacle(node);
            traits.communicates_activations |=
                obstacle == BucketingObstacle::several_placeholders || obstacle == BucketingObstacle::joined_downstream;
        }
        traits.bucketed |= graph.target(node).starts_with("bucketing.");
        const std::string_view custom = graph.text(metadata.custom_json);
        if (traits.halved_by_model.empty() && custom.find("chunked_region_fqn") != custom.npos)
            traits.halved_by_model = pattern_of(json_member(custom, "chunked_region_fqn"));
        traits.halves_ordered |= custom.find("EP_token_exchange_wait") != custom.npos;
        if (fields.find("chunked_region_fqn") == fields.npos) continue;
        traits.chunked = true;
        if (traits.halved_by_pass.empty())
            traits.halved_by_pass = pattern_of(json_member(json_member(fields, "titan_meta"), "chunked_region_fqn"));
    }
    if (!traits.halved_by_model.empty()) traits.halved_by_pass.clear();
    for (const ProcessGroup& group : graph.header().process_groups) {
        traits.reassigned |= group.description == "fsdp_extra";
    }
    traits.recomputes = has_run_memory_passes(graph);
    read_layers(tree, traits);
    traits.module_order = parameter_order(graph);
    return traits;
}

}  // namespace overlap
