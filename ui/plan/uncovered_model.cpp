#include "ui/plan/uncovered_model.h"

#include <algorithm>

#include "ui/document/applied_buckets.h"
#include "ui/document/document.h"
#include "ui/document/module_mime.h"
#include "ui/document/removed_collectives.h"
#include "ui/plan/bucket_model.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

}  // namespace

UncoveredModel::UncoveredModel(Document& document, QObject* parent) : HarmlessModel(parent), document_(document) {
    connect(&document, &Document::modulesChanged, this, &UncoveredModel::update);  // rows hold numbers of modules
    connect(&document, &Document::planChanged, this, &UncoveredModel::update);
    connect(&document, &Document::evaluationChanged, this, [this] {
        if (removedCollectives(document_) != removed_) update();
    });
    update();
}

void UncoveredModel::update() {
    beginResetModel();
    collectives_.clear();
    if (document_.isOpen())
        collectives_ = uncovered_collectives(document_.bucketable(), document_.modules(), appliedBuckets(document_));
    // What the plan's passes take away cannot be bucketed.
    removed_ = removedCollectives(document_);
    std::erase_if(collectives_, [this](const BucketableCollective& collective) {
        return std::ranges::binary_search(removed_, collective.start);
    });
    endResetModel();
}

int UncoveredModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(collectives_.size());
}

QVariant UncoveredModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const BucketableCollective& collective = collectives_[static_cast<std::size_t>(index.row())];
    const Graph& graph = *document_.graph();
    const QString module = collective.module == ModuleTree::no_module
                               ? tr("not in a module")
                               : QString::fromStdString(document_.modules().path(collective.module));
    switch (role) {
        case Qt::DisplayRole:
            return module;
        case Qt::AccessibleTextRole:
            return module + u' ' + trueData(index, figures_role).toString();
        case Qt::ToolTipRole:
            return collective.parameter == no_node
                       ? text(graph.name(collective.start))
                       : tr("%1 of %2").arg(text(graph.name(collective.start)), text(graph.name(collective.parameter)));
        case node_role:
            return text(graph.name(collective.start));
        case module_role:
            return collective.module == ModuleTree::no_module ? QString() : module;
        case figures_role:
            return shortKindName(collective.kind) + u' ' + formatBytes(static_cast<double>(collective.bytes));
        default:
            return {};
    }
}

Qt::ItemFlags UncoveredModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemNeverHasChildren;
    return index.data(module_role).toString().isEmpty() ? flags : flags | Qt::ItemIsDragEnabled;
}

QStringList UncoveredModel::mimeTypes() const {
    return {module_mime_type};
}

QMimeData* UncoveredModel::mimeData(const QModelIndexList& indexes) const {
    QStringList modules;
    for (const QModelIndex& index : indexes)
        if (const QString module = index.data(module_role).toString(); !module.isEmpty() && !modules.contains(module))
            modules.append(module);
    return modules.isEmpty() ? nullptr : moduleMimeData(modules);
}

std::size_t UncoveredModel::count(CollectiveKind kind) const {
    return static_cast<std::size_t>(
        std::count_if(collectives_.begin(), collectives_.end(),
                      [&](const BucketableCollective& collective) { return collective.kind == kind; }));
}

std::int64_t UncoveredModel::bytes() const {
    std::int64_t sum = 0;
    for (const BucketableCollective& collective : collectives_) sum += collective.bytes;
    return sum;
}

}  // namespace overlap::ui
