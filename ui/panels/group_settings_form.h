#pragma once

#include <QWidget>

#include "ui/document/group_setting_commands.h"

class QCheckBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace overlap::ui {

class Document;

/// A row of fields for the settings of one process group: priority of its stream, thread blocks (CTAs) of its
/// collectives, cluster size. What is changed here is an edit of the current plan; what the plan does not say is shown
/// as the pass that creates the group has it, or as NCCL's default. Without a group it says that one is to be selected,
/// so that the table above keeps its height.
class GroupSettingsForm : public QWidget {
    Q_OBJECT

  public:
    explicit GroupSettingsForm(Document& document, QWidget* parent = nullptr);

    /// @param name of a group of the current evaluation; empty for none.
    void showGroup(const QString& name);

    QCheckBox& highPriority() { return *high_priority_; }
    /// Thread blocks at least and at most; the lowest value stands for NCCL's default.
    QSpinBox& least() { return *least_; }
    QSpinBox& most() { return *most_; }
    /// Thread blocks of a cluster; the lowest value stands for NCCL's default.
    QSpinBox& cluster() { return *cluster_; }
    /// Disabled where the plan asks nothing of the group.
    QToolButton& reset() { return *reset_; }

  private:
    void update();
    void showValues(const GroupSettings& settings);
    void edit(QSpinBox& changed);
    GroupSettings entered() const;

    Document& document_;
    GroupSettingCommands commands_;
    QString group_;
    QLabel* title_;
    QCheckBox* high_priority_;
    QSpinBox *least_, *most_, *cluster_;
    QToolButton* reset_;
};

}  // namespace overlap::ui
