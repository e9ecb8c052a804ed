#pragma once

#include <QWidget>

#include "core/layout/box_tree.h"
#include "ui/graph/box_colours.h"
#include "ui/graph/box_filter.h"

class QLabel;
class QLineEdit;
class QToolButton;

namespace overlap::ui {

class GraphView;

/// The controls beside the graph's tab: the current path, the search, what the colours mean, the filter, and fit. Where
/// there is little room, the path goes first, then words, then all but the search are in one menu.
class GraphControls : public QWidget {
    Q_OBJECT

  public:
    explicit GraphControls(GraphView& view, QWidget* parent = nullptr);

    QLineEdit* searchField() const { return search_; }

    QSize minimumSizeHint() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    /// Shows what fits into the width: everything; no path or a shorter search; no words; the
    /// search and one menu.
    void fitRoom();
    void nameChoices(bool narrow);
    /// For the path, where the search is as narrow as it may be; below 0 the buttons do not fit.
    int roomBesideButtons() const;
    void showPath(BoxId box);
    void makeColourMenu();
    void makeFilterMenu();
    void makeMoreMenu();
    void showChoices();

    GraphView& view_;
    QLabel* path_;
    QLineEdit* search_;
    QToolButton* colour_;
    QToolButton* filter_;
    QToolButton* fit_;
    QToolButton* more_;
};

}  // namespace overlap::ui
