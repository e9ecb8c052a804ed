#include "ui/document/removed_collectives_found.h"

#include "core/views/removed_collectives.h"

namespace overlap::ui {

const std::vector<NodeId>& RemovedCollectivesFound::of(const std::shared_ptr<const Evaluation>& evaluation) {
    std::erase_if(found_, [](const auto& known) { return known.first.expired(); });
    const auto known = found_.find(evaluation);
    if (known != found_.end()) return known->second;
    return found_.emplace(evaluation, removed_collectives(*evaluation)).first->second;
}

}  // namespace overlap::ui
