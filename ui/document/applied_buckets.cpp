#include "ui/document/applied_buckets.h"

#include <algorithm>

#include "core/plan/automatic_plan.h"
#include "ui/document/document.h"

namespace overlap::ui {

const Buckets& appliedBuckets(const Document& document) {
    static const Buckets none;
    return bucketsAreApplied(document) ? document.buckets() : none;
}

bool bucketsAreApplied(const Document& document) {
    return document.editable() && takes_entries(document.variant(document.currentIndex()).plan());
}

QString whyBucketsAreNotApplied(const Document& document) {
    if (document.buckets().empty() || bucketsAreApplied(document)) return {};
    const std::vector<PassStep>& steps = document.variant(document.currentIndex()).plan().pipeline;
    const auto taking = std::ranges::find_if(steps, takes_buckets, &PassStep::pass);
    if (taking == steps.end()) return Document::tr("Not applied: no step of the plan takes buckets");
    const QString pass = QString::fromStdString(taking->pass);
    return taking->enabled ? Document::tr("Not applied: %1 is given buckets of its own").arg(pass)
                           : Document::tr("Not applied: %1 is switched off").arg(pass);
}

}  // namespace overlap::ui
