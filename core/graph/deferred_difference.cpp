#include "core/graph/deferred_difference.h"

#include <mutex>
#include <utility>

namespace overlap {

struct DeferredDifference::State {
    std::shared_ptr<const Graph> before, after;  ///< until it was found
    std::vector<NodeId> origin;
    std::once_flag once;
    GraphDifference difference;
};

DeferredDifference::DeferredDifference(std::shared_ptr<const Graph> before, std::shared_ptr<const Graph> after,
                                       std::vector<NodeId> origin)
    : state_(std::make_shared<State>()) {
    state_->before = std::move(before);
    state_->after = std::move(after);
    state_->origin = std::move(origin);
}

const GraphDifference& DeferredDifference::operator*() const {
    static const GraphDifference none;
    if (!state_) return none;
    std::call_once(state_->once, [this] {
        state_->difference = graph_difference(*state_->before, *state_->after, state_->origin);
        state_->before = state_->after = nullptr;
        state_->origin = {};
    });
    return state_->difference;
}

}  // namespace overlap
