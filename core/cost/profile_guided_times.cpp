#include "core/cost/profile_guided_times.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/files/json_members.h"
#include "core/graph/editing/graph_editor.h"

namespace overlap {

namespace {

/// Whether torch's reader takes the node for a collective: these operators, and no others that communicate.
bool is_profiled_collective(std::string_view target) {
    static constexpr auto targets = std::to_array<std::string_view>({
        "_c10d_functional.all_gather_into_tensor.default",
        "_c10d_functional.all_gather_into_tensor_out.default",
        "_c10d_functional.reduce_scatter_tensor.default",
        "_c10d_functional.all_reduce.default",
        "_c10d_functional.all_to_all_single.default",
    });
    return std::find(targets.begin(), targets.end(), target) != targets.end();
}

/// `aten::mm` for `aten.mm.default`, the bare name of functions that are no operators.
std::string profile_name(std::string_view target) {
    const std::size_t first = target.find('.');
    if (first == std::string_view::npos) return std::string(target);
    const std::string_view space = target.substr(0, first);
    const std::string_view rest = target.substr(first + 1);
    if (space == "higher_order" || space == "operator") return std::string(rest);
    return std::string(space) + "::" + std::string(rest.substr(0, rest.find('.')));
}

/// Whether a size of the node is a symbol that has no value before the job runs.
bool has_unknown_size(const Graph& graph, NodeId node) {
    const std::string_view extra = graph.text(graph.metadata(node).extra_json);
    if (extra.find("symbolic_shapes") == std::string_view::npos) return false;
    const std::string_view shapes = json_member(extra, "symbolic_shapes");
    for (std::size_t place = shapes.find('u'); place != std::string_view::npos; place = shapes.find('u', place + 1)) {
        if (place + 1 < shapes.size() && shapes[place + 1] >= '0' && shapes[place + 1] <= '9') return true;
    }
    return false;
}

/// The tensor that a node returns; nullptr where it returns several or something else.
const TensorMeta* only_tensor(const Graph& graph, NodeId node) {
    const std::span<const TensorMeta> outputs = graph.outputs(node);
    if (graph.record(node).multi || outputs.size() != 1 || !outputs[0].is_tensor) return nullptr;
    return &outputs[0];
}

std::vector<std::int64_t> copy_of(std::span<const std::int64_t> sizes) {
    return {sizes.begin(), sizes.end()};
}

}  // namespace

std::optional<ProfiledOperator> profiled_operator(const Graph& graph, NodeId node) {
    ProfiledOperator asked;
    for (const Value& argument : graph.children(graph.record(node).args)) {
        if (!argument.is(ValueKind::node)) continue;
        const TensorMeta* tensor = only_tensor(graph, argument.node);
        if (!tensor) continue;
        if (has_unknown_size(graph, argument.node)) return std::nullopt;
        asked.shapes.push_back(copy_of(graph.shape(*tensor)));
        asked.strides.push_back(copy_of(graph.stride(*tensor)));
    }
    if (asked.shapes.empty()) return std::nullopt;
    const std::span<const TensorMeta> outputs = graph.outputs(node);
    if (!outputs.empty() && outputs[0].is_tensor) asked.dtype = outputs[0].dtype;
    asked.name = profile_name(graph.target(node));
    return asked;
}

std::optional<double> ProfileGuidedEstimator::time_ms(NodeId node, std::optional<std::int64_t> override_bytes) const {
    if (graph_.op(node) != NodeOp::call_function) return std::nullopt;
    return is_profiled_collective(graph_.target(node)) ? collective_ms(node, override_bytes) : operator_ms(node);
}

std::optional<double> ProfileGuidedEstimator::collective_ms(NodeId node,
                                                            std::optional<std::int64_t> override_bytes) const {
    const ProcessGroup* group = graph_.header().process_group(graph_.group_name(node));
    if (!group || override_bytes == 0) return std::nullopt;
    std::vector<std::int64_t> ranks(group->ranks.begin(), group->ranks.end());
    std::sort(ranks.begin(), ranks.end());
    NodeId sized = node;
    const TensorMeta* tensor = only_tensor(graph_, node);
    const bool overridden = tensor && override_bytes;
    if (!tensor) {
        const Value* input = graph_.argument(node, 0);
        if (!input || !input->is(ValueKind::node)) return std::nullopt;
        sized = input->node;
        tensor = only_tensor(graph_, sized);
    }
    if (!tensor || has_unknown_size(graph_, sized)) return std::nullopt;
    const std::int64_t elements =
        overridden ? *override_bytes / dtype_info(tensor->dtype).bytes : graph_.element_count(*tensor);
    const std::string_view target = graph_.target(node);
    const auto time =
        tables_.collective(target.substr(target.find('.') + 1), ranks, elements, c10_dtype_name(tensor->dtype));
    return time ? std::optional(time->time_ms) : std::nullopt;
}

std::optional<double> ProfileGuidedEstimator::operator_ms(NodeId node) const {
    const std::optional<ProfiledOperator> asked = profiled_operator(graph_, node);
    return asked ? tables_.operator_ms(asked->name, asked->shapes, asked->strides, asked->dtype) : std::nullopt;
}

ProfileGuidedTimes profile_guided_times(const Graph& graph, const ProfileTables& tables,
                                        std::span<const double> otherwise_ms, const std::vector<bool>& not_asked) {
    const ProfileGuidedEstimator estimator(graph, tables);
    ProfileGuidedTimes times;
    times.times_ms.assign(otherwise_ms.begin(), otherwise_ms.end());
    times.from_profile.resize(otherwise_ms.size());
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (!not_asked.empty() && not_asked[node]) continue;
        const std::optional<double> time_ms = estimator.time_ms(node);
        if (!time_ms) continue;
        times.times_ms[node] = *time_ms;
        times.from_profile[node] = true;
        ++(is_profiled_collective(graph.target(node)) ? times.collectives : times.operators);
    }
    return times;
}

std::shared_ptr<const Graph> with_times(const std::shared_ptr<const Graph>& graph, std::span<const double> times_ms) {
    GraphEditor editor(graph);
    for (NodeId node = 0; node < graph->node_count(); ++node) {
        const NodeOp op = graph->op(node);
        if (op == NodeOp::placeholder || op == NodeOp::get_attr || op == NodeOp::output) continue;
        editor.set_estimate(node, times_ms[node]);
    }
    std::vector<NodeId> origin;
    return editor.finish(origin);
}

}  // namespace overlap
