#pragma once

#include <QTreeView>

#include "ui/passes/step_changes_model.h"

namespace overlap::ui {

class Document;

/// What one step did, as a tree of nodes under headings. A click or Enter selects the node, or what a problem is about,
/// in the other views; Ctrl+C copies the selected rows.
class StepChangesView : public QTreeView {
    Q_OBJECT

  public:
    StepChangesView(Document& document, StepChangesModel& model, QWidget* parent = nullptr);

    /// @param sentence stands in the view while it has no rows.
    void setNothing(const QString& sentence);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void goTo(const QModelIndex& index);
    void openHeadings();
    void fitColumns();

    Document& document_;
    StepChangesModel& model_;
};

}  // namespace overlap::ui
