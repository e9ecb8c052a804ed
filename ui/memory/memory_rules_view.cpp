#include "ui/memory/memory_rules_view.h"

#include <QApplication>
#include <QClipboard>
#include <QDragEnterEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <array>
#include <utility>

#include "ui/document/document.h"
#include "ui/document/module_mime.h"
#include "ui/edits/memory_commands.h"
#include "ui/memory/memory_rules_model.h"
#include "ui/memory/memory_target.h"
#include "ui/widgets/own_letters.h"
#include "ui/widgets/table_delegate.h"

namespace overlap::ui {
namespace {

constexpr std::array<std::pair<int, MemoryAction>, memory_actions.size()> action_keys = {{
    {Qt::Key_S, MemoryAction::save},
    {Qt::Key_R, MemoryAction::recompute},
    {Qt::Key_O, MemoryAction::offload},
    {Qt::Key_K, MemoryAction::keep},
    {Qt::Key_G, MemoryAction::reshard},
}};

constexpr int remark_letters = 26;

}  // namespace

MemoryRulesView::MemoryRulesView(Document& document, MemoryRulesModel& model, QWidget* parent)
    : QTreeView(parent), document_(document), model_(model) {
    setModel(&model);
    setItemDelegate(new TableDelegate(this));
    setObjectName("memoryRules");
    setAccessibleName(tr("Memory rules"));
    QString letters;
    for (const auto& [key, action] : action_keys) letters.append(QChar(key));
    setOwnLetters(*this, letters);
    setRootIsDecorated(false);
    setUniformRowHeights(true);
    setAllColumnsShowFocus(true);
    setFrameShape(QFrame::NoFrame);
    setHeaderHidden(true);
    setAcceptDrops(true);
    setDropIndicatorShown(false);
    setDragDropMode(DropOnly);
    header()->setStretchLastSection(true);
    header()->setTextElideMode(Qt::ElideRight);
    header()->setSectionsClickable(false);
    header()->setMinimumSectionSize(0);
}

void MemoryRulesView::resizeEvent(QResizeEvent* event) {
    QTreeView::resizeEvent(event);
    const int remark = std::min(viewport()->width() / 2, fontMetrics().averageCharWidth() * remark_letters);
    setColumnWidth(MemoryRulesModel::name_column, viewport()->width() - remark);
    // The rows of all actions come first.
    const int actions = static_cast<int>(memory_actions.size()) * std::max(0, sizeHintForRow(0));
    const bool has_heading = height() >= actions + header()->sizeHint().height();
    if (has_heading == hasHeading()) return;
    setHeaderHidden(!has_heading);
    emit headingChanged();
}

void MemoryRulesView::put(MemoryAction action, const QStringList& modules, const QStringList& operators) {
    const QString reason = MemoryCommands(document_).put(action, modules, operators);
    if (!reason.isEmpty()) emit refused(reason);
    setCurrentIndex(model_.index(model_.rowOf(action), 0));
}

void MemoryRulesView::putSelected(MemoryAction action) {
    const std::optional<MemoryTarget> target = selectedTarget(document_);
    if (!target) return emit refused(tr("Select a module, a bucket or a forward node in any view first"));
    put(action, target->modules, target->operatorsFor(action));
}

void MemoryRulesView::keyPressEvent(QKeyEvent* event) {
    const int row = currentIndex().row();
    if (event->matches(QKeySequence::Paste)) {
        const QStringList modules = modulesOf(QApplication::clipboard()->mimeData());
        if (!modules.isEmpty()) put(row < 0 ? MemoryAction::save : model_.action(row), modules);
        return;
    }
    if (event->key() == Qt::Key_Delete || event->key() == Qt::Key_Backspace) {
        if (row >= 0 && model_.rule(row) >= 0) MemoryCommands(document_).removeRule(model_.rule(row));
        return;
    }
    if (event->modifiers().testFlag(Qt::AltModifier)) {
        if (event->key() == Qt::Key_Up) return moveRule(-1);
        if (event->key() == Qt::Key_Down) return moveRule(1);
    }
    if (event->modifiers() == Qt::NoModifier)
        for (const auto& [key, action] : action_keys)
            if (event->key() == key) return putSelected(action);
    QTreeView::keyPressEvent(event);
}

/// Rules count in their order, whatever they do.
void MemoryRulesView::moveRule(int step) {
    const int row = currentIndex().row();
    if (row < 0 || model_.rule(row) < 0) return;
    const int to = model_.rule(row) + step;
    MemoryCommands(document_).moveRule(model_.rule(row), to);
    if (const int moved = model_.rowOfRule(to); moved >= 0) setCurrentIndex(model_.index(moved, 0));
}

void MemoryRulesView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    fillMenu(menu, indexAt(event->pos()).row());
    menu.exec(event->globalPos());
}

void MemoryRulesView::fillMenu(QMenu& menu, int row) {
    QString policy = MemoryCommands(document_).policyOfRule();
    if (!policy.isEmpty()) policy.prepend(QStringLiteral(", "));
    for (const auto& [key, action] : action_keys) {
        QAction* made = menu.addAction(
            tr("%1 what is selected%2\t%3").arg(MemoryCommands::title(action), policy, QKeySequence(key).toString()));
        connect(made, &QAction::triggered, this, [this, action = action] { putSelected(action); });
    }
    menu.addSeparator();
    for (const auto& [key, action] : action_keys) {
        QAction* made = menu.addAction(tr("%1 in the whole model%2").arg(MemoryCommands::title(action), policy));
        connect(made, &QAction::triggered, this, [this, action = action] {
            const QString reason = MemoryCommands(document_).put(action, {});
            if (!reason.isEmpty()) emit refused(reason);
        });
    }
    if (row >= 0 && model_.rule(row) >= 0) {
        menu.addSeparator();
        QAction* remove = menu.addAction(tr("Remove this rule\tDel"));
        connect(remove, &QAction::triggered, this,
                [this, rule = model_.rule(row)] { MemoryCommands(document_).removeRule(rule); });
    }
}

std::optional<MemoryAction> MemoryRulesView::actionAt(const QPoint& position) const {
    const QModelIndex index = indexAt(position);
    return index.isValid() ? std::optional(model_.action(index.row())) : std::nullopt;
}

void MemoryRulesView::dragEnterEvent(QDragEnterEvent* event) {
    if (!modulesOf(event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void MemoryRulesView::dragMoveEvent(QDragMoveEvent* event) {
    QTreeView::dragMoveEvent(event);  // scrolls at the edges
    const std::optional<MemoryAction> action = actionAt(event->position().toPoint());
    if (!action || !document_.editable()) {
        endDrag();
        return event->ignore();
    }
    setCurrentIndex(model_.index(model_.rowOf(*action), 0));
    shown_ = action;
    emit dragged(*action, modulesOf(event->mimeData()));
    event->acceptProposedAction();
}

void MemoryRulesView::dragLeaveEvent(QDragLeaveEvent* event) {
    QTreeView::dragLeaveEvent(event);
    endDrag();
}

void MemoryRulesView::dropEvent(QDropEvent* event) {
    const std::optional<MemoryAction> action = shown_;  // what is shown is done, whatever has moved since
    endDrag();
    setState(NoState);
    if (!action) return;
    event->acceptProposedAction();
    if (const QStringList modules = modulesOf(event->mimeData()); !modules.isEmpty()) put(*action, modules);
}

void MemoryRulesView::endDrag() {
    shown_.reset();
    emit dragged(MemoryAction::save, {});
}

}  // namespace overlap::ui
