#include "core/pipeline/pass_result_cache.h"

#include <algorithm>
#include <utility>

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
    std::shared_ptr<const KnownPassResult> dropped;  // released behind the lock: it may be the last that has a graph
    const std::scoped_lock guard(lock_);
    if (auto known = found(result->given.get(), result->step)) return known;
    results_.push_front(result);
    if (results_.size() > capacity_) {
        dropped = std::move(results_.back());
        results_.pop_back();
    }
    return result;
}

}  // namespace overlap
