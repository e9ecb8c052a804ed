#include "core/passes/experts/concretize_chunk_shapes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/graph/editing/graph_editor.h"
#include "core/passes/experts/chunk_options.h"
#include "core/passes/experts/chunk_symbols.h"
#include "core/passes/experts/node_fields.h"
#include "core/passes/experts/symbolic_layout.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

using namespace experts;

constexpr std::string_view pass_name = "concretize_ep_chunk_symbolic_shapes_pass";
constexpr std::string_view producer_field = "chunked_region_producer", made_by_pass = R"("graph")";

/// Whether the fields of a node say that a pass, not the model, made it for a half.
bool is_made_by_pass(std::string_view fields) {
    if (fields.find(made_by_pass) == fields.npos || fields.find(producer_field) == fields.npos) return false;
    if (json_member(json_member(fields, "titan_meta"), producer_field) == made_by_pass) return true;
    // What is composed has its own pieces, none of which is an object.
    constexpr std::string_view half = R"("titan_meta":{)";
    return fields.starts_with(half) && json_member(fields.substr(half.size() - 1), producer_field) == made_by_pass;
}

/// Whether a node's fields may have something to do with halves that a pass makes: false for most graphs, at a fraction
/// of the time that reading all fields takes.
bool may_have_chunks(const Graph& graph) {
    if (graph.extra_json_mentions("chunk_symbol_hints")) return true;
    // Most nodes of a model that halves the batch itself have the one, and none the other.
    return graph.extra_json_mentions(made_by_pass) && graph.extra_json_mentions(producer_field);
}

/// Files from before `chunk_symbol_hints` was written: where a pass has halved modules, it did so along the first
/// dimension of the inputs.
void assume_populated(const Graph& graph, const NodeFieldTable& fields, KnownSymbols& symbols) {
    if (!json_member(graph.header().extra_json, without_hints_field).empty()) return;
    bool halved = false;
    for (NodeId node = 0; node < graph.node_count() && !halved; ++node) {
        halved = is_made_by_pass(graph.text(half_part(*graph.strings(), graph.extra_json()[node])));
    }
    if (halved) symbols = chunk_symbols(graph, fields, true, pass_name);
}

/// The operators of which conditions on sizes are made.
class KnownConditions {
  public:
    explicit KnownConditions(const Graph& graph)
        : equal_(graph, {"operator.eq"}),
          unequal_(graph, {"operator.ne"}),
          less_(graph, {"operator.lt"}),
          at_most_(graph, {"operator.le"}),
          more_(graph, {"operator.gt"}),
          at_least_(graph, {"operator.ge"}),
          both_(graph, {"operator.and_"}),
          either_(graph, {"operator.or_"}) {}

    /// What a call is of two numbers; booleans are 0 and 1, as in Python. Nothing for another operator.
    std::optional<bool> value(const NodeRecord& call, std::int64_t left, std::int64_t right) const {
        if (equal_.has(call)) return left == right;
        if (unequal_.has(call)) return left != right;
        if (less_.has(call)) return left < right;
        if (at_most_.has(call)) return left <= right;
        if (more_.has(call)) return left > right;
        if (at_least_.has(call)) return left >= right;
        const auto is_boolean = [](std::int64_t number) { return number == 0 || number == 1; };
        if (!is_boolean(left) || !is_boolean(right)) return {};
        if (both_.has(call)) return left == 1 && right == 1;
        if (either_.has(call)) return left == 1 || right == 1;
        return {};
    }

  private:
    const TargetSet equal_, unequal_, less_, at_most_, more_, at_least_, both_, either_;
};

class Concretizing {
  public:
    Concretizing(const std::shared_ptr<const Graph>& source, NodeFieldTable& fields, const KnownSymbols& known)
        : source_(*source),
          fields_(fields),
          expressions_(fields.expressions()),
          known_(known),
          editor_(source),
          constants_(source_.node_count()),
          fixed_(fields.different_count()),
          fields_stay_(fields.different_count()) {}

