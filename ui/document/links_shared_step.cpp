#include "ui/document/links_shared_step.h"

#include "ui/document/document.h"

namespace overlap::ui {

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
