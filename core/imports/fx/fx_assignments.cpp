// Statements with `=`: names that get a value, items that are stored, names that are released.

#include <array>

#include "core/base/quote.h"
#include "core/imports/fx/fx_statements.h"

namespace overlap {
namespace {

using Kind = PythonExpressionKind;

}  // namespace

void FxStatements::read_assignment(Id target) {
    const std::size_t offset = expression(target).offset;
    std::optional<std::string> annotation;
    if (tokens_.take_if(":")) {
        const Id type = expressions_.parse_item();
        if (expression(type).kind == Kind::string) annotation = expression(type).text;
    }
    tokens_.expect("=");
    std::vector<Id> chain{target, expressions_.parse()};
    while (tokens_.take_if("=")) chain.push_back(expressions_.parse());
    const Id right = chain.back();
    chain.pop_back();
    if (expression(target).kind == Kind::subscript && chain.size() == 1) {
        store_item(target, right);
        return;
    }
    if (expression(right).kind == Kind::name && expression(right).text == "None") {
        release(chain, offset);
        return;
    }
    if (chain.size() > 1) tokens_.fail(offset, "one name is assigned at a time, unless it is released to None");
    if (expression(target).kind == Kind::tuple) {
        if (expression(right).kind != Kind::call) tokens_.fail(offset, "several names are assigned at once");
        unflatten_inputs(target);
        return;
    }
    if (expression(target).kind != Kind::name) tokens_.fail(offset, "only a name can be assigned");
    assign(expression(target).text, right, offset, std::move(annotation));
}

void FxStatements::release(std::span<const Id> names, std::size_t offset) {
    for (const Id id : names) {
        if (expression(id).kind != Kind::name) tokens_.fail(offset, "only a name can be released");
        const auto known = names_.find(expression(id).text);
        if (known == names_.end()) {
            tokens_.fail(expression(id).offset,
                         in_quotes(shortened(expression(id).text)) + " is released, and no node has this name");
        }
        released_[known->first] = expression(id).offset;
    }
}

// `a, b, = fx_pytree.tree_flatten_spec(([x, y], {}), self._in_spec)`: the names are the graph's inputs.
void FxStatements::unflatten_inputs(Id names) {
    graph_.nodes.clear();
    names_.clear();
    for (const Id id : expressions_.children(names)) {
        if (expression(id).kind != Kind::name) tokens_.fail(expression(id).offset, "only a name can be assigned");
        placeholder(expression(id).text, expression(id).offset);
    }
}

// `a[0] = b`, behind which torch.fx names the node: `setitem = a`.
void FxStatements::store_item(Id item, Id value) {
    check_in_place_is_named();
    const Id base = expressions_.child(item, 0);
    UntypedNode node;
    node.offset = expression(item).offset;
    set_target(node, NodeOp::call_function, "operator.setitem");
    const Value changed = arguments_.value(base), index = arguments_.value(expressions_.child(item, 1));
    set_arguments(node, std::array{changed, index, arguments_.value(value)});
    in_place_.emplace(std::move(node), kept_name(expressions_.source(base)));
}

}  // namespace overlap
