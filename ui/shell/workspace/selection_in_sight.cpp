#include "ui/shell/workspace/selection_in_sight.h"

#include <QWidget>
#include <utility>

#include "ui/document/selection.h"
#include "ui/frame/docks/enlarged_part.h"

namespace overlap::ui {

SelectionInSight::SelectionInSight(const Selection& selection, const EnlargedPart& enlarged, QObject* parent)
    : QObject(parent), enlarged_(enlarged) {
    later_.setSingleShot(true);
    later_.setInterval(0);
    connect(&later_, &QTimer::timeout, this, &SelectionInSight::catchUp);
    connect(&selection, &Selection::changed, this, &SelectionInSight::note);
    connect(&enlarged, &EnlargedPart::changed, &later_, qOverload<>(&QTimer::start));
}

void SelectionInSight::add(QWidget& view, std::function<void()> show) {
    View& added = views_.emplace_back();
    added.widget = &view;
    added.watch = std::make_unique<SeenWatch>(view);
    added.show = std::move(show);
    connect(added.watch.get(), &SeenWatch::seen, &later_, qOverload<>(&QTimer::start));
}

void SelectionInSight::note() {
    for (View& view : views_) view.missed = view.widget && (enlarged_.any() || !view.watch->isSeen());
}

void SelectionInSight::catchUp() {
    if (enlarged_.any()) return;
    for (View& view : views_)
        if (view.missed && view.widget && view.watch->isSeen()) {
            view.missed = false;
            view.show();
        }
}

}  // namespace overlap::ui
