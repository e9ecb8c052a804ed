#pragma once

#include <QWidget>

#include "ui/timeline/alive/alive_tensors.h"

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTreeView;

namespace overlap::ui {

class AliveModel;

/// What is alive at a moment that was chosen in the timeline: a table to sort, and to filter by words that all must be
/// in a row, with the sum of what is shown. Enter or a double click chooses a tensor; Ctrl+C copies the rows. Columns
/// are as wide as their texts, as far as all of them have room, until the user makes one of them wider or narrower.
class AlivePanel : public QWidget {
    Q_OBJECT

  public:
    explicit AlivePanel(QWidget* parent = nullptr);

    /// @param moment the time as text.
    void showTensors(const AliveTensors& tensors, const QString& moment);
    /// The same moment of another timeline: rows stay where they are as far as they are there, the chosen tensor is
    /// still chosen, and columns stay as wide as they are.
    void showAgain(const AliveTensors& tensors, const QString& moment);
    /// The timeline is another one, of which nothing has been asked.
    void forget();
    QTreeView& view() { return *view_; }
    QLineEdit& filter() { return *filter_; }
    QString caption() const;
    /// The rows that are shown as lines of fields between tabs, with a heading.
    QString text() const;

  signals:
    void chosen(quint32 reference);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void fill(const AliveTensors& tensors, const QString& moment);
    void fitColumns();
    void describe();

    AliveModel* model_;
    QSortFilterProxyModel* shown_;
    QLabel* caption_;
    QLineEdit* filter_;
    QTreeView* view_;
    QString moment_;  ///< empty while nothing is listed
    bool fitting_ = false;
    bool sized_by_user_ = false;  ///< columns stay as they are
};

}  // namespace overlap::ui
