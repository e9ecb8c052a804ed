#include "core/explain/explain_node.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/explain/explain_memory.h"
#include "core/explain/explain_schedule.h"

namespace overlap {

namespace {

[[noreturn]] void fail_unknown(const Evaluation& evaluation, std::string_view node) {
    std::vector<std::string> names;
    for (const Graph* graph : {evaluation.input.get(), evaluation.graph.get()}) {
        for (NodeId known = 0; known < graph->node_count(); ++known) names.emplace_back(graph->name(known));
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::vector<std::string> alike = nearest_names(node, names);
    // Names of collectives are long, and often only how they begin is known.
    if (alike.empty() && !node.empty())
        for (const std::string& name : names)
            if (alike.size() < 3 && name.find(node) != name.npos) alike.push_back(name);
    std::string near;
    for (const std::string& name : alike) near += (near.empty() ? "" : ", ") + in_quotes(name);
    throw InputError("",
                     "there is no node " + in_quotes(node) +
                         (near.empty() ? " nor one of a similar name; overlap simulate GRAPH --json names collectives"
                                       : "; nearest: " + near));
}

CollectiveExplanation explain_named(const Evaluation& evaluation, std::string_view node) {
    const NodeId of_input = evaluation.input->find(node), of_result = evaluation.graph->find(node);
    // A name that both graphs have is the same node in both, unless a pass gave it to a node that it made.
    const bool same = of_result != no_node && evaluation.origin[of_result] == of_input;
    if (of_input != no_node && (same || of_result == no_node))
        return explain_collective(*evaluation.input, of_input, &evaluation);
    if (of_result != no_node) return explain_result(evaluation, of_result);
    fail_unknown(evaluation, node);
}

}  // namespace

CollectiveExplanation explain_node(const Evaluation& evaluation, std::string_view node, std::stop_token stop) {
    CollectiveExplanation explanation = explain_named(evaluation, node);
    for (std::string& sentence : explain_exposure(evaluation, explanation.collective, std::move(stop)))
        explanation.sentences.push_back(std::move(sentence));
    for (std::string& sentence : explain_memory(evaluation, node)) explanation.sentences.push_back(std::move(sentence));
    return explanation;
}

}  // namespace overlap
