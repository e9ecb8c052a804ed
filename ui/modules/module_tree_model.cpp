#include "ui/modules/module_tree_model.h"

#include <QMimeData>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/byte_units.h"
#include "core/base/number_text.h"
#include "core/views/bucket_hues.h"
#include "core/views/computed_time.h"
#include "core/views/removed_collectives.h"
#include "ui/document/applied_buckets.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

// What an index stands for, kept in its internal id: modules as they are, the group of nodes without a module, and
// those nodes by their place in ModuleTree::nodes_without_module().
constexpr quintptr outside_id = quintptr{1} << 40;
constexpr quintptr node_id_base = quintptr{1} << 41;

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

/// Figures of a column stand on one decimal, so that they can be compared at a glance.
QString columnText(double value) {
    return value < 1000 ? QString::fromStdString(fixed_text(value, 1)) : formatCount(std::llround(value));
}

/// A class without the package that it is from; nothing for the base class, which says nothing (graphs with
/// `module_fqn` have no other).
QString shortClassName(const QString& class_name) {
    const QString last = class_name.section(u'.', -1);
    return last == u"Module" ? QString() : last;
}

/// Children called by numbers are shown in order of their numbers, whichever the graph mentions first.
std::vector<ModuleTree::ModuleId> shownChildren(const ModuleTree& tree, ModuleTree::ModuleId module) {
    auto children = tree.module(module).children;
    auto number = [&](ModuleTree::ModuleId child) {
        const std::string& name = tree.module(child).name;
        int value = -1;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
        return error == std::errc() && end == name.data() + name.size() ? value : -1;
    };
    if (std::all_of(children.begin(), children.end(), [&](auto child) { return number(child) >= 0; }))
        std::stable_sort(children.begin(), children.end(), [&](auto a, auto b) { return number(a) < number(b); });
    return children;
}

}  // namespace

ModuleTreeModel::ModuleTreeModel(Document& document, QObject* parent) : HarmlessModel(parent), document_(document) {
    connect(&document, &Document::graphChanged, this, &ModuleTreeModel::rebuild);
    connect(&document, &Document::modulesChanged, this, &ModuleTreeModel::rebuild);
    connect(&document, &Document::planChanged, this, &ModuleTreeModel::updateBuckets);
    connect(&document, &Document::evaluationChanged, this, &ModuleTreeModel::updateExposure);
    // Figures alone are others: what is expanded stays so.
    connect(&document, &Document::moduleFiguresChanged, this, [this] { emit layoutChanged(); });
    connect(&document, &Document::timesChanged, this, [this] {
        graph_ = document_.graph();  // the same nodes, with other times
        updateExposure();
    });
    rebuild();
}

void ModuleTreeModel::rebuild() {
    beginResetModel();
    found_.clear();
    graph_ = document_.graph();
    modules_ = document_.sharedModules();
    const std::size_t count = modules_ ? modules_->module_count() : 0;
    children_.assign(count, {});
    row_of_module_.assign(count, 0);
    bucket_of_module_.assign(count, -1);
    exposure_.reset();
    shares_links_ = false;
    taken_.reset();
    computed_.reset();
    endResetModel();
    updateBuckets();
    updateExposure();
    findRows();
}

void ModuleTreeModel::updateExposure() {
    const auto evaluation = document_.evaluation();
    if (!modules_ || !evaluation || evaluation->refused || evaluation->original != graph_) {
        exposing_.cancel();
        exposure_.reset();
        shares_links_ = false;
        taken_.reset();
        computed_.reset();
        return refresh(compute_column, communication_column, Qt::DisplayRole);
    }
    exposing_.start([this, evaluation, modules = modules_](std::stop_token) -> LatestTask::Delivery {
        std::optional<ModuleExposure> exposure;
        const auto shown = withLinksShared(evaluation);
        if (evaluation->times_known) exposure = module_exposed_ms(*shown, *modules);
        std::optional<ModuleFiguresTable> taken;
        if (const std::vector<NodeId> removed = removed_collectives(*evaluation); !removed.empty())
            taken = communicated_by(*evaluation->input, *modules, removed);
        std::optional<ModuleSums> computed;
        if (evaluation->times_known) computed = module_computed_ms(computed_time(*evaluation, *modules), *modules);
        return [this, exposure = std::move(exposure), taken = std::move(taken), computed = std::move(computed),
                shares_links = sharesLinks(*shown)]() mutable {
            exposure_ = std::move(exposure);
            shares_links_ = shares_links;
            taken_ = std::move(taken);
            computed_ = std::move(computed);
            refresh(compute_column, communication_column, Qt::DisplayRole);
        };
    });
}

