#include "core/passes/experts/concretize_chunk_shapes.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/quote.h"
#include "core/files/json_members.h"
#include "core/graph/graph_editor.h"
#include "core/passes/experts/chunk_options.h"
#include "core/passes/experts/chunk_symbols.h"
#include "core/passes/experts/node_fields.h"
#include "core/passes/experts/symbolic_layout.h"
#include "core/passes/pass_support.h"

namespace overlap {

namespace {

using namespace experts;

constexpr std::string_view pass_name = "concretize_ep_chunk_symbolic_shapes_pass";

/// Whether the fields of a node say that a pass, not the model, made it for a half.
bool is_made_by_pass(std::string_view fields) {
    constexpr std::string_view producer = "chunked_region_producer", pass = R"("graph")";
    // Most nodes of a model that halves the batch itself have the one, and none the other.
    if (fields.find(pass) == fields.npos || fields.find(producer) == fields.npos) return false;
    return json_member(json_member(fields, "titan_meta"), producer) == pass;
}

/// Whether a node's fields may have something to do with halves that a pass makes: false for most graphs, at a fraction
/// of the time that reading all fields takes.
bool may_have_chunks(const Graph& graph) {
    std::array<StringId, 8> without{};
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        const StringId fields = graph.metadata(node).extra_json;
        StringId& place = without[fields % without.size()];
        if (fields == place) continue;
        const std::string_view text = graph.text(fields);
        if (text.find("chunk_symbol_hints") != text.npos) return true;
        if (is_made_by_pass(text)) return true;
        place = fields;
    }
    return false;
}

/// Files from before `chunk_symbol_hints` was written: where a pass has halved modules, it did so along the first
/// dimension of the inputs.
void assume_populated(const Graph& graph, const NodeFieldTable& fields, KnownSymbols& symbols) {
    if (!json_member(graph.header().extra_json, without_hints_field).empty()) return;
    bool halved = false;
    for (NodeId node = 0; node < graph.node_count() && !halved; ++node) {
        halved = is_made_by_pass(graph.text(graph.metadata(node).extra_json));
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
          constants_(source_.node_count()) {}

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

    void fix_value(NodeId node) {
        const NodeFields& before = fields_.of(node);
        const bool has_tensors = std::ranges::any_of(before.shapes, [&](const std::vector<ExpressionId>& shape) {
            return std::ranges::any_of(shape, [&](ExpressionId size) { return mentions_known(size); });
        });
        if (!has_tensors && before.value == no_expression && before.hints.empty()) return;
        NodeFields made = before;
        made.hints.clear();
        if (before.value != no_expression) {
            if (const auto value = expressions_.value(before.value, known_.values())) {
                constants_[node] = *value;
                has_constants_ = true;
            }
            made.value = fixed(node, before.value).second;
        }
        if (has_tensors) fix_tensors(node, made);
        const std::string text =
            fields_text(made, expressions_, fields_.hints(), editor_, std::as_const(editor_).outputs(node));
        editor_.set_extra_json(node, editor_.intern(text));
    }

    void fix_tensors(NodeId node, NodeFields& fields) {
        bool symbolic = false;
        for (std::size_t index = 0; index < fields.shapes.size(); ++index) {
            std::vector<ExpressionId>& shape = fields.shapes[index];
            if (std::ranges::none_of(shape, [&](ExpressionId size) { return mentions_known(size); })) {
                symbolic |= !shape.empty();
                continue;
            }
            const TensorMeta tensor = editor_.outputs(node)[index];
            std::vector<std::int64_t> sizes(editor_.shape(tensor).begin(), editor_.shape(tensor).end());
            const std::vector<ExpressionId> before = shape;
            bool is_symbolic = false;
            for (std::size_t dimension = 0; dimension < shape.size(); ++dimension) {
                if (shape[dimension] == no_expression) continue;
                std::tie(sizes[dimension], shape[dimension]) = fixed(node, shape[dimension]);
                if (sizes[dimension] < 0) {
                    refuse_node(pass_name, source_.name(node),
                                "its size " + in_quotes(expressions_.text(before[dimension])) + " would be " +
                                    std::to_string(sizes[dimension]));
                }
                is_symbolic |= shape[dimension] != no_expression;
            }
            if (!std::ranges::equal(sizes, editor_.shape(tensor))) editor_.set_estimate(node, std::nullopt);
            const TensorMeta made = with_sizes(editor_, tensor, before, sizes);
            editor_.mutable_outputs(node)[index] = made;
            if (!is_symbolic) shape.clear();
            symbolic |= is_symbolic;
        }
        if (!symbolic) fields.shapes.clear();
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
