#pragma once

#include <QWidget>

#include "ui/edits/group_commands.h"

class QAction;
class QTreeView;

namespace overlap::ui {

class Document;
class GroupEffect;
class GroupSettingsPopup;
class ProcessGroupsModel;

/// The process groups of the step and what can be done to them: isolating the expert-parallel group, giving all-gathers
/// groups of their own, each switched on and off by one click; settings of the selected one. A selected group is
/// selected for all views; a selected collective marks its group.
class ProcessGroupsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ProcessGroupsPanel(Document& document, QWidget* parent = nullptr);

    ProcessGroupsModel* groups() { return model_; }
    QTreeView* view() { return view_; }
    GroupSettingsPopup& settings() { return *settings_; }
    /// Checked where the plan has the pass; disabled, with the reason as tool tip, where it cannot have it.
    QAction* isolateAction() { return isolate_; }
    QAction* separateAction() { return separate_; }
    /// Opens the settings of the selected group; disabled while none is selected.
    QAction* setUpAction() { return set_up_; }

    /// True until what groups of their own change has been computed.
    bool busy() const;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QAction* makeAction(GroupCommands::Move move, const QString& text, const QString& help);
    void updateActions();
    void updateAction(QAction* action, GroupCommands::Move move);
    void showSelection();
    void fitColumns();

    Document& document_;
    GroupCommands commands_;
    ProcessGroupsModel* model_;
    QTreeView* view_;
    GroupEffect* effect_;
    GroupSettingsPopup* settings_;
    QAction* isolate_;
    QAction* separate_;
    QAction* set_up_;
    bool following_ = false;
};

}  // namespace overlap::ui
