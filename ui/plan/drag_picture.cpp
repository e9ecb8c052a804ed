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
constexpr QSize margins(20, 10);
constexpr QPoint distance(12, 18);  ///< from the picture's lower right corner to the pointer

QFont labelFont() {
    return textFont(normalTextPx, QFont::DemiBold);
}

/// How many modules they are stays where their names have no room.
QString shownLabel(const QStringList& modules) {
    return elidedName(QFontMetrics(labelFont()), dragLabel(modules), Qt::ElideMiddle, widest_label_px);
}

QSize pictureSize(const QString& label) {
    const QFontMetrics metrics(labelFont());
    return QSize(metrics.horizontalAdvance(label), metrics.height()) + margins;
}

}  // namespace

QString dragLabel(const QStringList& modules) {
    const QString names = shortNames(modules).join(QStringLiteral(", "));
    return modules.size() == 1 ? names : QObject::tr("%1, %2 modules").arg(names).arg(modules.size());
}

QPixmap dragPicture(const QStringList& modules, qreal pixel_ratio) {
    const Theme& theme = currentTheme();
    const QString label = shownLabel(modules);
    const QSize size = pictureSize(label);
    QPixmap picture(size * pixel_ratio);
    picture.setDevicePixelRatio(pixel_ratio);
    picture.fill(Qt::transparent);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme.accent);
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(QPointF(0.5, 0.5), QSizeF(size) - QSizeF(1, 1)), 4, 4);
    painter.setFont(labelFont());
    painter.setPen(theme.text);
    painter.drawText(QRect(QPoint(0, 0), size), Qt::AlignCenter, label);
    return picture;
}

QPoint dragHotSpot(const QPixmap& picture) {
    const QSize size = picture.deviceIndependentSize().toSize();
    return QPoint(size.width(), size.height()) + distance;
}

QRect dragPictureAt(const QStringList& modules, const QPoint& pointer) {
    const QSize size = pictureSize(shownLabel(modules));
    return {pointer - distance - QPoint(size.width(), size.height()), size};
}

}  // namespace overlap::ui
