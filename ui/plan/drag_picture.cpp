#include "ui/plan/drag_picture.h"

#include <QFontMetrics>
#include <QObject>
#include <QPainter>

#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int widest_label_px = 400;

}  // namespace

QPixmap dragPicture(const QStringList& modules, qreal pixel_ratio) {
    const Theme& theme = currentTheme();
    const QFont font = textFont(normalTextPx, QFont::DemiBold);
    const QFontMetrics metrics(font);
    const QString label = modules.size() == 1 ? elidedName(metrics, modules.front(), Qt::ElideMiddle, widest_label_px)
                                              : QObject::tr("%1 modules").arg(modules.size());
    const QSize size(metrics.horizontalAdvance(label) + 20, metrics.height() + 10);
    QPixmap picture(size * pixel_ratio);
    picture.setDevicePixelRatio(pixel_ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.accent);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(QPointF(0.5, 0.5), QSizeF(size) - QSizeF(1, 1)), 4, 4);
    painter.setFont(font);
    painter.setPen(theme.text);
    painter.drawText(QRect(QPoint(0, 0), size), Qt::AlignCenter, label);
    return picture;
}

QPoint dragHotSpot(const QPixmap& picture) {
    constexpr QPoint distance(12, 10);
    return {-distance.x(), qRound(picture.deviceIndependentSize().height()) + distance.y()};
}

}  // namespace overlap::ui
