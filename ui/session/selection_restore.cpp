#include "ui/session/selection_restore.h"

#include <QJsonArray>
#include <QStringList>
#include <algorithm>
#include <utility>

#include "core/views/process_groups.h"
#include "ui/document/document.h"

namespace overlap::ui {
namespace {

QJsonArray modulesOf(const BucketEntry& bucket) {
    QJsonArray modules;
    for (const std::string& module : bucket.modules) modules.append(QString::fromStdString(module));
    return modules;
}

QJsonObject selectionJson(const Document& document, const Selection& selection) {
    switch (selection.kind()) {
        case Selection::Kind::nothing:
            break;
        case Selection::Kind::node:
            return {{"node", selection.node()}};
        case Selection::Kind::module:
        case Selection::Kind::modules:
            return {{"modules", QJsonArray::fromStringList(selection.modules())}};
        case Selection::Kind::bucket: {
            const auto index = static_cast<std::size_t>(selection.bucket());
            if (index >= document.buckets().size()) break;
            return {{"bucket", selection.bucket()}, {"of", modulesOf(document.buckets()[index])}};
        }
        case Selection::Kind::group:
            return {{"group", selection.group()}};
    }
    return {};
}

/// Passes create groups, so that a plan that was edited elsewhere may have others.
bool hasGroup(const Evaluation& evaluation, const QString& name) {
    return std::ranges::any_of(process_group_figures(evaluation), [&](const ProcessGroupFigures& group) {
        return QString::fromStdString(group.name) == name;
    });
}

/// The bucket in its place, or where another start has it now; -1 where it is gone.
int bucketOf(const Buckets& buckets, const QJsonObject& kept) {
    const QJsonArray modules = kept["of"].toArray();
    const auto same = [&](const BucketEntry& bucket) { return modulesOf(bucket) == modules; };
    const int index = kept["bucket"].toInt(-1);
    if (index >= 0 && index < static_cast<int>(buckets.size()) && same(buckets[static_cast<std::size_t>(index)]))
        return index;
    const auto found = std::ranges::find_if(buckets, same);
    return found == buckets.end() ? -1 : static_cast<int>(found - buckets.begin());
}

}  // namespace

SelectionRestore::SelectionRestore(Document& document, QObject* parent) : QObject(parent), document_(document) {
    connect(&document.selection(), &Selection::changed, this, [this] { waiting_ = {}; });
    connect(&document, &Document::evaluationChanged, this, &SelectionRestore::restore);
    connect(&document, &Document::modulesChanged, this, &SelectionRestore::restore);
}

void SelectionRestore::graphOpened(const QJsonObject& kept) {
    waiting_ = kept;
    variant_ = document_.current()->key();
}

void SelectionRestore::restore() {
    if (waiting_.isEmpty() || !document_.evaluation() || document_.current()->stale() || document_.repairing()) return;
    const QJsonObject kept = std::exchange(waiting_, {});
    Selection& selection = document_.selection();
    if (const QString node = kept["node"].toString(); document_.findNode(node).node != no_node)
        selection.selectNode(node);
    QStringList modules;
    for (const QJsonValue kept_path : kept["modules"].toArray()) {
        const QString path = kept_path.toString();
        const bool is_root = path.isEmpty();  // always there, also where all nodes are of modules in it
        if (is_root || !document_.modules().nodes(path.toStdString()).empty()) modules.append(path);
    }
    if (!modules.isEmpty()) selection.selectModules(modules);
    if (const QString group = kept["group"].toString(); hasGroup(*document_.evaluation(), group))
        selection.selectGroup(group);
    if (kept.contains("bucket") && document_.current()->key() == variant_)
        selection.selectBucket(bucketOf(document_.buckets(), kept));
}

QJsonObject SelectionRestore::kept() const {
    return waiting_.isEmpty() ? selectionJson(document_, document_.selection()) : waiting_;
}

}  // namespace overlap::ui
