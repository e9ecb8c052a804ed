#include "core/passes/cleanup/dedup_reduce_scatter.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/quote.h"
#include "core/base/wording.h"
#include "core/files/json_members.h"
#include "core/graph/operator_names.h"
#include "core/graph/strides.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

constexpr std::string_view pass_name = "dedup_fsdp_reduce_scatter";
constexpr std::string_view sum_operator = "aten.add.Tensor",
                           scatter_operator = "_c10d_functional.reduce_scatter_tensor.default",
                           wait_operator = "_c10d_functional.wait_tensor.default";

/// Whether a name is `add_`, in which torch sees a write, and not `__add__`.
bool ends_like_write(std::string_view name) {
    return name.ends_with('_') && !name.ends_with("__");
}

/// Whether one of the words of a name, `_set_grad_enabled`, says that it changes a state.
bool has_word_of_write(std::string_view name) {
    constexpr std::array<std::string_view, 4> words = {"set", "enter", "exit", "seed"};
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('_', at), name.size());
        if (std::ranges::find(words, name.substr(at, end - at)) != words.end()) return true;
        at = end + 1;
    }
    return false;
}

/// Whether torch takes a call for a write (`is_mutation_op`): the schema of an operator decides, and the name of a
/// Python function. Of operators that are not torch's the schema is not known; their names follow torch's custom.
bool is_write(std::string_view target, const TargetInfo& info) {
    if (info.written_arguments != 0 || target == "inductor.resize_storage_bytes_.default") return true;
    const std::size_t dot = std::min(target.rfind('.'), target.size());
    const std::string_view last = target.substr(std::min(dot + 1, target.size()));
    if (target.starts_with("torch.") || target.starts_with("operator."))
        return ends_like_write(last) || has_word_of_write(last);
    const std::string_view packet = target.substr(0, dot);
    return !is_known_operator(target) && (ends_like_write(packet) || packet.ends_with("_out") || last.ends_with("out"));
}

/// A sum of two awaited reduce-scatters that one can replace.
struct Match {
    NodeId sum = no_node;
    std::array<NodeId, 2> waits{}, scatters{}, inputs{};
};

/// Merges reduce-scatters in one graph.
class Merger {
  public:
    explicit Merger(const std::shared_ptr<const Graph>& graph)
        : graph_(graph),
          editor_(graph),
          sums_(editor_.target_index(sum_operator)),
          scatters_(editor_.target_index(scatter_operator)),
          waits_(editor_.target_index(wait_operator)) {
        // torch matches nothing across a write.
        std::vector<std::uint8_t> writes(graph->target_count());
        for (std::uint32_t target = 0; target < graph->target_count(); ++target)
            writes[target] = is_write(graph->target_text(target), graph->info_of_target(target)) ? 1 : 0;
        std::uint32_t stretch = 0;
        stretch_.resize(graph->node_count());
        for (NodeId node = 0; node < graph->node_count(); ++node) {
            const NodeRecord& record = graph->record(node);
            if (record.op == NodeOp::call_function) stretch += writes[record.target];
            stretch_[node] = stretch;
            if (record.op == NodeOp::call_function && record.target == sums_) pending_.push_back(node);
        }
    }

    PassResult run() {
        while (merge_once()) {
        }
        if (merged_ == 0) return unchanged(graph_, pass_name);
        require_order(editor_, pass_name);
        std::vector<std::string> left, sums;
        for (NodeId node = editor_.source_count(); node < editor_.number_count(); ++node) {
            if (editor_.is_erased(node) || editor_.record(node).target != scatters_ ||
                editor_.metadata(node).module_fqn != empty_string)
                continue;
            left.emplace_back(editor_.name(node));
            sums.emplace_back(editor_.name(replaced_.at(node)));
        }
        PassResult result = finished(editor_, pass_name);
        if (!left.empty()) result.report.problems.push_back(module_lost(std::move(left), sums));
        return result;
    }

  private:
    /// @param sums the sums of the input that the reduce-scatters stand for, in the same order.
    static Problem module_lost(std::vector<std::string> scatters, const std::vector<std::string>& sums) {
        const bool one = sums.size() == 1;
        const std::string message =
            counted(sums.size(), "merged reduce-scatter") + (one ? " has" : " have") +
            " neither module nor direction, as in PyTorch: bucketing by module and every other pass that goes by them "
            "does not see " +
            (one ? "it" : "them") + "; run this pass behind bucketing, or give the " +
            (one ? "sum that it replaces" : "sums that they replace") + " (" + enumerated(sums) +
            (one ? ")" : "; the list names all behind the reduce-scatters)") + " a module by a rule, after which " +
            (one ? "it counts" : "they count") + " as forward";
        scatters.insert(scatters.end(), sums.begin(), sums.end());
        return caution(ProblemKind::unseen_collectives, "Module lost", message, std::move(scatters));
    }

