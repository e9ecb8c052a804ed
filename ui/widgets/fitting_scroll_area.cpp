#include "ui/widgets/fitting_scroll_area.h"

#include <QEvent>

namespace overlap::ui {

FittingScrollArea::FittingScrollArea(QWidget* content, QWidget* parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setWidget(content);
    // What is behind it shows, as if it was not there.
    content->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
}

int FittingScrollArea::heightForWidth(int width) const {
    return widget()->hasHeightForWidth() ? widget()->heightForWidth(width) : widget()->sizeHint().height();
}

QSize FittingScrollArea::sizeHint() const {
    return widget()->sizeHint();
}

QSize FittingScrollArea::minimumSizeHint() const {
    return {widget()->minimumSizeHint().width(), fontMetrics().lineSpacing()};
}

bool FittingScrollArea::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) {
        updateGeometry();  // the content wants another height
        showBarIfLow();
    }
    return QScrollArea::event(event);
}

void FittingScrollArea::resizeEvent(QResizeEvent* event) {
    showBarIfLow();
    QScrollArea::resizeEvent(event);
}

/// Qt would keep a bar that is there: beside it the words have more lines, for which the room is too low.
void FittingScrollArea::showBarIfLow() {
    setVerticalScrollBarPolicy(height() < heightForWidth(width()) ? Qt::ScrollBarAsNeeded : Qt::ScrollBarAlwaysOff);
}

}  // namespace overlap::ui
