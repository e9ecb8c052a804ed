#include "core/passes/cleanup/stable_topological_sort_pass.h"

#include "core/graph/editing/topological_sort.h"
#include "core/passes/hazards.h"
#include "core/passes/pass_support.h"

namespace overlap {

std::string_view StableTopologicalSort::summary() const {
    return "Moves as few nodes as needed so that each stands behind its inputs";
}

PassResult StableTopologicalSort::run(const std::shared_ptr<const Graph>& graph, const Options&,
                                      std::stop_token) const {
    GraphEditor editor(graph);
    if (editor.is_topological()) return unchanged(graph, name());
    if (!stable_topological_sort_by_arguments(editor)) {
        throw PassRefusal(std::string(name()), "",
                          "the graph has a cycle, and PyTorch raises an AssertionError (topological sort did not "
                          "consume all nodes)");
    }
    PassResult result = finished(editor, name());
    result.report.problems = reads_before_fill(*result.graph);
    return result;
}

}  // namespace overlap
