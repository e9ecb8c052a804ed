#pragma once

#include <QWidget>

#include "core/plan/plan_colour.h"
#include "ui/plans/plan_rows.h"
#include "ui/tasks/latest_task.h"
#include "ui/widgets/seen_refresh.h"

class QAction;
class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QTreeView;

namespace overlap::ui {

class Document;
class PlansModel;

/// All plans of the open graph with their figures. Choosing a row shows that plan; F2 renames it, Delete closes it; it
/// can get a note and a colour, and two chosen rows can be compared. The figures can also be made under another cost
/// model. Made in the background, and only while the panel is visible.
class PlansPanel : public QWidget {
    Q_OBJECT

  public:
    explicit PlansPanel(Document& document, QWidget* parent = nullptr);

    PlansModel* model() { return model_; }
    QTreeView* view() { return view_; }
    /// The other cost model; the first entry is none.
    QComboBox* other() { return other_; }
    QAction* compareAction() { return compare_; }
    QAction* renameAction() { return rename_; }
    QAction* closeAction() { return close_; }
    QAction* noteAction() { return note_; }
    QAction* colourAction() { return colour_; }
    bool busy() const { return refresh_.waiting() || task_.busy(); }

  signals:
    // Positions of variants in the document.
    void showWanted(int variant);
    void renameWanted(int variant);
    void noteWanted(int variant);
    void colourWanted(int variant, overlap::PlanColour colour);
    void closeWanted(int variant);
    void compareWanted(int before, int after);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    QWidget* makeBar();
    void makeTable();
    /// Other cost models than that of the graph.
    void offerOthers();
    void makeRows();
    void describe();
    void update();
    void showCurrent();
    int widthOf(int column) const;
    void fitColumns();
    void fitNotes();
    /// Positions in the document of the chosen rows, in order.
    std::vector<int> chosen() const;
    int variantOf(const QModelIndex& row) const;

    Document& document_;
    PlansModel* model_;
    QSortFilterProxyModel* sorted_;
    QTreeView* view_;
    QComboBox* other_;
    QLabel* caption_;
    QAction *compare_, *rename_, *note_, *colour_, *close_;
    PlanGround ground_;  ///< where the rows of the model were evaluated
    SeenRefresh refresh_;
    bool following_ = false;
    LatestTask task_;
};

}  // namespace overlap::ui
