#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/graph/editing/graph_editor.h"
#include "core/passes/pass.h"

namespace overlap {

/// Some operators, looked up once among the targets of a graph: whether a node is one of them is then one array access.
class TargetSet {
  public:
    TargetSet(const Graph& graph, std::initializer_list<std::string_view> names);
    /// Whether a call_function node, given by its record, is one of the operators. Targets that an editor added to the
    /// graph's are not.
    bool has(const NodeRecord& record) const {
        return record.target < member_.size() && member_[record.target] != 0 && record.op == NodeOp::call_function;
    }
    /// Whether the graph has a target that is one of the operators.
    bool any() const { return any_; }

  private:
    std::vector<std::uint8_t> member_;
    bool any_ = false;
};

/// The input itself, for passes that find nothing to do.
PassResult unchanged(const std::shared_ptr<const Graph>& graph, std::string_view pass);
/// The edited graph.
PassResult finished(GraphEditor& editor, std::string_view pass);

/// What `rewrite` returns.
/// @throws PassRefusal of `pass` where `rewrite` throws an InputError: the reference cannot work on the graph.
template <typename Rewrite>
PassResult or_refused(std::string_view pass, Rewrite&& rewrite) {
    try {
        return rewrite();
    } catch (const PassRefusal&) {
        throw;
    } catch (const InputError& error) {
        throw PassRefusal(std::string(pass), error.place(), error.problem(), error.code());
    }
}

/// A problem of severity caution.
Problem caution(ProblemKind kind, std::string title, std::string message, std::vector<std::string> nodes = {});

/// That a result is not in topological order, as in the reference until its stable sort; nothing where it is.
std::optional<Problem> order_left_open(const GraphEditor& editor);

/// @throws PassRefusal naming the node.
[[noreturn]] void refuse_node(std::string_view pass, std::string_view node, const std::string& reason);

/// @throws PassRefusal naming a node whose process group the document does not list.
[[noreturn]] void refuse_unknown_group(std::string_view pass, std::string_view node, std::string_view group);

/// torch.fx checks the order of a graph (`Graph.lint`) before or after most rewritings and raises.
/// @throws PassRefusal naming the first node that comes before one of its inputs.
void require_order(const Graph& graph, std::string_view pass);
void require_order(const GraphEditor& editor, std::string_view pass);

}  // namespace overlap
