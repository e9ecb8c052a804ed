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
void Selection::selectGroup(const QString& name) {
    set(Kind::group, {}, {}, -1, name);
}
void Selection::clear() {
    set(Kind::nothing, {}, {}, -1);
}

void Selection::set(Kind kind, const QString& node, const QString& module, int bucket, const QString& group) {
    if (kind == kind_ && node == node_ && module == module_ && bucket == bucket_ && group == group_) return;
    kind_ = kind;
    node_ = node;
    module_ = module;
    bucket_ = bucket;
    group_ = group;
    emit changed();
}

}  // namespace overlap::ui
