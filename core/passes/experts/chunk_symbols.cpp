#include "core/passes/experts/chunk_symbols.h"

#include <algorithm>
#include <optional>

#include "core/base/quote.h"
#include "core/passes/pass_support.h"

namespace overlap::experts {

void KnownSymbols::add(const Expressions& expressions, SymbolId symbol, std::int64_t number, std::string_view node,
                       std::string_view pass) {
    if (symbol >= values_.size()) values_.resize(symbol + 1);
    std::optional<std::int64_t>& known = values_[symbol];
    if (known && *known != number) {
        refuse_node(pass, node,
                    "it has " + std::to_string(number) + " for the symbol " + std::string(expressions.name(symbol)) +
                        ", and another node has " + std::to_string(*known) + "; torchtitan raises a ValueError");
    }
    if (!known) order_.push_back(symbol);
    known = number;
}

bool KnownSymbols::occur_in(const Expressions& expressions, ExpressionId expression) const {
    return std::ranges::any_of(expressions.symbols(expression), [&](SymbolId symbol) { return has(symbol); });
}

void KnownSymbols::override_by(const KnownSymbols& others) {
    for (const SymbolId symbol : others.order_) {
        if (symbol >= values_.size()) values_.resize(symbol + 1);
        if (!values_[symbol]) order_.push_back(symbol);
        values_[symbol] = others.values_[symbol];
    }
}

namespace {

/// Finds what placeholders' sizes say of symbols.
class ExtentReader {
  public:
    ExtentReader(const Graph& graph, const NodeFieldTable& fields, std::string_view pass)
        : graph_(graph), fields_(fields), expressions_(fields.expressions()), pass_(pass) {}

    void read(KnownSymbols& known, NodeId node, ExpressionId extent) const {
        const std::int64_t hint = fields_.hint(node, extent);
        for (const SymbolId symbol : expressions_.symbols(extent)) {
            const std::optional<std::int64_t> base = base_of(extent, symbol, hint);
            if (!base) {
                refuse_node(pass_, graph_.name(node),
                            "its size " + in_quotes(expressions_.text(extent)) + " of " + std::to_string(hint) +
                                " is no whole multiple of one symbol; torchtitan raises a ValueError");
            }
            known.add(expressions_, symbol, *base, graph_.name(node), pass_);
        }
    }

  private:
    /// The number of a symbol under which an expression has a value, if it is a multiple of it.
    std::optional<std::int64_t> base_of(ExpressionId extent, SymbolId symbol, std::int64_t hint) const {
        SymbolValues values(symbol + 1);
        values[symbol] = 0;
        const std::optional<std::int64_t> at_zero = expressions_.value(extent, values);
        values[symbol] = 1;
        const std::optional<std::int64_t> at_one = expressions_.value(extent, values);
        if (at_zero != 0 || !at_one || *at_one <= 0 || hint % *at_one != 0) return {};
        return hint / *at_one;
    }

    const Graph& graph_;
    const NodeFieldTable& fields_;
    const Expressions& expressions_;
    const std::string_view pass_;
};

/// Whether the first output is the node's value, as a placeholder's tensor is.
bool is_single_tensor(const Graph& graph, NodeId node) {
    return !graph.record(node).multi && graph.outputs(node).size() == 1;
}

}  // namespace

KnownSymbols chunk_symbols(const Graph& graph, const NodeFieldTable& fields, bool of_placeholders,
                           std::string_view pass) {
    KnownSymbols known;
    const ExtentReader extents(graph, fields, pass);
    for (NodeId node = 0; node < fields.node_count(); ++node) {
        const NodeFields& of_node = fields.of(node);
        for (const auto& [symbol, number] : of_node.hints) {
            const std::optional<SymbolId> found = fields.expressions().find_symbol(symbol);
            if (!found) {
                refuse_node(pass, graph.name(node),
                            "its chunk_symbol_hints name " + in_quotes(symbol) + ", which is in no size of the graph");
            }
            known.add(fields.expressions(), *found, number, graph.name(node), pass);
        }
        if (!of_placeholders || graph.op(node) != NodeOp::placeholder || !is_single_tensor(graph, node)) continue;
        const auto& sizes = of_node.sizes();
        if (!sizes.empty() && sizes.front() != no_expression) extents.read(known, node, sizes.front());
    }
    return known;
}

KnownSymbols placeholder_symbols(const Graph& graph, const NodeFieldTable& fields, std::string_view pass) {
    KnownSymbols known;
    const ExtentReader extents(graph, fields, pass);
    for (NodeId node = 0; node < graph.node_count(); ++node) {
        if (graph.op(node) != NodeOp::placeholder || !is_single_tensor(graph, node)) continue;
        for (const ExpressionId size : fields.of(node).sizes()) {
            if (size != no_expression) extents.read(known, node, size);
        }
    }
    return known;
}

}  // namespace overlap::experts
