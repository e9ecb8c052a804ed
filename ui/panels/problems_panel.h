#pragma once

#include <QTreeView>

namespace overlap::ui {

class Document;
class ProblemsModel;

/// The problems as rows: what, why, and at the right the fix. Enter or a double click goes to the place, a click on the
/// fix or Alt+Enter applies it.
class ProblemsPanel : public QTreeView {
    Q_OBJECT

  public:
    explicit ProblemsPanel(Document& document, QWidget* parent = nullptr);

    ProblemsModel* problems() { return model_; }

  signals:
    void countChanged(int count);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void fitColumns();

    ProblemsModel* model_;
};

/// All rows of a HarmlessModel as tab-separated lines under their headings, names as they are, for the clipboard.
QString tableText(const QAbstractItemModel& model);

}  // namespace overlap::ui