const std::vector<ModuleTreeModel::ModuleId>& ModuleTreeModel::childrenOf(ModuleId module) const {
    std::vector<ModuleId>& children = children_[module];
    if (children.size() == modules_->module(module).children.size()) return children;
    children = shownChildren(*modules_, module);
    for (std::size_t row = 0; row < children.size(); ++row) row_of_module_[children[row]] = static_cast<int>(row);
    return children;
}

bool ModuleTreeModel::isListed(ModuleId module) const {
    return module == ModuleTree::root || !children_[modules_->module(module).parent].empty();
}

void ModuleTreeModel::updateBuckets() {
    if (!modules_) return;
    const auto before = std::exchange(bucket_of_module_, buckets_of_modules(*modules_, appliedBuckets(document_)));
    const auto hues_before = std::exchange(hues_, bucket_hues(*modules_, appliedBuckets(document_)));
    const bool recoloured = hues_before != hues_;
    for (ModuleId module = 0; module < bucket_of_module_.size(); ++module) {
        const std::int32_t bucket = bucket_of_module_[module];
        if ((bucket == before[module] && !(recoloured && bucket >= 0)) || !isListed(module)) continue;
        emit dataChanged(indexOfModule(module), indexOfModule(module), {bucket_role, hue_role});
    }
}

QModelIndex ModuleTreeModel::indexOfModule(ModuleId module, int column) const {
    if (module == ModuleTree::root) return createIndex(0, column, quintptr{module});
    childrenOf(modules_->module(module).parent);  // which identifies the row
    return createIndex(row_of_module_[module], column, quintptr{module});
}

QModelIndex ModuleTreeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    if (!parent.isValid())
        return row == 0 && modules_->exists() ? indexOfModule(ModuleTree::root, column)
                                              : createIndex(row, column, outside_id);
    if (parent.internalId() == outside_id) return createIndex(row, column, node_id_base + static_cast<quintptr>(row));
    return indexOfModule(childrenOf(static_cast<ModuleId>(parent.internalId()))[static_cast<std::size_t>(row)], column);
}

QModelIndex ModuleTreeModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == outside_id || child.internalId() == ModuleTree::root) return {};
    if (child.internalId() >= node_id_base) return createIndex(modules_->exists() ? 1 : 0, 0, outside_id);
    return indexOfModule(modules_->module(static_cast<ModuleId>(child.internalId())).parent);
}

int ModuleTreeModel::rowCount(const QModelIndex& parent) const {
    if (!modules_ || parent.column() > 0) return 0;
    const auto& outside = modules_->nodes_without_module();
    if (!parent.isValid()) return (modules_->exists() ? 1 : 0) + (outside.empty() ? 0 : 1);
    if (parent.internalId() == outside_id) return static_cast<int>(outside.size());
    if (parent.internalId() >= node_id_base) return 0;
    return static_cast<int>(modules_->module(static_cast<ModuleId>(parent.internalId())).children.size());
}

int ModuleTreeModel::columnCount(const QModelIndex&) const {
    return column_count;
}

QVariant ModuleTreeModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (role == matches_role) return matches(index);
    if (role == Qt::TextAlignmentRole && index.column() != name_column)
        return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (index.internalId() == outside_id) return outsideData(index.column(), role);
    if (index.internalId() >= node_id_base)
        return nodeData(modules_->nodes_without_module()[index.internalId() - node_id_base], index.column(), role);
    return moduleData(static_cast<ModuleId>(index.internalId()), index.column(), role);
}

