#include "ui/files/steps_on_shared_links.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "core/pipeline/step_with_links_shared.h"
#include "ui/tasks/released_elsewhere.h"

namespace overlap::ui {
namespace {

/// Evaluations with links shared, by the one that they were made of.
class KeptSteps {
  public:
    using Step = std::shared_ptr<const Evaluation>;

    Step of(const Step& evaluation, std::stop_token stop) {
        if (Step known = found(evaluation)) return known;
        if (stop.stop_requested()) return nullptr;
        // Not under the lock: the window asks for others meanwhile.
        Step made = with_links_shared(evaluation, std::move(stop));
        if (!made) return nullptr;
        if (evaluation->graph->node_count() >= large_graph_nodes) made = releasedElsewhere(std::move(made));
        return keep(evaluation, std::move(made));
    }

  private:
    struct Kept {
        std::weak_ptr<const Evaluation> of;
        Step shared;
    };

    Step found(const Step& evaluation) {
        const std::lock_guard lock(mutex_);
        std::erase_if(kept_, [](const Kept& kept) { return kept.of.expired(); });
        return foundLocked(evaluation);
    }

    Step foundLocked(const Step& evaluation) const {
        const auto known = std::ranges::find_if(kept_, [&](const Kept& kept) { return kept.of.lock() == evaluation; });
        return known == kept_.end() ? nullptr : known->shared;
    }

    /// @returns what another thread has kept meanwhile, where one has.
    Step keep(const Step& evaluation, Step made) {
        const std::lock_guard lock(mutex_);
        if (Step known = foundLocked(evaluation)) return known;
        kept_.push_back({evaluation, made});
        return made;
    }

    std::mutex mutex_;        ///< held for no longer than a look takes
    std::vector<Kept> kept_;  ///< one for each plan whose evaluation somebody has
};

}  // namespace

std::shared_ptr<const Evaluation> withLinksShared(const std::shared_ptr<const Evaluation>& evaluation,
                                                  std::stop_token stop) {
    if (!evaluation || !evaluation->on_shared_links) return evaluation;
    // Never destroyed: workers may still ask while the application ends.
    static auto& kept = *new KeptSteps;
    return kept.of(evaluation, std::move(stop));
}

}  // namespace overlap::ui
