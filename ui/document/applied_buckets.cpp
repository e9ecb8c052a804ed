#include "ui/document/applied_buckets.h"

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
    const Plan& plan = document.variant(document.currentIndex()).plan();
    const std::optional<EntriesTaker> taker = entries_taker(plan);
    if (!taker) return Document::tr("Not applied: no step of the plan takes buckets");
    const QString pass = QString::fromStdString(plan.pipeline[taker->step].pass);
    return taker->is_off ? Document::tr("Not applied: %1 is switched off").arg(pass)
                         : Document::tr("Not applied: %1 is given a list of buckets of its own").arg(pass);
}

}  // namespace overlap::ui
