#include "ui/widgets/low_bar.h"

#include <QLayout>
#include <QResizeEvent>
#include <QWidget>

namespace overlap::ui {
namespace {

constexpr int usual_space = 6, low_space = 2;

}  // namespace

LowBar::LowBar(QWidget& panel, QWidget& bar) : QObject(&bar), bar_(bar) {
    panel.installEventFilter(this);
}

bool LowBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize) {
        const bool low = static_cast<QResizeEvent*>(event)->size().height() < low_panel_height;
        const int space = low ? low_space : usual_space;
        QMargins margins = bar_.layout()->contentsMargins();
        margins.setTop(space);
        margins.setBottom(space);
        bar_.layout()->setContentsMargins(margins);
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace overlap::ui
