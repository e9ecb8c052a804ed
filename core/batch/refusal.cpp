#include "core/batch/refusal.h"

#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap {

void refuse_batch(const Graph& graph, NodeId node, const std::string& reason) {
    throw InputError("node " + in_quotes(graph.name(node)), "the batch cannot be changed: " + reason);
}

}  // namespace overlap
