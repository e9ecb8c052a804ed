#pragma once

#include <QWidget>
#include <vector>

#include "core/layout/box_tree.h"
#include "ui/graph/box_colours.h"
#include "ui/graph/box_filter.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace overlap::ui {

class GraphView;

/// The controls beside the graph's tab: what is selected, the search, what the colours mean, the filter, and fit. A box
/// is named by its path, several modules and a bucket by their names in short. Where there is little room, words
/// give way first, then a part of the search, then the name is shortened: whatever is selected, all others stay where
/// they are. Only where that leaves too little the search gives way to a name, which goes where there is no room for
/// it; then all but search and name are in one menu.
class GraphControls : public QWidget {
    Q_OBJECT

  public:
    explicit GraphControls(GraphView& view, QWidget* parent = nullptr);

    QLineEdit* searchField() const { return search_; }

    QSize minimumSizeHint() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    /// Shows what fits into the width.
    void fitRoom();
    void nameChoices(bool narrow);
    /// For the name, where the search is as narrow as it may be; below 0 the buttons do not fit.
    int roomBesideButtons() const;
    /// Names what is selected.
    void showName();
    /// As much of the name as is so wide: of a path its last boxes, of several modules how many they are.
    void shortenName(int width);
    void makeColourMenu();
    void makeFilterMenu();
    void makeMoreMenu();
    void showChoices();

    struct NamedBox {
        BoxId box;
        QString title;
    };
    QString linked(const std::vector<NamedBox>& boxes) const;

    GraphView& view_;
    QLabel* name_;
    std::vector<NamedBox> path_;  ///< from the outside; empty where it is not one box that is selected
    /// What is selected otherwise: of what kind it is, it itself, and of several modules how many they are.
    QString kind_, names_, count_;
    QString shorter_;  ///< than the names, where these have no room; empty where nothing is
    QLineEdit* search_;
    QToolButton* colour_;
    QToolButton* filter_;
    QToolButton* fit_;
    QToolButton* more_;
};

}  // namespace overlap::ui
