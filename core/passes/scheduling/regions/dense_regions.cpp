#include "core/passes/scheduling/regions/dense_regions.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/graph/direction.h"

namespace overlap {

namespace {

/// The part of a path before the first dot; the path loses it and the dot.
std::string_view take_component(std::string_view& path) {
    const std::size_t dot = path.find('.');
    const std::string_view component = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    return component;
}

/// `layers.1.attention...`: in a layer with experts only attention and its norm run beside no token exchange.
bool is_attention_path(std::string_view path) {
    take_component(path);
    take_component(path);
    const std::string_view part = take_component(path);
    return part == "attention" || part == "attention_norm";
}

/// As the reference asks: unlike is_backward() by the mark of autograd alone.
bool is_marked_backward(const Graph& graph, NodeId node) {
    return graph.metadata(node).autograd_backward.value_or(false);
}

/// Whether the node runs in the backward part.
bool runs_marked_backward(const Graph& graph, NodeId node) {
    return is_marked_backward(graph, node) || is_recomputed(graph, node);
}

/// Compute nodes and what the reference counts among them. Views, copies and communication are never in torch's table
/// of compute, so its list of exceptions needs no repetition.
class Anchors {
  public:
    explicit Anchors(const Graph& graph)
        : graph_(graph),
          further_(graph,
                   {"aten._fused_rms_norm.default", "aten._fused_rms_norm_backward.default", "aten.relu.default"}) {}
    bool has(NodeId node) const {
        if (graph_.op(node) != NodeOp::call_function) return false;
        return graph_.target_info(node).traits.compute || further_.has(graph_.record(node));
    }

  private:
    const Graph& graph_;
    TargetSet further_;
};

/// What the joint bucketing pass recorded in new nodes: the plan entry and the direction.
struct BucketMark {
    std::vector<std::string> modules;
    bool backward = false;
};

std::optional<BucketMark> parse_mark(std::string_view extra_json) {
    // Files of torchtitan's graphs have what its passes record in a separate object.
    const std::string_view titan = json_member(extra_json, "titan_meta");
    const nlohmann::ordered_json mark =
        nlohmann::ordered_json::parse(json_member(titan.empty() ? extra_json : titan, "fsdp_bucket"), nullptr, false);
    if (!mark.is_object() || !mark.contains("plan_fqns") || !mark.contains("direction")) return {};
    const nlohmann::ordered_json &modules = mark["plan_fqns"], &direction = mark["direction"];
    const bool are_paths = modules.is_array() && std::ranges::all_of(modules, [](const nlohmann::ordered_json& module) {
                               return module.is_string();
                           });
    if (!are_paths || (direction != "fwd" && direction != "bwd")) return {};
    return BucketMark{modules.get<std::vector<std::string>>(), direction == "bwd"};
}

class Collector {
  public:
    Collector(const Graph& graph, std::int64_t layer_count, std::string_view pass)
        : graph_(graph),
          layer_count_(layer_count),
          pass_(pass),
          waits_(graph, {"_c10d_functional.wait_tensor.default"}) {
        while (first_backward_ < graph.node_count() && !is_marked_backward(graph, first_backward_)) ++first_backward_;
    }

    NodeId first_wait(NodeId launch) const {
        for (const NodeId user : graph_.users(launch)) {
            if (waits_.has(graph_.record(user))) return user;
        }
        return no_node;
    }

    /// Nothing when it is unknown which modules the collective serves.
    std::optional<FsdpCollective> describe(NodeId launch, NodeId wait, bool is_gather) {
        FsdpCollective collective{launch, wait, is_gather, false, {}, {}};
        const std::optional<BucketMark>* mark = &mark_of(launch);
        if (!*mark) mark = &mark_of(wait);
        if (*mark) {
            collective.modules = (*mark)->modules;
            collective.backward = (*mark)->backward;
        } else {
            std::optional<BucketMark> found = infer(launch, wait);
            if (!found) return {};
            collective.modules = std::move(found->modules);
            collective.backward = found->backward;
        }
        collective.layer = layer_of(collective);
        return collective;
    }

  private:
    const std::optional<BucketMark>& mark_of(NodeId node) {
        const StringId extra = graph_.metadata(node).extra_json;
        const auto [found, is_new] = marks_.try_emplace(extra);
        if (is_new) found->second = parse_mark(graph_.text(extra));
        return found->second;
    }

    /// The module of the nearest use of the gathered or reduced value, else of the wait, else of the launch.
    std::optional<BucketMark> infer(NodeId launch, NodeId wait) const {
        std::optional<BucketMark> mark = nearest_use(wait);
        for (const NodeId node : {wait, launch}) {
            if (!mark) mark = module_of(node);
        }
        if (mark && wait >= first_backward_) mark->backward = true;
        return mark;
    }

    std::optional<BucketMark> module_of(NodeId node) const {
        const StringId module = graph_.metadata(node).module_fqn;
        if (module == empty_string) return {};
        return BucketMark{{std::string(graph_.text(module))}, runs_marked_backward(graph_, node)};
    }