    PassResult run() {
        for (NodeId node = 0; node < source_.node_count(); ++node) {
            if (source_.op(node) != NodeOp::output) fix_value(node);
        }
        for (NodeId node = 0; node < source_.node_count(); ++node) {
            if (has_constants_ || source_.op(node) != NodeOp::output) fix_arguments(node);
        }
        if (has_constants_) editor_.put_users_in_order();
        refuse_false_assertions();
        erase_dead_scalars();
        require_order(editor_, pass_name);
        return finished(editor_, pass_name);
    }

  private:
    [[noreturn]] void refuse_expression(NodeId node, ExpressionId expression) const {
        refuse_node(pass_name, source_.name(node),
                    "how torch writes " + in_quotes(expressions_.text(expression)) +
                        " when only some of its symbols are numbers is not known here");
    }

    bool mentions_known(ExpressionId expression) const {
        return expression != no_expression && known_.occur_in(expressions_, expression);
    }

    /// The number that an expression becomes, or what is left of it. Run-time sizes alone become what the file has
    /// for them.
    std::pair<std::int64_t, ExpressionId> fixed(NodeId node, ExpressionId expression) {
        if (const auto value = expressions_.value(expression, known_.values())) return {*value, no_expression};
        if (!mentions_known(expression)) return {fields_.hint(node, expression), no_expression};
        const std::optional<ExpressionId> left = expressions_.partly_known(expression, known_.values());
        if (!left) refuse_expression(node, expression);
        return {fields_.hint(node, *left), *left};
    }

    /// What the fields that some nodes share become.
    struct Fixed {
        bool is_known = false;
        bool changes = false;
        std::optional<std::int64_t> constant;  ///< the number that a scalar becomes
        NodeFields fields;
        std::vector<std::vector<std::int64_t>> sizes;  ///< by output and dimension, where there was an expression
        std::vector<bool> tensor_changes;              ///< by output
        std::vector<KnownLayout> layouts;              ///< by output: the last one that was made
        std::vector<bool> sizes_differ;                ///< whether that has other sizes than before
        std::optional<StringId> text;  ///< no_string until it is written; nothing where it has sizes of the node
    };

    /// Nodes with the same fields become the same; the first of them is named where that is refused.
    Fixed& fixed_fields(NodeId node) {
        Fixed& made = fixed_[fields_.number(node)];
        if (made.is_known) return made;
        const NodeFields& before = fields_.of(node);
        const bool has_tensors = std::ranges::any_of(before.shapes, [&](const std::vector<ExpressionId>& shape) {
            return std::ranges::any_of(shape, [&](ExpressionId size) { return mentions_known(size); });
        });
        made.is_known = true;
        made.changes = has_tensors || before.value != no_expression || !before.hints.empty();
        if (!made.changes) return made;
        made.fields = before;
        made.fields.hints.clear();
        if (before.value != no_expression) {
            made.constant = expressions_.value(before.value, known_.values());
            made.fields.value = fixed(node, before.value).second;
        }
        if (has_tensors) fix_shapes(node, made);
        if (made.fields.shapes.empty()) made.text = no_string;
        return made;
    }

