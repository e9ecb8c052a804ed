#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/imports/fx/fx_arguments.h"
#include "core/imports/fx/fx_comment.h"
#include "core/imports/fx/fx_functions.h"
#include "core/imports/untyped/untyped_graph.h"

namespace overlap {

/// Reads one function `forward` as torch.fx prints it, statement by statement.
class FxStatements {
  public:
    /// @param text, graph must outlive it.
    FxStatements(std::string_view text, const FxFunction& function, const ImportOptions& options, UntypedGraph& graph);

    /// @throws InputError with line and column.
    void read();

  private:
    using Id = PythonExpressionId;

    void read_signature();
    void read_parameter();
    /// @return false behind the function's `return`.
    bool read_line();
    void read_statement();
    void read_assignment(Id target);
    void store_item(Id item, Id value);
    /// @throws InputError where the node of `a += b` has no name yet, and the next one comes.
    void check_in_place_is_named() const;
    void read_in_place(Id target);
    void read_return();
    void release(std::span<const Id> names, std::size_t offset);
    void unflatten_inputs(Id names);

    void assign(std::string_view name, Id right, std::size_t offset, std::optional<std::string> annotation);
    void assign_call(UntypedNode& node, Id call);
    void assign_operator(UntypedNode& node, Id expression);
    bool assign_alias(std::string_view name, Id right);
    void set_target(UntypedNode& node, NodeOp op, std::string_view target);
    void set_arguments(UntypedNode& node, std::span<const Value> args);
    void set_type(UntypedNode& node, std::string_view annotation);
    void add(UntypedNode node, std::string_view name);
    UntypedNode& placeholder(std::string_view name, std::size_t offset);

    Value resolve(std::string_view name, std::size_t offset);
    std::string_view kept_name(std::string_view name) { return builder().text(builder().intern(name)); }
    GraphBuilder& builder() { return graph_.builder; }
    const PythonExpression& expression(Id id) const { return expressions_[id]; }
    void see_comment(const PythonToken& comment);
    void note(std::string_view what, std::size_t offset, ImportNoteKind kind = ImportNoteKind::remark);

    std::string_view text_;
    const ImportOptions& options_;
    UntypedGraph& graph_;
    PythonTokens tokens_;
    PythonExpressions expressions_;
    FxArguments arguments_;
    std::unordered_map<std::string_view, Value> names_;           ///< nodes, and local names for lists of arguments
    std::unordered_map<std::string_view, std::size_t> released_;  ///< where a name was set to None
    std::optional<FxComment> comment_;
    std::optional<std::pair<UntypedNode, std::string_view>> in_place_;  ///< `a += b`, until its node's name comes
};

}  // namespace overlap
