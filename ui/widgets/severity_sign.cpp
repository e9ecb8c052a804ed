#include "ui/widgets/severity_sign.h"

#include <QCoreApplication>

#include "ui/theme/theme_manager.h"

namespace overlap::ui {

void paintSeveritySign(QPainter& painter, Severity severity, const QRectF& area) {
    const Theme& theme = currentTheme();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    switch (severity) {
        case Severity::error:
            painter.setBrush(theme.exposed);
            painter.drawEllipse(area);
            break;
        case Severity::caution: {
            painter.setBrush(theme.caution);
            const QPointF corners[] = {{area.center().x(), area.top()}, area.bottomRight(), area.bottomLeft()};
            painter.drawPolygon(corners, 3);
            break;
        }
        case Severity::note:
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.dim, 1.5));
            painter.drawEllipse(area.adjusted(1, 1, -1, -1));
            break;
    }
}

QString severityName(Severity severity) {
    switch (severity) {
        case Severity::error:
            return QCoreApplication::translate("Severity", "Error");
        case Severity::caution:
            return QCoreApplication::translate("Severity", "Caution");
        case Severity::note:
            break;
    }
    return QCoreApplication::translate("Severity", "Note");
}

}  // namespace overlap::ui
