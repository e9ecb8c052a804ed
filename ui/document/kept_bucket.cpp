#include "ui/document/kept_bucket.h"

#include <algorithm>

#include "ui/document/document.h"

namespace overlap::ui {

KeptBucket::KeptBucket(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&document.selection(), &Selection::changed, this, &KeptBucket::remember);
    connect(&document, &Document::planChanged, this, &KeptBucket::follow);
}

void KeptBucket::remember() {
    gone_from_ = 0;  // the user's choice, whatever it is
    if (document_.selection().kind() != Selection::Kind::bucket) return;
    const Buckets& buckets = document_.buckets();
    const auto index = static_cast<std::size_t>(document_.selection().bucket());
    count_ = buckets.size();
    if (index < buckets.size())
        modules_ = buckets[index].modules;
    else
        modules_.clear();
}

void KeptBucket::follow() {
    Selection& selection = document_.selection();
    if (selection.kind() != Selection::Kind::bucket) return comeBack();
    const Buckets& buckets = document_.buckets();
    const auto has_modules = [this](const BucketEntry& bucket) { return bucket.modules == modules_; };
    const auto index = static_cast<std::size_t>(selection.bucket());
    const bool stays = index < buckets.size() && has_modules(buckets[index]);
    const auto found = std::ranges::find_if(buckets, has_modules);
    if (!stays && found != buckets.end()) return selection.selectBucket(static_cast<int>(found - buckets.begin()));
    // As many as before: its modules were edited.
    if (!stays && (index >= buckets.size() || buckets.size() != count_)) {
        selection.clear();
        gone_from_ = document_.current()->key();
        return;
    }
    remember();
}

void KeptBucket::comeBack() {
    if (gone_from_ == 0 || gone_from_ != document_.current()->key()) return;
    const Buckets& buckets = document_.buckets();
    const auto found = std::ranges::find(buckets, modules_, &BucketEntry::modules);
    if (found != buckets.end()) document_.selection().selectBucket(static_cast<int>(found - buckets.begin()));
}

}  // namespace overlap::ui