    void fix_shapes(NodeId node, Fixed& made) {
        bool symbolic = false;
        std::vector<std::vector<ExpressionId>>& shapes = made.fields.shapes;
        made.sizes.resize(shapes.size());
        made.tensor_changes.resize(shapes.size());
        made.layouts.resize(shapes.size());
        made.sizes_differ.resize(shapes.size());
        for (std::size_t index = 0; index < shapes.size(); ++index) {
            std::vector<ExpressionId>& shape = shapes[index];
            if (std::ranges::none_of(shape, [&](ExpressionId size) { return mentions_known(size); })) {
                symbolic |= !shape.empty();
                continue;
            }
            bool is_symbolic = false;
            made.tensor_changes[index] = true;
            made.sizes[index].resize(shape.size());
            for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
                if (shape[dimension] == no_expression) continue;
                const ExpressionId before = shape[dimension];
                std::int64_t& size = made.sizes[index][dimension];
                std::tie(size, shape[dimension]) = fixed(node, before);
                if (size < 0) {
                    refuse_node(
                        pass_name, source_.name(node),
                        "its size " + in_quotes(expressions_.text(before)) + " would be " + std::to_string(size));
                }
                is_symbolic |= shape[dimension] != no_expression;
            }
            if (!is_symbolic) shape.clear();
            symbolic |= is_symbolic;
        }
        if (!symbolic) shapes.clear();
    }

    void fix_value(NodeId node) {
        std::uint8_t& stay = fields_stay_[fields_.number(node)];
        if (stay != 0) return;
        Fixed& made = fixed_fields(node);
        if (!made.changes) {
            stay = 1;
            return;
        }
        if (made.constant) {
            constants_[node] = *made.constant;
            has_constants_ = true;
        }
        for (std::size_t index = 0; index < made.sizes.size(); ++index) {
            if (made.tensor_changes[index]) fix_tensor(node, index, made);
        }
        editor_.set_extra_json(node, fixed_text(node, made));
    }

    void fix_tensor(NodeId node, std::size_t index, Fixed& fixed) {
        const TensorMeta tensor = std::as_const(editor_).outputs(node)[index];
        KnownLayout& layout = fixed.layouts[index];
        const TensorMeta made = layout.is_of(editor_, tensor) ? with_known_layout(editor_, tensor, layout)
                                                              : with_fixed_sizes(node, index, tensor, fixed);
        if (fixed.sizes_differ[index]) editor_.set_estimate(node, std::nullopt);
        editor_.mutable_outputs(node)[index] = made;
    }

    TensorMeta with_fixed_sizes(NodeId node, std::size_t index, const TensorMeta& tensor, Fixed& fixed) {
        const std::vector<ExpressionId>& before = fields_.of(node).shapes[index];
        const std::span<const std::int64_t> whole = editor_.shape(tensor);
        std::vector<std::int64_t> sizes(whole.begin(), whole.end());
        for (std::size_t dimension = 0; dimension < before.size(); ++dimension) {
            if (before[dimension] != no_expression) sizes[dimension] = fixed.sizes[index][dimension];
        }
        fixed.sizes_differ[index] = !std::ranges::equal(sizes, whole);
        return with_sizes(editor_, tensor, before, sizes, fixed.layouts[index]);
    }

    /// The unknown fields of a node afterwards; of those that are composed, only what they say of sizes is new.
    StringId fixed_text(NodeId node, Fixed& made) {
        const StringId before = source_.extra_json()[node];
        const TextPieces* pieces = source_.strings()->pieces(before);
        StringId text = made.text.value_or(no_string);
        if (text == no_string) {
            const auto outputs = std::as_const(editor_).outputs(node);
            text =
                editor_.intern(pieces ? sizes_piece_text(made.fields, expressions_, fields_.hints(), editor_, outputs)
                                      : fields_text(made.fields, expressions_, fields_.hints(), editor_, outputs));
            if (made.text) made.text = text;
        }
        if (!pieces) return text;
        if ((*pieces)[place_of_sizes] == text) return before;
        TextPieces changed = *pieces;
        changed[place_of_sizes] = text;
        return editor_.compose(changed);
    }

    /// torch.fx registers a node anew with its inputs when its arguments are set, and torchtitan sets all of them.
    void fix_arguments(NodeId node) {
        const NodeRecord record = editor_.record(node);
        const Value args = fixed_argument(node, record.args), kwargs = fixed_argument(node, record.kwargs);
        const bool changes = args.first != record.args.first || kwargs.first != record.kwargs.first;
        if (changes || !has_constants_) editor_.set_arguments(node, args, kwargs);
    }

    Value fixed_argument(NodeId node, const Value& value) {
        if (value.is(ValueKind::node)) {
            return constants_[value.node] ? Value::of_integer(*constants_[value.node]) : value;
        }
        if (value.is(ValueKind::symbol)) return fixed_symbol(node, value);
        if (!value.has_children() || !may_change(value)) return value;
        std::vector<Value> items(editor_.children(value).begin(), editor_.children(value).end());
        for (Value& item : items) item = fixed_argument(node, item);
        Value made = editor_.list(items);
        made.kind = value.kind;
        return made;
    }

    bool may_change(const Value& value) const {
        if (value.is(ValueKind::node)) return constants_[value.node].has_value();
        return value.is(ValueKind::symbol) ||
               std::ranges::any_of(editor_.children(value), [&](const Value& item) { return may_change(item); });
    }

    Value fixed_symbol(NodeId node, const Value& value) {
        const ExpressionId expression = expressions_.read(editor_.text(editor_.children(value)[0].string));
        if (!expressions_.is_readable(expression)) refuse_expression(node, expression);
        const auto [number, left] = fixed(node, expression);
        if (left == no_expression) return Value::of_integer(number);
        const Value parts[] = {Value::of_string(editor_.intern(expressions_.text(left))), Value::of_integer(number)};
        Value made = editor_.list(parts);
        made.kind = ValueKind::symbol;
        return made;
    }

    /// In the job a comparison of sizes has a value of its own that becomes a boolean. A document has none for it, so
    /// it is computed from the numbers that its arguments became.
    void refuse_false_assertions() const {
        const TargetSet assertions(source_, {"aten._assert_scalar.default"});
        if (!assertions.any()) return;
        const KnownConditions conditions(source_);
        std::vector<std::optional<bool>> known(source_.node_count());
        const auto number = [&](const Value* value) -> std::optional<std::int64_t> {
            if (value && value->is(ValueKind::integer)) return value->integer;
            if (value && value->is(ValueKind::boolean)) return value->boolean ? 1 : 0;
            if (value && value->is(ValueKind::node)) return known[value->node];
            return {};
        };
        for (NodeId node = editor_.first(); node != no_node; node = editor_.next(node)) {
            const auto left = number(editor_.argument(node, 0));
            if (const auto right = number(editor_.argument(node, 1)); left && right)
                known[node] = conditions.value(editor_.record(node), *left, *right);
            if (!assertions.has(editor_.record(node)) || left != 0) continue;
            if (editor_.argument(node, 0)->is(ValueKind::integer)) continue;  // torchtitan looks at booleans alone
            refuse_node(pass_name, editor_.name(node), "it asserts what is false, and torchtitan raises a ValueError");
        }
    }

    void erase_dead_scalars() {
        const TargetSet plumbing(
            source_, {"aten.sym_size.int", "torch.sym_ite", "operator.add", "operator.and_", "operator.floordiv",
                      "operator.mod", "operator.mul", "operator.or_", "operator.sub", "operator.eq", "operator.ge",
                      "operator.gt", "operator.le", "operator.lt", "aten._assert_scalar.default"});
        for (NodeId node = editor_.last(); node != no_node;) {
            const NodeId before = editor_.previous(node);
            if (editor_.user_count(node) == 0 && plumbing.has(editor_.record(node))) editor_.erase(node);
            node = before;
        }
    }

    const Graph& source_;
    NodeFieldTable& fields_;
    Expressions& expressions_;
    const KnownSymbols& known_;
    GraphEditor editor_;
    std::vector<std::optional<std::int64_t>> constants_;  ///< by node: the number that a scalar became
    std::vector<Fixed> fixed_;                            ///< by number of the fields
    std::vector<std::uint8_t> fields_stay_;               ///< the same: whether nothing of them changes
    bool has_constants_ = false;
};

}  // namespace

std::string_view ConcretizeChunkShapes::summary() const {
    return "Turns sizes that follow the halved batch into numbers again";
}

PassResult ConcretizeChunkShapes::run(const std::shared_ptr<const Graph>& graph, const Options&,
                                      std::stop_token) const {
    return or_refused(name(), [&] {
        if (!may_have_chunks(*graph)) return unchanged(graph, name());
        NodeFieldTable fields(*graph, name(), false);
        KnownSymbols chunk = chunk_symbols(*graph, fields, false, name());
        if (chunk.empty()) assume_populated(*graph, fields, chunk);
        if (chunk.empty()) return unchanged(graph, name());
        KnownSymbols known = placeholder_symbols(*graph, fields, name());
        known.override_by(chunk);
        return Concretizing(graph, fields, known).run();
    });
}

}  // namespace overlap
