#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
#include <functional>
#include <memory>
#include <vector>

#include "ui/widgets/seen_watch.h"

namespace overlap::ui {

class EnlargedPart;
class Selection;

/// What was selected while a view was hidden, or while a part of the window was enlarged, is seen in that view when it
/// has its place again. A view scrolls by itself to what is selected while it is seen, and what the user scrolls away
/// from then stays away.
class SelectionInSight : public QObject {
    Q_OBJECT

  public:
    SelectionInSight(const Selection& selection, const EnlargedPart& enlarged, QObject* parent);

    /// @param show scrolls the view to what is selected.
    void add(QWidget& view, std::function<void()> show);

  private:
    struct View {
        QPointer<QWidget> widget;
        std::unique_ptr<SeenWatch> watch;
        std::function<void()> show;
        bool missed = false;  ///< another selection since it was seen in its place
    };

    void note();
    void catchUp();

    const EnlargedPart& enlarged_;
    std::vector<View> views_;
    QTimer later_;  ///< when views have their sizes
};

}  // namespace overlap::ui