    std::optional<BucketMark> nearest_use(NodeId wait) const {
        const std::span<const NodeId> users = graph_.users(wait);
        std::vector<NodeId> frontier(users.begin(), users.end()), next;
        std::vector<bool> visited(graph_.node_count());
        while (!frontier.empty()) {
            std::optional<BucketMark> nearest;
            next.clear();
            for (const NodeId node : frontier) {
                if (visited[node] || graph_.op(node) == NodeOp::output) continue;
                visited[node] = true;
                if (std::optional<BucketMark> mark = module_of(node)) {
                    if (nearest) {
                        nearest->backward |= mark->backward;
                    } else {
                        nearest = std::move(mark);
                    }
                }
                next.insert(next.end(), graph_.users(node).begin(), graph_.users(node).end());
            }
            if (nearest) return nearest;
            frontier.swap(next);
        }
        return {};
    }

    std::optional<std::int64_t> layer_of(const FsdpCollective& collective) const {
        const std::string place = "node " + in_quotes(graph_.name(collective.launch));
        if (const auto layer = layer_of_entry(collective.modules, layer_count_, pass_, place)) return layer;
        if (std::ranges::any_of(collective.modules, is_top_level_path)) return layer_count_;
        return {};
    }

    const Graph& graph_;
    std::int64_t layer_count_;
    std::string_view pass_;
    TargetSet waits_;
    NodeId first_backward_ = 0;
    std::unordered_map<StringId, std::optional<BucketMark>> marks_;
};

}  // namespace

std::optional<std::int64_t> layer_of_entry(const std::vector<std::string>& modules, std::int64_t layer_count,
                                           std::string_view pass, const std::string& place) {
    std::optional<std::int64_t> layer;
    for (const std::string& module : modules) {
        const std::optional<std::int64_t> number = layer_of_path(module);
        if (number && layer && *number != *layer) {
            throw PassRefusal(std::string(pass), place,
                              "its bucket entry has " + in_quotes(modules.front()) + " and " + in_quotes(module) +
                                  ", and torchtitan raises a ValueError for entries of several transformer blocks");
        }
        if (number) layer = number;
    }
    if (layer && *layer >= layer_count) {
        throw PassRefusal(std::string(pass), place,
                          "its bucket entry belongs to layer " + std::to_string(*layer) + ", but n_layers is " +
                              std::to_string(layer_count) + ", and torchtitan raises a ValueError");
    }
    return layer;
}

std::vector<std::vector<std::string>> marked_plan_entries(const Graph& graph) {
    std::set<StringId> seen;
    std::set<std::vector<std::string>> entries;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const StringId extra = graph.metadata(node).extra_json;
        if (extra == empty_string || !seen.insert(extra).second) continue;
        if (const std::optional<BucketMark> mark = parse_mark(graph.text(extra))) entries.insert(mark->modules);
    }
    return {entries.begin(), entries.end()};
}

std::optional<std::int64_t> layer_of_path(std::string_view path) {
    if (take_component(path) != "layers") return {};
    const std::string_view digits = take_component(path);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (digits.empty() || digits.front() == '-' || error != std::errc() || end != digits.data() + digits.size()) {
        return {};
    }
    return number;
}

bool is_top_level_path(std::string_view path) {
    const std::string_view first = take_component(path);
    return first == "norm" || first == "lm_head";
}

DenseRegions::DenseRegions(const Graph& graph, std::int64_t layer_count, const std::set<std::int64_t>& moe_layers)
    : layers(static_cast<std::size_t>(std::max<std::int64_t>(layer_count, 0))) {
    const Anchors anchors(graph);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (!anchors.has(node)) continue;
        const std::string_view path = graph.text(graph.metadata(node).module_fqn);
        if (is_top_level_path(path)) {
            (runs_marked_backward(graph, node) ? top.backward : top.forward).push_back(node);
            continue;
        }
        const std::optional<std::int64_t> layer = layer_of_path(path);
        if (!layer || *layer >= layer_count) continue;
        if (moe_layers.contains(*layer) && !is_attention_path(path)) continue;
        Region& region = layers[static_cast<std::size_t>(*layer)];
        (is_marked_backward(graph, node) ? region.backward : region.forward).push_back(node);
    }
}

FsdpCollectives::FsdpCollectives(const Graph& graph, std::int64_t layer_count, std::string_view pass) {
    const TargetSet gathers(graph, {"_c10d_functional.all_gather_into_tensor.default",
                                    "_c10d_functional.all_gather_into_tensor_out.default"});
    const TargetSet scatters(graph, {"_c10d_functional.reduce_scatter_tensor.default"});
    Collector collector(graph, layer_count, pass);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const bool is_gather = gathers.has(graph.record(node));
        if (!is_gather && !scatters.has(graph.record(node))) continue;
        const NodeId wait = collector.first_wait(node);
        if (wait == no_node) continue;
        any_waited = true;
        if (auto collective = collector.describe(node, wait, is_gather)) list.push_back(std::move(*collective));
    }
}

}  // namespace overlap
