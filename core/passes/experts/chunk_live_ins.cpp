// What a region reads is cut in two.

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/base/quote.h"
#include "core/files/json_writer.h"
#include "core/graph/strides.h"
#include "core/passes/experts/chunk_lowering.h"
#include "core/passes/experts/symbolic_layout.h"
#include "core/passes/pass_support.h"

namespace overlap::experts {

SyntheticNodes::SyntheticNodes(ChunkGraph& graph, const ChunkRoot& root, bool is_backward)
    : graph_(graph), root_(root), is_backward_(is_backward) {
    if (!root.parent.empty()) {
        JsonWriter custom;
        custom.begin_object().member("module_fqn", std::string_view(root.parent)).end_object();
        metadata_.custom_json = graph.editor().intern(custom.text());
        metadata_.module_fqn = graph.editor().intern(root.parent);
    }
    if (is_backward) metadata_.autograd_backward = true;
}

ChunkMetadata SyntheticNodes::chunk_metadata(ChunkRole role, std::optional<int> chunk) const {
    ChunkMetadata made;
    made.role = role;
    made.producer = ChunkProducer::graph;
    made.chunk = chunk;
    made.is_backward = is_backward_;
    made.region = root_.module;
    return made;
}

NodeId SyntheticNodes::create(std::string_view target, std::span<const Value> args, std::span<const TensorMeta> outputs,
                              NodeFields fields, ChunkRole role, std::optional<int> chunk, NodeId before,
                              std::span<const Value> keywords) {
    GraphEditor::NewNode node;
    node.args = graph_.editor().list(args);
    node.kwargs = graph_.editor().dictionary(keywords);
    node.outputs = outputs;
    node.metadata = &metadata_;
    fields.chunk = chunk_metadata(role, chunk);
    return graph_.create(node, target, std::move(fields), before);
}

RegionBoundary region_boundary(const LoweringContext& context, const ChunkRegion& region) {
    const GraphEditor& editor = context.graph.editor();
    NodeSet &body = context.sets.body, &seen = context.sets.live_ins;
    body.clear();
    seen.clear();
    RegionBoundary boundary{body, {}};
    for (const NodeId node : region.nodes) body.add(node);
    for (const NodeId node : region.nodes) {
        for (const NodeId input : editor.inputs(node)) {
            if (body.has(input) || seen.has(input)) continue;
            seen.add(input);
            boundary.live_ins.push_back(input);
        }
    }
    std::ranges::sort(boundary.live_ins, [&](NodeId left, NodeId right) { return editor.is_before(left, right); });
    return boundary;
}

namespace {

class InputHalver {
  public:
    InputHalver(const LoweringContext& context, const ChunkRegion& region, const RegionBoundary& boundary,
                SyntheticNodes& synthetic)
        : graph_(context.graph),
          editor_(graph_.editor()),
          expressions_(graph_.expressions()),
          root_(context.roots[region.root]),
          region_(region),
          boundary_(boundary),
          synthetic_(synthetic) {}

    HalvedInputs run() {
        for (const NodeId input : boundary_.live_ins) {
            if (const std::optional<Halves> known = known_halves(input)) inputs_.values.emplace(input, *known);
        }
        std::vector<NodeId> cut;
        for (const NodeId input : boundary_.live_ins) {
            if (inputs_.values.contains(input) || graph_.is_static_input(input)) continue;
            if (graph_.chunk_dimension(input) < 0) continue;
            require_even(input);
            cut.push_back(input);
        }
        if (!region_.is_backward) refuse_opposite_direction();
        if (cut.empty() && inputs_.values.empty()) {
            throw PassRefusal(std::string(chunk_pass), "module " + in_quotes(root_.module),
                              "it reads nothing that can be halved; torchtitan raises a ValueError");
        }
        find_dependent_nodes();
        for (const NodeId input : cut) cut_in_two(input);
        for (const NodeId input : boundary_.live_ins) {
            if (!inputs_.values.contains(input)) halve_scalar(input, cut);
        }
        return std::move(inputs_);
    }

  private:
    /// Halves from an earlier region: of a value that both directions share, or of a copy that names its original.
    std::optional<Halves> known_halves(NodeId input) {
        if (graph_.has_halves(input)) return graph_.halves(input);
        const ChunkMetadata& own = graph_.chunk(input);
        const std::string_view original_name = graph_.original_name(input);
        if (own.region.empty() || original_name.empty()) return {};
        list_copies();
        const auto copies = copies_.find(original_name);
        if (copies == copies_.end()) return {};
        Halves found = no_halves;
        for (const NodeId node : copies->second) {
            const ChunkMetadata& other = graph_.chunk(node);
            if (other.region != own.region || other.is_backward != own.is_backward) continue;
            found[*other.chunk == 0 ? 0 : 1] = node;
        }
        if (found[0] == no_node || found[1] == no_node) return {};
        return found;
    }