    /// One walk over the sums, from the last to the first. @returns whether any was replaced.
    bool merge_once() {
        bool any = false;
        std::vector<NodeId> next;
        for (auto sum = pending_.rbegin(); sum != pending_.rend(); ++sum) {
            const std::optional<Match> match = matched(*sum);
            next.push_back(match ? replace(*match) : *sum);
            any |= match.has_value();
        }
        pending_.assign(next.rbegin(), next.rend());
        return any;
    }

    bool is_call(NodeId node, std::uint32_t target) const {
        return node != no_node && editor_.op(node) == NodeOp::call_function && editor_.record(node).target == target;
    }

    std::size_t argument_count(NodeId node) const { return editor_.record(node).args.count; }

    std::optional<Match> matched(NodeId sum) const {
        Match match;
        match.sum = sum;
        if (argument_count(sum) != 2 || !adds_plainly(sum)) return {};
        for (const std::size_t side : {0, 1}) {
            const NodeId wait = editor_.node_argument(sum, side);
            if (!is_call(wait, waits_) || argument_count(wait) != 1 || !has_no_keywords(wait)) return {};
            const NodeId scatter = editor_.node_argument(wait, 0);
            if (!is_call(scatter, scatters_) || argument_count(scatter) != 4 || !has_no_keywords(scatter)) return {};
            if (editor_.user_count(wait) != 1 || editor_.user_count(scatter) != 1) return {};
            const NodeId input = editor_.node_argument(scatter, 0);
            if (input == no_node) return {};
            if (stretch_[wait] != stretch_[sum] || stretch_[scatter] != stretch_[sum]) return {};
            match.waits[side] = wait;
            match.scatters[side] = scatter;
            match.inputs[side] = input;
        }
        if (!scatter_alike(match.scatters)) return {};
        const TensorMeta &left = tensor(match.inputs[0]), &right = tensor(match.inputs[1]);
        if (left.dtype != right.dtype || dtype_info(left.dtype).name.starts_with("complex")) return {};
        return match;
    }

    /// Whether a sum has no factor: `alpha` absent or 1.
    bool adds_plainly(NodeId sum) const {
        const auto keywords = editor_.children(editor_.record(sum).kwargs);
        if (keywords.empty()) return true;
        const Value* alpha = editor_.keyword(sum, "alpha");
        return keywords.size() == 2 && alpha &&
               ((alpha->is(ValueKind::integer) && alpha->integer == 1) ||
                (alpha->is(ValueKind::floating) && alpha->floating == 1.0));
    }

    bool has_no_keywords(NodeId node) const { return editor_.children(editor_.record(node).kwargs).empty(); }

    bool scatter_alike(const std::array<NodeId, 2>& scatters) const {
        const Value* operation = editor_.argument(scatters[0], 1);
        if (!operation->is(ValueKind::string)) return false;
        const std::string_view name = editor_.text(operation->string);
        if (name != "sum" && name != "avg") return false;
        for (const std::size_t place : {1, 2, 3}) {
            const Value &left = *editor_.argument(scatters[0], place), &right = *editor_.argument(scatters[1], place);
            if (left.kind != right.kind) return false;
            if (left.is(ValueKind::string) ? left.string != right.string
                                           : !left.is(ValueKind::integer) || left.integer != right.integer)
                return false;
        }
        return true;
    }

    const TensorMeta& tensor(NodeId node) const {
        const auto outputs = editor_.outputs(node);
        if (editor_.record(node).multi || outputs.size() != 1 || !outputs.front().is_tensor)
            refuse_node(pass_name, editor_.name(node), "the document does not give its tensor, and PyTorch raises");
        return outputs.front();
    }

    /// @returns the new sum.
    NodeId replace(const Match& match) {
        for (const NodeId node : {match.sum, match.waits[0], match.waits[1], match.scatters[0], match.scatters[1]}) {
            const std::string_view custom = editor_.text(editor_.metadata(node).custom_json);
            if (custom.find("\"stream\"") != custom.npos || custom.find("\"mempool") != custom.npos)
                refuse_node(pass_name, editor_.name(node),
                            "its custom assigns a stream or memory pool, which no file "
                            "shows PyTorch to merge");
        }
        const TensorMeta summed = sum_of(match);
        std::vector<std::int64_t> shape(editor_.shape(summed).begin(), editor_.shape(summed).end());
        const std::int64_t ranks = editor_.argument(match.scatters[0], 2)->integer;
        if (shape.empty() || ranks <= 0 || shape.front() % ranks != 0)
            refuse_node(pass_name, editor_.name(match.scatters[0]), "its first dimension is no multiple of its ranks");
        shape.front() /= ranks;

        const NodeMetadata shared = shared_metadata(match.sum);
        const NodeId added =
            create("add_tensor", sums_, {Value::of_node(match.inputs[0]), Value::of_node(match.inputs[1])}, summed,
                   shared, match.sum);
        std::vector<Value> arguments = {Value::of_node(added)};
        for (const std::size_t place : {1, 2, 3}) arguments.push_back(*editor_.argument(match.scatters[0], place));
        const NodeId scatter =
            create("reduce_scatter_tensor_default", scatters_, arguments, fresh(summed, shape), shared, match.sum);
        NodeMetadata of_wait = shared;
        of_wait.module_stack = editor_.metadata(match.sum).module_stack;
        of_wait.partitioner_tag = editor_.metadata(match.sum).partitioner_tag;
        const NodeId wait =
            create("wait_tensor_default", waits_, {Value::of_node(scatter)}, fresh(summed, shape), of_wait, match.sum);

        // A sum that this pass made stands for one of the input.
        const auto earlier = replaced_.find(match.sum);
        replaced_[added] = replaced_[scatter] = earlier == replaced_.end() ? match.sum : earlier->second;
        editor_.replace_all_uses(match.sum, wait);
        editor_.erase(match.sum);
        for (const std::size_t side : {1, 0}) {
            // Both sides may be the same wait.
            if (!editor_.is_erased(match.waits[side])) editor_.erase(match.waits[side]);
            if (!editor_.is_erased(match.scatters[side])) editor_.erase(match.scatters[side]);
        }
        ++merged_;
        return added;
    }

