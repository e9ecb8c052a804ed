#include "ui/timeline/memory_hint.h"

#include "ui/theme/theme.h"

namespace overlap::ui {

MemoryHint::MemoryHint(QWidget* parent) : QToolButton(parent) {
    setObjectName("memoryHint");
    setText(tr("Show memory"));
    setToolTip(tr("There is no room for the memory curve here; gives the timeline more of the window"));
    setAccessibleName(toolTip());
    setAutoRaise(true);
    setCursor(Qt::ArrowCursor);
    hide();
}

void MemoryHint::place(const QRect& header, bool hidden_curve) {
    setVisible(hidden_curve);
    if (!hidden_curve) return;
    const QSize size = sizeHint().boundedTo(header.size());
    setGeometry(QRect(
        QPoint(header.right() - gridPx - size.width(), header.top() + (header.height() - size.height()) / 2), size));
}

int MemoryHint::taken() const {
    return isHidden() ? 0 : width() + gridPx;
}

}  // namespace overlap::ui
