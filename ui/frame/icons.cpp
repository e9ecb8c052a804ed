#include "ui/frame/icons.h"

#include <QFile>
#include <QPainter>
#include <QSvgRenderer>

#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int icon_px = 16;

QPixmap drawn(const QByteArray& svg, const QColor& colour, qreal scale) {
    QByteArray tinted = svg;
    tinted.replace("currentColor", colour.name().toLatin1());
    QSvgRenderer renderer(tinted);
    QPixmap pixmap(QSize(icon_px, icon_px) * scale);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    renderer.render(&painter);
    painter.end();
    pixmap.setDevicePixelRatio(scale);
    return pixmap;
}

}  // namespace

QIcon themedIcon(const QString& name) {
    QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
    if (!file.open(QIODevice::ReadOnly)) return {};
    const QByteArray svg = file.readAll();
    const Theme& theme = currentTheme();
    QIcon icon;
    for (const qreal scale : {1.0, 2.0}) {
        icon.addPixmap(drawn(svg, theme.text, scale), QIcon::Normal);
        icon.addPixmap(drawn(svg, theme.faint, scale), QIcon::Disabled);
    }
    return icon;
}

}  // namespace overlap::ui
