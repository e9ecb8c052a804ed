#include "ui/document/removed_collectives_found.h"

#include "core/views/removed_collectives.h"

namespace overlap::ui {

const std::vector<NodeId>& RemovedCollectivesFound::of(const std::shared_ptr<const Evaluation>& evaluation) {
    if (of_.lock() != evaluation) {
        removed_ = removed_collectives(*evaluation);
        of_ = evaluation;
    }
    return removed_;
}

}  // namespace overlap::ui
