#include "ui/document/removed_collectives.h"

#include "ui/document/document.h"
#include "ui/document/removed_collectives_found.h"

namespace overlap::ui {

std::vector<NodeId> removedCollectives(const Document& document) {
    const auto evaluation = document.evaluation();
    if (!evaluation) return {};
    return document.findChild<RemovedCollectivesFound*>(QString(), Qt::FindDirectChildrenOnly)->of(evaluation);
}

}  // namespace overlap::ui
