#pragma once

#include <QWidget>
#include <functional>

#include "ui/collectives/collectives_model.h"
#include "ui/tasks/latest_task.h"
#include "ui/widgets/seen_refresh.h"
#include "ui/widgets/seen_watch.h"

class QLabel;
class QLineEdit;
class QToolButton;
class QTreeView;

namespace overlap::ui {

class Document;

/// All collectives of the current plan's result, with sums over those that are shown or chosen. A row is the selection
/// of all views, and what is selected elsewhere is chosen here: a collective, or those of a module, a bucket, a process
/// group. Rows are made in the background, and only while the panel is seen.
class CollectivesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit CollectivesPanel(Document& document, QWidget* parent = nullptr);

    CollectivesModel* model() { return model_; }
    /// The rows that are shown, in the order in which they are.
    CollectivesFilter* shown() { return filter_; }
    QTreeView* view() { return view_; }
    QLineEdit* filterField() { return field_; }
    QToolButton* exposedOnly() { return exposed_only_; }
    /// Lists all that is exposed, and nothing else.
    void listExposed();
    /// What is shown or chosen comes to.
    QString sums() const;
    bool busy() const { return refresh_.waiting() || task_.busy(); }

  signals:
    /// The user wants to see the selected collective in the timeline.
    void timelineWanted();

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeBar();
    void makeTable();
    /// Changes which rows are shown.
    void narrow(const std::function<void()>& change);
    void makeRows();
    void showRows(std::shared_ptr<const CollectiveRows> rows);
    /// Rows of the model that the document's selection is.
    std::vector<int> selectedRows() const;
    void showSelection();
    void selectCurrent();
    void showSums();
    void fitColumns();

    Document& document_;
    CollectivesModel* model_;
    CollectivesFilter* filter_;
    QLineEdit* field_;
    QToolButton* exposed_only_;
    QLabel* sums_;
    QTreeView* view_;
    SeenWatch watch_{*this};
    SeenRefresh refresh_;
    bool following_ = false;
    LatestTask task_;
};

}  // namespace overlap::ui
