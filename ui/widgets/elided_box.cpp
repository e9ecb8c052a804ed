#include "ui/widgets/elided_box.h"

#include <QHelpEvent>
#include <QStylePainter>

#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {
namespace {

constexpr int text_margin = 1;  ///< that styles leave at each side

}  // namespace

QString ElidedBox::shownText() const {
    QStyleOptionComboBox option;
    initStyleOption(&option);
    const QRect field = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this);
    return option.fontMetrics.elidedText(option.currentText, elide_mode_, field.width() - 2 * text_margin);
}

void ElidedBox::setElideMode(Qt::TextElideMode mode) {
    elide_mode_ = mode;
    update();
}

void ElidedBox::paintEvent(QPaintEvent*) {
    QStylePainter painter(this);
    painter.setPen(palette().color(QPalette::Text));
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    option.currentText = shownText();
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
}

bool ElidedBox::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip || shownText() == currentText()) return QComboBox::event(event);
    showToolTip(static_cast<QHelpEvent*>(event)->globalPos(), currentText() + u'\n' + toolTip(), this);
    return true;
}

}  // namespace overlap::ui