QString ModuleTreeModel::timeText(double ms) const {
    return document_.baseline().times_known ? columnText(ms) : QStringLiteral("–");
}

QVariant ModuleTreeModel::figureData(const ModuleFigures& all, const ModuleFigures* taken,
                                     std::optional<double> computed_ms, std::optional<double> exposed_ms,
                                     int column) const {
    const ModuleFigures figures = taken ? communicating_without(all, *taken) : all;
    if (column == compute_column) return timeText(computed_ms.value_or(figures.compute_ms()));
    if (column == exposed_column)
        return exposed_ms && figures.collectives > 0 ? columnText(*exposed_ms) : QStringLiteral("–");
    const auto bytes = static_cast<double>(figures.communication_bytes());
    return bytes > 0 ? columnText(bytes / bytes_per_mib) : QStringLiteral("–");
}

QVariant ModuleTreeModel::moduleData(ModuleId module, int column, int role) const {
    const auto& entry = modules_->module(module);
    switch (role) {
        case Qt::DisplayRole:
            if (column == name_column) return module == ModuleTree::root ? tr("model") : text(entry.name);
            return figureData(document_.moduleFigures().modules[module], taken_ ? &taken_->modules[module] : nullptr,
                              computed_ ? std::optional(computed_->modules_ms[module]) : std::nullopt,
                              exposure_ ? std::optional(exposure_->modules_ms[module]) : std::nullopt, column);
        case Qt::ToolTipRole:
            return module == ModuleTree::root ? tr("The whole model") : text(modules_->path(module));
        case Qt::AccessibleTextRole: {
            if (column != name_column) return trueData(indexOfModule(module, column), Qt::DisplayRole);
            const int bucket = bucket_of_module_[module];
            const QString name = module == ModuleTree::root ? tr("model") : text(entry.name);
            return bucket < 0 ? name : tr("%1, in bucket %2").arg(name, BucketCommands(document_).title(bucket));
        }
        case kind_role:
            return module_kind;
        case path_role:
            return text(modules_->path(module));
        case class_role:
            return shortClassName(text(entry.own_class));
        case bucket_role:
            return bucket_of_module_[module];
        case hue_role:
            if (bucket_of_module_[module] < 0) return {};
            return hues_[static_cast<std::size_t>(bucket_of_module_[module])];
        default:
            return {};
    }
}

QVariant ModuleTreeModel::outsideData(int column, int role) const {
    if (role == kind_role) return outside_kind;
    if (role == bucket_role) return -1;
    const std::size_t nodes = modules_->nodes_without_module().size();
    const QString title = nodes == 1 ? tr("1 node without a module")
                                     : tr("%1 nodes without a module").arg(formatCount(static_cast<qint64>(nodes)));
    if (role == Qt::ToolTipRole)
        return tr("%1: no module stack or module_fqn places them; Repair modules gives them one. Their time includes "
                  "what passes of the current plan add outside all modules")
            .arg(title);
    if (role != Qt::DisplayRole) return {};
    if (column == name_column) return title;
    return figureData(document_.moduleFigures().without_module, taken_ ? &taken_->without_module : nullptr,
                      computed_ ? std::optional(computed_->without_module_ms) : std::nullopt,
                      exposure_ ? std::optional(exposure_->without_module_ms) : std::nullopt, column);
}

QVariant ModuleTreeModel::nodeData(NodeId node, int column, int role) const {
    switch (role) {
        case Qt::DisplayRole:
            if (column == name_column) return text(graph_->name(node));
            if (column == compute_column)
                return timeText(computed_ ? computed_->nodes_ms[node] : document_.baseline().times_ms[node]);
            if (graph_->target_info(node).starts == CollectiveKind::none) return QStringLiteral("–");
            if (column == exposed_column)
                return exposure_ ? columnText(exposure_->nodes_ms[node]) : QStringLiteral("–");
            return columnText(static_cast<double>(graph_->output_bytes(node)) / bytes_per_mib);
        case Qt::ToolTipRole:
            return QStringLiteral("%1  %2").arg(text(graph_->name(node)), text(graph_->target(node)));
        case kind_role:
            return node_kind;
        case class_role:
            return text(graph_->op(node) == NodeOp::call_function ? graph_->target(node)
                                                                  : node_op_name(graph_->op(node)));
        case bucket_role:
            return -1;
        case node_role:
            return text(graph_->name(node));
        default:
            return {};
    }
}

