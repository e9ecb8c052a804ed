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

/// The controls beside the graph's tab: the current path, the search, what the colours mean, the filter, and fit.
class GraphControls : public QWidget {
    Q_OBJECT

  public:
    explicit GraphControls(GraphView& view, QWidget* parent = nullptr);

    QLineEdit* searchField() const { return search_; }

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void showPath(BoxId box);
    void makeColourMenu();
    void makeFilterMenu();
    void showChoices();

    GraphView& view_;
    QLabel* path_;
    QLineEdit* search_;
    QToolButton* colour_;
    QToolButton* filter_;
    QToolButton* fit_;
    bool isNarrow_ = false;
};

}  // namespace overlap::ui