    void list_copies() {
        if (!copies_.empty()) return;
        for (NodeId node = editor_.first(); node != no_node; node = editor_.next(node)) {
            const std::string_view original_name = graph_.original_name(node);
            if (graph_.chunk(node).chunk && !original_name.empty()) copies_[original_name].push_back(node);
        }
    }

    ExpressionId extent(NodeId input) const {
        return graph_.fields(input).sizes()[static_cast<std::size_t>(graph_.chunk_dimension(input))];
    }

    [[noreturn]] void refuse_odd(NodeId node, std::string_view what, std::int64_t number) const {
        refuse_node(chunk_pass, editor_.name(node),
                    "its " + std::string(what) + " is " + std::to_string(number) +
                        ", which is odd; torchtitan raises a ValueError");
    }

    void require_even(NodeId input) const {
        const std::optional<std::int64_t> size = expressions_.value(extent(input), graph_.symbols().values());
        if (size && *size % 2 != 0) refuse_odd(input, "halved size", *size);
    }

    void refuse_opposite_direction() const {
        for (const NodeId input : boundary_.live_ins) {
            const TensorMeta* tensor = graph_.tensor(input);
            if (!graph_.is_call(input) || inputs_.values.contains(input) || !tensor || tensor->rank == 0) continue;
            if (!graph_.is_backward(input)) continue;
            refuse_node(chunk_pass, editor_.name(input),
                        "it is in the backward pass, and the forward pass of " + in_quotes(root_.module) +
                            " reads it; torchtitan raises a ValueError");
        }
    }

    bool mentions_symbol(const Value& value) const {
        if (value.is(ValueKind::symbol)) {
            const ExpressionId expression = graph_.expressions().read(editor_.text(editor_.children(value)[0].string));
            return graph_.symbols().occur_in(expressions_, expression);
        }
        return std::ranges::any_of(editor_.children(value), [&](const Value& child) { return mentions_symbol(child); });
    }

    /// Nodes of the region that read a value that follows the halved size.
    void find_dependent_nodes() {
        for (const NodeId node : region_.nodes) {
            const auto depends = [&](NodeId input) { return graph_.depends(input); };
            if (std::ranges::any_of(editor_.inputs(node), depends) || mentions_symbol(editor_.record(node).args) ||
                mentions_symbol(editor_.record(node).kwargs)) {
                dependent_.push_back(node);
            }
        }
    }

    NodeId first_user_in_body(NodeId input) const {
        NodeId first = no_node;
        editor_.for_each_user(input, [&](NodeId user) {
            if (!boundary_.body.has(user)) return;
            if (first == no_node || editor_.is_before(user, first)) first = user;
        });
        return first;
    }

    /// The first node of the region behind the value that reads it, or anything else that is halved.
    NodeId first_consumer(NodeId input) const {
        const NodeId first = first_user_in_body(input);
        const auto dependent = std::ranges::upper_bound(
            dependent_, input, [&](NodeId left, NodeId right) { return editor_.is_before(left, right); });
        if (dependent == dependent_.end() || editor_.is_before(first, *dependent)) return first;
        return *dependent;
    }

    NodeFields with_value(ExpressionId value) const {
        NodeFields fields;
        fields.value = value;
        return fields;
    }

    ExpressionId half_of(NodeId node, ExpressionId expression) {
        const std::optional<ExpressionId> half = expressions_.halved(expression);
        if (half) return *half;
        refuse_node(chunk_pass, editor_.name(node),
                    "half of its size " + in_quotes(expressions_.text(expression)) +
                        " is asked for, and how torch writes that is known of multiples of one symbol only");
    }

