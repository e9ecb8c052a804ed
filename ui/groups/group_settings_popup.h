#pragma once

#include <QFrame>
#include <string_view>
#include <vector>

#include "ui/edits/group_setting_commands.h"

class QCheckBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace overlap::ui {

class Document;

/// Settings of one process group: priority of its stream, thread blocks (CTAs) of its collectives and the other
/// group_numbers(). What is changed here is an edit of the current plan, undone like any other; what the plan does not
/// say is shown as the pass that creates the group has it, or as NCCL's default. A click elsewhere or Escape closes it.
class GroupSettingsPopup : public QFrame {
    Q_OBJECT

  public:
    GroupSettingsPopup(Document& document, QWidget* parent);

    /// @param name of a group of the current evaluation; empty for none.
    void setGroup(const QString& name);
    /// Shows the settings of that group below a place of the screen.
    void openAt(const QPoint& position);

    QCheckBox& highPriority() { return *high_priority_; }
    /// The field of one of group_numbers(); its lowest value means NCCL's default.
    QSpinBox& field(std::string_view number);
    /// Disabled where the plan asks nothing of the group.
    QToolButton& reset() { return *reset_; }

  private:
    void layOut();
    void refresh();
    void showValues(const GroupSettings& settings);
    void edit(QSpinBox& changed);
    GroupSettings entered() const;

    Document& document_;
    GroupSettingCommands commands_;
    QString group_;
    QLabel *title_, *told_;
    QCheckBox* high_priority_;
    std::vector<QSpinBox*> fields_;  ///< of group_numbers()
    QToolButton* reset_;
};

}  // namespace overlap::ui
