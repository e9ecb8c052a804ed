#pragma once

#include <QStringList>
#include <QTreeView>
#include <optional>

#include "core/passes/memory/memory_rules.h"

class QMenu;

namespace overlap::ui {

class Document;
class MemoryRulesModel;

/// The rules as cards below their actions. Modules dropped onto a row come under its action, as do those that are
/// pasted. Keys: S, R, O, K, G put what is selected in any view, Delete removes a rule, Alt with the arrows moves it.
class MemoryRulesView : public QTreeView {
    Q_OBJECT

  public:
    MemoryRulesView(Document& document, MemoryRulesModel& model, QWidget* parent = nullptr);

    /// Puts what is selected in any view under an action, see selectedTarget().
    void putSelected(MemoryAction action);
    /// The menu of a row; -1: of none.
    void fillMenu(QMenu& menu, int row);

    /// Whether there is room for the heading, which tells what the effects are of.
    bool hasHeading() const { return !isHeaderHidden(); }

  signals:
    /// The result of hasHeading() has changed.
    void headingChanged();
    /// Modules are dragged over an action, or no longer (an empty list).
    void dragged(overlap::MemoryAction action, const QStringList& modules);
    void refused(const QString& reason);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragMoveEvent(QDragMoveEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void put(MemoryAction action, const QStringList& modules, const QStringList& operators = {});
    std::optional<MemoryAction> actionAt(const QPoint& position) const;
    void moveRule(int step);
    void endDrag();

    Document& document_;
    MemoryRulesModel& model_;
    std::optional<MemoryAction> shown_;  ///< the action that what is dragged would be dropped onto, as it is shown
};

}  // namespace overlap::ui
