#include "ui/document/removed_collectives.h"

#include <memory>

#include "core/views/removed_collectives.h"
#include "ui/document/document.h"

namespace overlap::ui {

std::vector<NodeId> removedCollectives(const Document& document) {
    struct Known {
        std::weak_ptr<const Evaluation> of;
        std::vector<NodeId> removed;
    };
    static Known known;
    const auto evaluation = document.evaluation();
    if (!evaluation) return {};
    if (known.of.lock() != evaluation) known = {evaluation, removed_collectives(*evaluation)};
    return known.removed;
}

}  // namespace overlap::ui
