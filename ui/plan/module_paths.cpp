#include "ui/plan/module_paths.h"

#include <algorithm>
#include <numeric>

namespace overlap::ui {
namespace {

QString pathOf(const ModuleTree& modules, ModuleTree::ModuleId module) {
    return QString::fromStdString(modules.path(module));
}

/// All but the root, as QCompleter::CaseInsensitivelySortedModel has them.
std::vector<ModuleTree::ModuleId> inOrder(const ModuleTree& modules) {
    std::vector<QString> paths;
    for (ModuleTree::ModuleId id = 0; id < modules.module_count(); ++id) paths.push_back(pathOf(modules, id));
    std::vector<ModuleTree::ModuleId> order(paths.empty() ? 0 : paths.size() - 1);
    std::iota(order.begin(), order.end(), ModuleTree::ModuleId{1});
    std::ranges::stable_sort(
        order, [](const QString& a, const QString& b) { return a.compare(b, Qt::CaseInsensitive) < 0; },
        [&](ModuleTree::ModuleId id) -> const QString& { return paths[id]; });
    return order;
}

}  // namespace

void ModulePaths::setModules(std::shared_ptr<const ModuleTree> modules) {
    if (modules == modules_) return;
    show(modules, {});
    if (!modules || !modules->exists()) return task_.cancel();
    task_.start([this, modules](std::stop_token) -> LatestTask::Delivery {
        return [this, modules, order = inOrder(*modules)] { show(modules, order); };
    });
}

void ModulePaths::show(std::shared_ptr<const ModuleTree> modules, std::vector<ModuleTree::ModuleId> order) {
    beginResetModel();
    modules_ = std::move(modules);
    order_ = std::move(order);
    endResetModel();
}

int ModulePaths::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(order_.size());
}

QVariant ModulePaths::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid() || (role != Qt::DisplayRole && role != Qt::EditRole)) return {};
    return pathOf(*modules_, order_[static_cast<std::size_t>(index.row())]);
}

QStringList blocksLike(const ModuleTree& tree, const QString& path) {
    const QString around = path.section(u'.', 0, -2);
    const auto is_number = [](const QString& name) {
        bool number = false;
        name.toUInt(&number);
        return number;
    };
    const ModuleTree::ModuleId stack = tree.exists() ? tree.find(around.toStdString()) : ModuleTree::no_module;
    QStringList blocks;
    if (stack == ModuleTree::no_module || !is_number(path.section(u'.', -1))) return blocks;
    for (const ModuleTree::ModuleId child : tree.module(stack).children)
        if (const QString name = QString::fromStdString(tree.module(child).name); is_number(name))
            blocks.append(around + u'.' + name);
    return blocks;
}

}  // namespace overlap::ui
