#include "ui/document/selection.h"

#include <QSet>

namespace overlap::ui {
namespace {

/// Whether one of the modules is around the one at `path`; the root is around all.
bool isInside(const QString& path, const QSet<QString>& modules) {
    if (modules.contains(QString())) return true;
    for (qsizetype dot = path.indexOf(u'.'); dot >= 0; dot = path.indexOf(u'.', dot + 1))
        if (modules.contains(path.first(dot))) return true;
    return false;
}

}  // namespace

void Selection::selectNode(const QString& name) {
    set(Kind::node, name, {}, -1);
}
void Selection::selectModule(const QString& path) {
    set(Kind::module, {}, {path}, -1);
}
void Selection::selectModules(QStringList paths) {
    paths.removeDuplicates();
    const QSet<QString> all(paths.begin(), paths.end());
    paths.removeIf([&](const QString& path) { return !path.isEmpty() && isInside(path, all); });
    if (paths.isEmpty()) return clear();
    set(paths.size() == 1 ? Kind::module : Kind::modules, {}, paths, -1);
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

void Selection::set(Kind kind, const QString& node, const QStringList& modules, int bucket, const QString& group) {
    if (kind == kind_ && node == node_ && modules == modules_ && bucket == bucket_ && group == group_) return;
    kind_ = kind;
    node_ = node;
    modules_ = modules;
    bucket_ = bucket;
    group_ = group;
    emit changed();
}

}  // namespace overlap::ui
