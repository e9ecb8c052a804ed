#pragma once

#include <QTreeView>

namespace overlap::ui {

class Document;
class ProblemsModel;

/// The problems as rows: what, why, and at the right the fix. Enter or a double click goes to the place, a click on the
/// fix or Alt+Enter applies it. A click on a row that stands for several opens or closes it; so does Enter.
class ProblemsPanel : public QTreeView {
    Q_OBJECT

  public:
    explicit ProblemsPanel(Document& document, QWidget* parent = nullptr);

    ProblemsModel* problems() { return model_; }

  signals:
    /// @param count of rows: problems that are alike are one.
    void countChanged(std::size_t count);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

  private:
    void fitColumns();
    /// Goes to the place of a row's problem; opens or closes a row of several.
    void follow(const QModelIndex& index);
    /// False where the row has no fix that can be applied.
    bool fix(const QModelIndex& index);

    ProblemsModel* model_;
};

/// All rows of a HarmlessModel as tab-separated lines under their headings, those below a row after it, names as they
/// are, for the clipboard.
QString tableText(const QAbstractItemModel& model);

}  // namespace overlap::ui
