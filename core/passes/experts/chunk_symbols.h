#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "core/passes/experts/node_fields.h"
#include "core/passes/experts/symbolic_expression.h"

namespace overlap::experts {

/// Symbols and the numbers that stand for them.
class KnownSymbols {
  public:
    /// @throws PassRefusal of `pass` naming the node where the symbol already has another number.
    void add(const Expressions& expressions, SymbolId symbol, std::int64_t number, std::string_view node,
             std::string_view pass);
    bool empty() const { return order_.empty(); }
    bool has(SymbolId symbol) const { return symbol < values_.size() && values_[symbol].has_value(); }
    /// In the order in which they were found.
    const std::vector<SymbolId>& order() const { return order_; }
    const SymbolValues& values() const { return values_; }
    /// Whether an expression mentions one of them.
    bool occur_in(const Expressions& expressions, ExpressionId expression) const;
    /// Adds those of `others`, whose numbers hold.
    void override_by(const KnownSymbols& others);

  private:
    std::vector<SymbolId> order_;
    SymbolValues values_;
};

/// The symbols along which modules are halved: those of `chunk_symbol_hints`, and, where `of_placeholders`, those in
/// the first dimension of placeholders (torchtitan/experiments/graph_trainer/ep_pass_utils.py,
/// `chunk_symbol_hints_for_mode`).
/// @param fields of the nodes that are looked at.
/// @throws PassRefusal of `pass` where a placeholder's size is no multiple of one symbol, and where two nodes give a
/// symbol different numbers.
KnownSymbols chunk_symbols(const Graph& graph, const NodeFieldTable& fields, bool of_placeholders,
                           std::string_view pass);

/// The symbols in all dimensions of placeholders. @throws PassRefusal as above.
KnownSymbols placeholder_symbols(const Graph& graph, const NodeFieldTable& fields, std::string_view pass);

}  // namespace overlap::experts
