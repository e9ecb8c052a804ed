// What of the shared selection lies in boxes, and what boxes select.
#include <QScopedValueRollback>
#include <algorithm>

#include "core/base/wording.h"
#include "core/graph/short_names.h"
#include "ui/document/document.h"
#include "ui/document/selected_nodes.h"
#include "ui/graph/graph_model.h"

namespace overlap::ui {

void GraphModel::updateSelection() {
    selected_.clear();
    updateMarks();
    if (!contents_ || contents_->modules != document_.sharedModules()) return;
    const Selection& selection = document_.selection();
    const auto add_modules = [&](const QStringList& paths) {
        std::unordered_set<ModuleTree::ModuleId> modules;
        for (const QString& path : paths) {
            const ModuleTree::ModuleId module = contents_->modules->find(path.toStdString());
            if (module == ModuleTree::no_module) continue;
            modules.insert(module);
            for (const Phase phase : {Phase::forward, Phase::backward})
                if (const BoxId box = tree().box_of(module, phase); box != no_box) selected_.push_back(box);
        }
        // A pile comes before its modules: to show the selection opens none.
        if (modules.size() > 1) {
            const std::vector<BoxId> piles = pilesOf(modules);
            selected_.insert(selected_.begin(), piles.begin(), piles.end());
        }
    };
    if (selection.kind() == Selection::Kind::node) {
        for (const NodeId node : selectedNodes(document_)) selected_.push_back(tree().operation_of(node));
    } else if (const QStringList paths = selectedModules(); !paths.isEmpty()) {
        add_modules(paths);
    } else if (selection.kind() == Selection::Kind::group) {
        const std::string group = selection.group().toStdString();
        for (NodeId node = 0; node < graph().node_count(); ++node)
            if (graph().group_name(node) == group) selected_.push_back(tree().operation_of(node));
    }
    // A box that has no name outside of this view is selected here alone.
    if (selection.kind() == Selection::Kind::nothing && choosing_ && chosen_ != no_box) selected_.push_back(chosen_);
    // The direction that the user chose comes first.
    if (const auto chosen = std::find(selected_.begin(), selected_.end(), chosen_); chosen != selected_.end())
        std::rotate(selected_.begin(), chosen, chosen + 1);
    updateMarks();
    emit changed();
}

void GraphModel::updateMarks() {
    selected_shown_.clear();
    partly_shown_.clear();
    for (const BoxId box : selected_) {
        const BoxId shown = arrangement_->shown(tree(), box);
        selected_shown_.insert(shown);
        if (shown != box) partly_shown_.insert(shown);
    }
    for (const BoxId box : selected_) partly_shown_.erase(box);
}

std::uint32_t GraphModel::selectedOf(BoxId pile) const {
    if (!isPartlySelected(pile) || tree().box(pile).kind != BoxKind::run) return 0;
    const auto count = std::ranges::count(selected_, pile, [&](BoxId box) { return tree().box(box).parent; });
    return static_cast<std::uint32_t>(count);
}

QString GraphModel::partlySelected(BoxId box) const {
    if (!isPartlySelected(box)) return {};
    return texts().partlySelected(box, selectedOf(box));
}

void GraphModel::select(BoxId box) {
    const QScopedValueRollback guard(choosing_, true);
    chosen_ = box;
    Selection& selection = document_.selection();
    if (box == no_box) {
        selection.clear();
    } else if (tree().box(box).kind == BoxKind::operation) {
        selection.selectNode(fromCore(graph().name(tree().box(box).node)));
    } else {
        selection.selectModules(texts().modules(box));  // nothing of a box that is no module
    }
    updateSelection();  // the selection may be the same and the box another
}

bool GraphModel::selectAlso(BoxId box) {
    const QStringList of_box = texts().modules(box);
    if (of_box.isEmpty()) return false;
    QStringList modules = selectedModules();
    const bool adds = modules.removeIf([&](const QString& path) { return of_box.contains(path); }) < of_box.size();
    if (adds) modules += of_box;
    const QScopedValueRollback guard(choosing_, true);
    chosen_ = adds ? box : no_box;  // what is taken out is not selected here alone either
    document_.selection().selectModules(modules);
    updateSelection();
    return adds;
}

void GraphModel::selectModulesOf(const std::vector<BoxId>& boxes, BoxId last) {
    QStringList modules = selectedModules();
    for (const BoxId box : boxes) modules += texts().modules(box);
    const QScopedValueRollback guard(choosing_, true);
    chosen_ = last;
    document_.selection().selectModules(modules);
    updateSelection();
}

std::vector<BoxId> GraphModel::boxesBetween(BoxId from, BoxId to) const {
    const Box& begin = tree().box(from);
    const Box& end = tree().box(to);
    if (begin.parent != end.parent || begin.phase != end.phase || begin.parent == no_box) return {to};
    const auto [first, last] = std::minmax(begin.order, end.order);
    const Box& around = tree().box(begin.parent);
    std::vector<BoxId> between;
    for (BoxId box = around.first_child; box < around.first_child + around.child_count; ++box) {
        const Box& each = tree().box(box);
        const bool is_module = each.kind == BoxKind::module || each.kind == BoxKind::run;
        if (is_module && each.phase == begin.phase && each.order >= first && each.order <= last) between.push_back(box);
    }
    return between;
}

QStringList GraphModel::selectedModules() const {
    const Selection& selection = document_.selection();
    if (selection.kind() != Selection::Kind::bucket) return selection.modules();
    const auto bucket = static_cast<std::size_t>(selection.bucket());
    QStringList paths;
    if (bucket < document_.buckets().size())
        for (const std::string& path : document_.buckets()[bucket].modules) paths.append(QString::fromStdString(path));
    return paths;
}

QStringList GraphModel::modulesWith(BoxId box) const {
    const QStringList of_box = texts().modules(box);
    const QStringList selected = selectedModules();
    const bool any = std::ranges::any_of(of_box, [&](const QString& path) { return selected.contains(path); });
    return any ? selected : of_box;
}

QString GraphModel::partlySelectedNames(BoxId box) const {
    if (!isPartlySelected(box)) return {};
    std::vector<std::string> paths;
    for (const BoxId selected : selected_)
        if (tree().box(selected).kind == BoxKind::module && arrangement_->shown(tree(), selected) == box)
            paths.push_back(contents_->modules->path(tree().box(selected).module));
    QString text = partlySelected(box);
    if (!paths.empty()) text = tr("%1: %2").arg(text, QString::fromStdString(enumerated(short_names(paths))));
    if (selectedOf(box) > 0) text += u'\n' + tr("A drag takes what is selected, a click selects all of it");
    return text;
}

/// Piles all of whose modules are among these.
std::vector<BoxId> GraphModel::pilesOf(const std::unordered_set<ModuleTree::ModuleId>& modules) const {
    std::vector<BoxId> piles;
    for (BoxId box = 1; box < tree().box_count(); ++box) {
        const Box& pile = tree().box(box);
        if (pile.kind != BoxKind::run) continue;
        bool all = true;
        for (BoxId child = pile.first_child; all && child < pile.first_child + pile.child_count; ++child)
            all = modules.contains(tree().box(child).module);
        if (all) piles.push_back(box);
    }
    return piles;
}

}  // namespace overlap::ui