QVariant ModuleTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && section != name_column) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == compute_column)
        return tr(
            "Time of the compute stream for the module in the current plan, milliseconds, with what is computed again "
            "in the backward pass and what passes add, such as copies of buckets");
    if (role == Qt::ToolTipRole && section == exposed_column)
        return tr("Time in which the GPU waits for the module's collectives in the current plan, milliseconds; a "
                  "merged collective shares its time among its members by their bytes") +
               (shares_links_ ? tr("; %1, as the exposed time in the toolbar").arg(linksSharedLabel()) : QString());
    if (role == Qt::ToolTipRole && section == communication_column)
        return tr(
            "Bytes that the module's collectives move in the current plan, mebibytes; those that it takes away are "
            "left out");
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case name_column:
            return tr("Module");
        case compute_column:
            return tr("ms");
        case exposed_column:
            return tr("Exposed");
        default:
            return tr("MiB");
    }
}

Qt::ItemFlags ModuleTreeModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    if (index.internalId() >= node_id_base) return flags | Qt::ItemNeverHasChildren;
    if (index.internalId() != outside_id && index.internalId() != ModuleTree::root) flags |= Qt::ItemIsDragEnabled;
    return flags;
}

QStringList ModuleTreeModel::mimeTypes() const {
    return {module_mime_type};
}

QMimeData* ModuleTreeModel::mimeData(const QModelIndexList& indexes) const {
    const QStringList paths = modulePaths(indexes);
    return paths.isEmpty() ? nullptr : moduleMimeData(paths);
}

QModelIndex ModuleTreeModel::indexOfModule(const QString& path) const {
    if (!modules_ || !modules_->exists()) return {};
    if (path.isEmpty()) return indexOfModule(ModuleTree::root);
    const ModuleId module = modules_->find(path.toStdString());
    return module == ModuleTree::no_module ? QModelIndex() : indexOfModule(module);
}

QModelIndex ModuleTreeModel::indexOfNode(const QString& name) const {
    if (!graph_) return {};
    const NodeId node = graph_->find(name.toStdString());
    if (node == no_node) return {};
    if (const ModuleId module = modules_->innermost(node); module != ModuleTree::no_module)
        return indexOfModule(module);
    const auto& outside = modules_->nodes_without_module();
    const auto place = std::lower_bound(outside.begin(), outside.end(), node);
    if (place == outside.end() || *place != node) return {};
    const auto row = static_cast<int>(place - outside.begin());
    return createIndex(row, 0, node_id_base + static_cast<quintptr>(row));
}

QStringList ModuleTreeModel::modulePaths(const QModelIndexList& indexes) const {
    QStringList paths;
    for (const QModelIndex& index : indexes) {
        const QString path = index.data(path_role).toString();
        if (index.column() == name_column && !path.isEmpty() && !paths.contains(path)) paths.append(path);
    }
    const QStringList all = paths;
    paths.removeIf([&](const QString& path) {
        return std::any_of(all.begin(), all.end(), [&](const QString& other) { return path.startsWith(other + u'.'); });
    });
    return paths;
}

void ModuleTreeModel::refresh(int first_column, int last_column, int role) {
    if (!modules_) return;
    const auto refreshBelow = [&](const QModelIndex& parent) {
        if (const int rows = rowCount(parent); rows > 0)
            emit dataChanged(index(0, first_column, parent), index(rows - 1, last_column, parent), {role});
    };
    refreshBelow({});
    refreshBelow(createIndex(modules_->exists() ? 1 : 0, 0, outside_id));
    for (ModuleId module = 0; module < children_.size(); ++module)
        if (!children_[module].empty()) refreshBelow(indexOfModule(module));
}

}  // namespace overlap::ui
