#include "ui/document/selection.h"

namespace overlap::ui {

void Selection::selectNode(const QString& name) {
    set(Kind::node, name, {}, -1);
}
void Selection::selectModule(const QString& path) {
    set(Kind::module, {}, path, -1);
}
void Selection::selectBucket(int index) {
    if (index < 0) return clear();
    set(Kind::bucket, {}, {}, index);
}
void Selection::clear() {
    set(Kind::nothing, {}, {}, -1);
}

void Selection::set(Kind kind, const QString& node, const QString& module, int bucket) {
    if (kind == kind_ && node == node_ && module == module_ && bucket == bucket_) return;
    kind_ = kind;
    node_ = node;
    module_ = module;
    bucket_ = bucket;
    emit changed();
}

}  // namespace overlap::ui