    void cut_in_two(NodeId input) {
        const auto dimension = static_cast<std::size_t>(graph_.chunk_dimension(input));
        const NodeId before = first_consumer(input);
        const ExpressionId whole = extent(input);
        const ExpressionId half_extent = half_of(input, whole);
        const Value place = Value::of_integer(static_cast<std::int64_t>(dimension));
        const std::array of_size = {Value::of_node(input), place};
        const NodeId size = synthetic_.create("aten.sym_size.int", of_size, {}, with_value(whole),
                                              ChunkRole::split_boundary, {}, before);
        const std::array of_half = {Value::of_node(size), Value::of_integer(2)};
        const NodeId half = synthetic_.create("operator.floordiv", of_half, {}, with_value(half_extent),
                                              ChunkRole::chunk_input, {}, before);
        inputs_.scalars[whole] = {half, half};
        const std::array halves = {Value::of_node(half), Value::of_node(half)};
        const std::array of_split = {Value::of_node(input), editor_.list(halves), place};
        const NodeId split =
            synthetic_.create("aten.split_with_sizes.default", of_split, {}, {}, ChunkRole::split_boundary, {}, before);

        NodeFields fields;
        fields.shapes = {graph_.fields(input).sizes()};
        fields.shapes[0][dimension] = half_extent;
        const TensorMeta tensor = *graph_.tensor(input);
        std::vector<std::int64_t> sizes(editor_.shape(tensor).begin(), editor_.shape(tensor).end());
        const std::vector<std::int64_t> strides(editor_.stride(tensor).begin(), editor_.stride(tensor).end());
        const std::optional<std::int64_t> half_size = expressions_.value(half_extent, graph_.hints());
        if (!half_size || *half_size < 0) {
            refuse_node(chunk_pass, editor_.name(input),
                        "half of its size, " + in_quotes(expressions_.text(half_extent)) +
                            ", is no size under the hints of its symbols");
        }
        sizes[dimension] = *half_size;
        Halves made = no_halves;
        for (int chunk = 0; chunk < 2; ++chunk) {
            const std::array args = {Value::of_node(split), Value::of_integer(chunk)};
            const TensorMeta view = with_layout(editor_, tensor, sizes, strides);
            made[static_cast<std::size_t>(chunk)] = synthetic_.create("operator.getitem", args, std::span(&view, 1),
                                                                      fields, ChunkRole::split_boundary, chunk, before);
        }
        if (!is_contiguous(input, fields, sizes)) {
            for (int chunk = 0; chunk < 2; ++chunk) {
                NodeId& half_value = made[static_cast<std::size_t>(chunk)];
                half_value = contiguous_copy(half_value, tensor, sizes, fields, chunk, before);
            }
        }
        inputs_.values[input] = made;
    }

    NodeId contiguous_copy(NodeId half, const TensorMeta& tensor, std::span<const std::int64_t> sizes,
                           const NodeFields& fields, int chunk, NodeId before) {
        const std::array args = {Value::of_node(half)};
        const std::array keywords = {Value::of_string(editor_.intern("memory_format")),
                                     Value::of_string(editor_.intern("contiguous_format"), ValueKind::memory_format)};
        const TensorMeta copy = with_layout(editor_, tensor, sizes, contiguous_strides(sizes));
        return synthetic_.create("aten.clone.default", args, std::span(&copy, 1), fields, ChunkRole::chunk_input, chunk,
                                 before, keywords);
    }

    /// Whether one half of a tensor, in the place that it has in the whole, is contiguous. Sizes known only when the
    /// job runs, other than the halved one, make it not.
    bool is_contiguous(NodeId input, const NodeFields& half, std::span<const std::int64_t> sizes) const {
        const TensorMeta& whole = *graph_.tensor(input);
        const std::span<const std::int64_t> strides = editor_.stride(whole);
        const std::vector<ExpressionId>& whole_sizes = graph_.fields(input).sizes();
        const SymbolicLayout layout(editor_.shape(whole), strides, whole_sizes);
        const SymbolValues& values = graph_.symbols().values();
        const auto is_known = [&](ExpressionId size) {
            return size == no_expression || expressions_.value(size, values).has_value();
        };
        std::int64_t expected = 1;
        for (std::size_t dimension = sizes.size(); dimension-- > 0;) {
            if (!is_known(half.shapes[0][dimension])) return false;
            if (layout.stride_factor(dimension) != 0 && !is_known(whole_sizes[layout.first()])) return false;
            if (sizes[dimension] == 1) continue;
            if (strides[dimension] != expected) return false;
            expected *= sizes[dimension];
        }
        return true;
    }

    void halve_scalar(NodeId input, const std::vector<NodeId>& cut) {
        const ExpressionId value = graph_.fields(input).value;
        if (value == no_expression || !graph_.symbols().occur_in(expressions_, value)) return;
        if (measure_halves(input, value)) return;
        for (const NodeId tensor : cut) {
            if (is_stride_of_half(value, tensor)) return;
        }
        const std::optional<std::int64_t> whole = expressions_.value(value, graph_.symbols().values());
        if (expressions_.symbols(value).size() != 1 || expressions_.factor(value).value_or(0) <= 0 || !whole) {
            refuse_node(chunk_pass, editor_.name(input),
                        "its value " + in_quotes(expressions_.text(value)) +
                            " is no multiple of the halved size; no graph shows what torchtitan makes of it");
        }
        if (*whole % 2 != 0) refuse_odd(input, "value", *whole);
        const std::array args = {Value::of_node(input), Value::of_integer(2)};
        const NodeId half = synthetic_.create("operator.floordiv", args, {}, with_value(half_of(input, value)),
                                              ChunkRole::chunk_input, {}, first_user_in_body(input));
        inputs_.values[input] = {half, half};
        inputs_.scalars[value] = {half, half};
    }

