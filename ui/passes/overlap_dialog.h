#pragma once

#include <QDialog>
#include <memory>

#include "ui/plan/dragged_overlap.h"
#include "ui/tasks/latest_task.h"

class QDialogButtonBox;
class QLabel;
class QLineEdit;

namespace overlap::ui {

/// Asks when a collective, or each of several, is to start and to be waited for, with names completed and the effect
/// shown while typing. The directive is made part of the plan when the dialog is accepted.
class OverlapDialog : public QDialog {
    Q_OBJECT

  public:
    enum class Field { start_after, start_before, wait_after, hide_behind };

    OverlapDialog(Document& document, std::unique_ptr<DraggedOverlap> overlap, Field first, QWidget* parent = nullptr);

    OverlapDirective directive() const;
    QLineEdit& field(Field field) { return *fields_[static_cast<std::size_t>(field)]; }
    /// What is shown of the directive: why it cannot hold, or its effect.
    QString effectText() const;

    void accept() override;

  private:
    void showEffect();

    Document& document_;
    std::unique_ptr<DraggedOverlap> overlap_;
    std::array<QLineEdit*, 4> fields_;
    QLabel* effect_;
    QDialogButtonBox* buttons_;
    LatestTask naming_;
};

}  // namespace overlap::ui
