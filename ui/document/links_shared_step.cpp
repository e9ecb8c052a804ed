#include "ui/document/links_shared_step.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "core/pipeline/step_with_links_shared.h"
#include "ui/document/document.h"
#include "ui/tasks/released_elsewhere.h"

namespace overlap::ui {
namespace {

/// Evaluations with links shared, by the one that they were made of.
class KeptSteps {
  public:
    std::shared_ptr<const Evaluation> of(const std::shared_ptr<const Evaluation>& evaluation) {
        const std::lock_guard lock(mutex_);
        std::erase_if(kept_, [](const Kept& kept) { return kept.of.expired(); });
        const auto known = std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.of.lock() == evaluation; });
        if (known != kept_.end()) return known->shared;
        std::shared_ptr<const Evaluation> shared = with_links_shared(evaluation);
        if (evaluation->graph->node_count() >= large_graph_nodes) shared = releasedElsewhere(std::move(shared));
        kept_.push_back({evaluation, shared});
        return shared;
    }

  private:
    struct Kept {
        std::weak_ptr<const Evaluation> of;
        std::shared_ptr<const Evaluation> shared;
    };

    std::mutex mutex_;
    std::vector<Kept> kept_;  // one for each plan whose evaluation somebody has
};

}  // namespace

std::shared_ptr<const Evaluation> withLinksShared(const std::shared_ptr<const Evaluation>& evaluation) {
    if (!evaluation || !evaluation->on_shared_links) return evaluation;
    // Never destroyed: workers may still ask while the application ends.
    static auto& kept = *new KeptSteps;
    return kept.of(evaluation);
}

std::shared_ptr<const Evaluation> shownEvaluation(const Document& document) {
    return withLinksShared(document.evaluation());
}

std::shared_ptr<const Evaluation> shownBaseline(const Document& document) {
    if (!document.isOpen()) return nullptr;
    return withLinksShared(document.times() ? document.times()->baseline : document.loaded().baseline);
}

bool sharesLinks(const Evaluation& evaluation) {
    return evaluation.time_source && evaluation.time_source->share_links;
}

}  // namespace overlap::ui