    /// A size or stride of a value whose halves are known is asked of each half.
    bool measure_halves(NodeId input, ExpressionId value) {
        const bool of_size = graph_.has(input, ChunkGraph::sym_size);
        if (!of_size && !graph_.has(input, ChunkGraph::sym_stride)) return false;
        const Value* place = editor_.argument(input, 1);
        const auto source = inputs_.values.find(editor_.node_argument(input, 0));
        if (!place || !place->is(ValueKind::integer) || source == inputs_.values.end()) return false;
        const Halves halves = source->second;
        // Each is put directly behind the second half, so that the first half's comes last.
        Halves made = no_halves;
        for (int chunk = 0; chunk < 2; ++chunk) {
            const NodeId half = halves[static_cast<std::size_t>(chunk)];
            const std::array args = {Value::of_node(half), *place};
            made[static_cast<std::size_t>(chunk)] =
                synthetic_.create(of_size ? "aten.sym_size.int" : "aten.sym_stride.int", args, {},
                                  with_value(measure(input, half, place->integer, of_size)), ChunkRole::chunk_input,
                                  chunk, editor_.next(halves[1]));
        }
        inputs_.values[input] = made;
        inputs_.scalars[value] = made;
        return true;
    }

    ExpressionId measure(NodeId input, NodeId half, std::int64_t place, bool of_size) {
        const TensorMeta* tensor = graph_.tensor(half);
        const std::int64_t dimension = tensor && place < 0 ? place + tensor->rank : place;
        if (!tensor || dimension < 0 || dimension >= tensor->rank) {
            refuse_node(chunk_pass, editor_.name(input),
                        "the value that it measures has no such dimension; torchtitan raises a ValueError");
        }
        const std::vector<ExpressionId>& sizes = graph_.fields(half).sizes();
        if (sizes.empty()) return no_expression;
        if (of_size) return sizes[static_cast<std::size_t>(dimension)];
        const SymbolicLayout layout(editor_.shape(*tensor), editor_.stride(*tensor), sizes);
        const std::int64_t factor = layout.stride_factor(static_cast<std::size_t>(dimension));
        if (factor == 0) return no_expression;
        const std::optional<ExpressionId> stride = expressions_.multiplied(sizes[layout.first()], factor);
        if (stride) return *stride;
        refuse_node(chunk_pass, editor_.name(input),
                    "it is a multiple of " + in_quotes(expressions_.text(sizes[layout.first()])) +
                        ", and how torch writes that is not known here");
    }

    /// Whether a value is a stride of a contiguous half of a tensor that is cut.
    bool is_stride_of_half(ExpressionId value, NodeId tensor) {
        const auto dimension = static_cast<std::size_t>(graph_.chunk_dimension(tensor));
        std::int64_t inner = 1;
        const std::vector<ExpressionId>& sizes = graph_.fields(tensor).sizes();
        for (std::size_t later = dimension + 1; later < sizes.size(); ++later) {
            if (sizes[later] != no_expression) return false;
            inner *= editor_.shape(*graph_.tensor(tensor))[later];
        }
        const ExpressionId half = half_of(tensor, sizes[dimension]);
        for (std::size_t outer = dimension; outer-- > 0;) {
            if (expressions_.multiplied(half, inner) == value) return true;
            if (sizes[outer] != no_expression) return false;
            inner *= editor_.shape(*graph_.tensor(tensor))[outer];
        }
        return false;
    }

    ChunkGraph& graph_;
    GraphEditor& editor_;
    Expressions& expressions_;
    const ChunkRoot& root_;
    const ChunkRegion& region_;
    const RegionBoundary& boundary_;
    SyntheticNodes& synthetic_;
    HalvedInputs inputs_;
    std::vector<NodeId> dependent_;
    /// Nodes of halves by the name of the node that was halved, in order; empty until asked for.
    std::unordered_map<std::string_view, std::vector<NodeId>> copies_;
};

}  // namespace

HalvedInputs halve_inputs(const LoweringContext& context, const ChunkRegion& region, const RegionBoundary& boundary,
                          SyntheticNodes& synthetic) {
    return InputHalver(context, region, boundary, synthetic).run();
}

}  // namespace overlap::experts