    /// What the nodes of a replacement have of the sum: its custom and its recompute tag.
    NodeMetadata shared_metadata(NodeId sum) {
        NodeMetadata shared;
        shared.custom_json = editor_.metadata(sum).custom_json;
        shared.module_fqn = editor_.metadata(sum).module_fqn;
        const std::string_view tag =
            json_member(json_member(editor_.text(editor_.metadata(sum).extra_json), "titan_meta"), "recompute");
        if (!tag.empty())
            shared.extra_json =
                editor_.intern(with_json_member("", "titan_meta", with_json_member("", "recompute", tag)));
        return shared;
    }

    TensorMeta sum_of(const Match& match) {
        const TensorMeta left = tensor(match.inputs[0]), right = tensor(match.inputs[1]);
        const bool same_layout = std::ranges::equal(editor_.shape(left), editor_.shape(right)) &&
                                 std::ranges::equal(editor_.stride(left), editor_.stride(right)) &&
                                 is_dense(editor_.shape(left), editor_.stride(left));
        for (const NodeId input : match.inputs) {
            const std::string_view fields = editor_.text(editor_.metadata(input).extra_json);
            if (!same_layout || fields.find("symbolic_shapes") != fields.npos)
                refuse_node(pass_name, editor_.name(input),
                            "it and what it is added to are not dense in the same way or have sizes known only when "
                            "the job runs, and no file shows what PyTorch makes of their sum");
        }
        TensorMeta summed = left;
        summed.extra_json = empty_string;
        summed.storage = editor_.new_storage();
        summed.storage_offset = 0;
        summed.storage_bytes = editor_.element_count(summed) * dtype_info(summed.dtype).bytes;
        return summed;
    }

    TensorMeta fresh(const TensorMeta& like, const std::vector<std::int64_t>& shape) {
        TensorMeta made = like;
        made.first_dimension = editor_.dimensions(shape, contiguous_strides(shape));
        made.storage = editor_.new_storage();
        made.storage_bytes = editor_.element_count(made) * dtype_info(made.dtype).bytes;
        return made;
    }

    NodeId create(std::string_view name, std::uint32_t target, const std::vector<Value>& arguments,
                  const TensorMeta& output, const NodeMetadata& metadata, NodeId before) {
        GraphEditor::NewNode node;
        node.base_name = name;
        node.target = target;
        node.args = editor_.list(arguments);
        node.kwargs = editor_.dictionary({});
        node.outputs = std::span(&output, 1);
        node.metadata = &metadata;
        const NodeId made = editor_.create(node, before);
        stretch_.resize(editor_.number_count());
        stretch_[made] = stretch_[before];
        return made;
    }

    std::shared_ptr<const Graph> graph_;
    GraphEditor editor_;
    const std::uint32_t sums_, scatters_, waits_;
    std::vector<std::uint32_t> stretch_;           ///< by node: how many nodes up to it are writes
    std::vector<NodeId> pending_;                  ///< sums, in the order of the graph
    std::unordered_map<NodeId, NodeId> replaced_;  ///< new sums and reduce-scatters: the sum of the input
    std::size_t merged_ = 0;
};

/// Whether a graph has a sum of two waits at all: most have none, and an editor is not made for them.
bool may_match(const Graph& graph) {
    const TargetSet sums(graph, {sum_operator}), waits(graph, {wait_operator}), scatters(graph, {scatter_operator});
    if (!sums.any() || !waits.any() || !scatters.any()) return false;
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (!sums.has(graph.record(node))) continue;
        const auto is_wait = [&](std::size_t place) {
            const Value* value = graph.argument(node, place);
            return value && value->is(ValueKind::node) && waits.has(graph.record(value->node));
        };
        if (is_wait(0) && is_wait(1)) return true;
    }
    return false;
}

}  // namespace

std::string_view DedupReduceScatter::summary() const {
    return "Replaces reduce-scatters whose results are added by one of the sum of their inputs";
}

PassResult DedupReduceScatter::run(const std::shared_ptr<const Graph>& graph, const Options&, std::stop_token) const {
    if (!may_match(*graph)) return unchanged(graph, name());
    return Merger(graph).run();
}

}  // namespace overlap
