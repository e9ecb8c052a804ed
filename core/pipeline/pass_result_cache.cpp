#include "core/pipeline/pass_result_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace overlap {

std::shared_ptr<const KnownPassResult> PassResultCache::found(const Graph* given, const PassStep& step) {
    const auto known = std::ranges::find_if(
        results_, [&](const auto& result) { return result->given.get() == given && result->step == step; });
    if (known == results_.end()) return nullptr;
    results_.splice(results_.begin(), results_, known);
    return results_.front();
}

std::shared_ptr<const KnownPassResult> PassResultCache::find(const std::shared_ptr<const Graph>& given,
                                                             const PassStep& step) {
    const std::scoped_lock guard(lock_);
    return found(given.get(), step);
}

std::shared_ptr<const KnownPassResult> PassResultCache::keep(KnownPassResult made) {
    auto result = std::make_shared<const KnownPassResult>(std::move(made));
    std::vector<std::shared_ptr<const KnownPassResult>>
        dropped;  // released behind the lock: they may be the last owners
    const std::scoped_lock guard(lock_);
    if (auto known = found(result->given.get(), result->step)) return known;
    results_.push_front(result);
    nodes_ += result->result.graph->node_count();
    while (results_.size() > capacity_ || (nodes_ > most_nodes_ && !results_.empty())) {
        nodes_ -= results_.back()->result.graph->node_count();
        dropped.push_back(std::move(results_.back()));
        results_.pop_back();
    }
    return result;
}

}  // namespace overlap
