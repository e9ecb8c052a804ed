#include "ui/plan/drag_picture.h"

#include <QFontMetrics>
#include <QObject>
#include <QPainter>

#include "ui/document/module_names.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int widest_label_px = 400;

}  // namespace

QString dragLabel(const QStringList& modules) {
    const QString names = shortNames(modules).join(QStringLiteral(", "));
    return modules.size() == 1 ? names : QObject::tr("%1, %2 modules").arg(names).arg(modules.size());
}

QPixmap dragPicture(const QStringList& modules, qreal pixel_ratio) {
    const Theme& theme = currentTheme();
    const QFont font = textFont(normalTextPx, QFont::DemiBold);
    const QFontMetrics metrics(font);
    // How many they are stays where their names have no room.
    const QString label = elidedName(metrics, dragLabel(modules), Qt::ElideMiddle, widest_label_px);
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
