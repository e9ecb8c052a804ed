#include "ui/plan/drop_figures.h"

#include <QFontMetrics>
#include <QPainter>
#include <algorithm>

#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int side = 8, above = 5;  ///< between the plate's edge and its text
constexpr int widest = 320;
constexpr int wrapped = Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap;

}  // namespace

DropFigures::DropFigures(QWidget& view) : QWidget(view.window()), view_(view) {
    setObjectName("dropFigures");
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
}

QRect DropFigures::plateOf(const QString& text, const QRect& room) {
    const QRect inside = room.adjusted(side, above, -side, -above);
    return QFontMetrics(textFont(smallTextPx)).boundingRect(inside, wrapped, text).adjusted(-side, -above, side, above);
}

void DropFigures::paintPlate(QPainter& painter, const QRect& plate, const QString& text, bool allowed) {
    const Theme& theme = currentTheme();
    painter.setFont(textFont(smallTextPx));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(allowed ? theme.accent : theme.caution);
    painter.setBrush(theme.panel);
    painter.drawRoundedRect(QRectF(plate).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(allowed ? theme.text : theme.asText(theme.caution));
    painter.drawText(plate.adjusted(side, above, -side, -above), wrapped, text);
}

void DropFigures::showBeside(const QString& text, bool allowed, int y, const QRect& dragged) {
    QWidget* window = view_.window();
    if (parentWidget() != window) setParent(window);  // the dock of the view floats now, or no more
    text_ = text;
    allowed_ = allowed;
    const QRect area = window->rect();
    const QSize size = plateOf(text, QRect(0, 0, std::min(widest, area.width()), area.height())).size();
    const QPoint top_left = view_.mapTo(window, QPoint(0, y));
    const int left = top_left.x() >= size.width() ? top_left.x() - size.width() : top_left.x() + view_.width();
    QRect place(QPoint(std::clamp(left, 0, std::max(0, area.width() - size.width())),
                       std::clamp(top_left.y(), 0, std::max(0, area.height() - size.height()))),
                size);
    if (const QRect covered(view_.mapTo(window, dragged.topLeft()), dragged.size()); place.intersects(covered)) {
        place.moveTop(covered.bottom() + 1);
        if (place.bottom() > area.bottom()) place.moveBottom(covered.top() - 1);
    }
    setGeometry(place);
    raise();
    show();
    update();
}

void DropFigures::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintPlate(painter, rect(), text_, allowed_);
}

}  // namespace overlap::ui
