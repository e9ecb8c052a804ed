#include "ui/widgets/plan_colours.h"

#include <QCoreApplication>
#include <QMenu>
#include <QPainter>

#include "ui/theme/theme_manager.h"

namespace overlap::ui {

QString colourName(PlanColour colour) {
    // As the theme's hues are called.
    static constexpr std::array<const char*, plan_colours.size() + 1> names = {
        QT_TRANSLATE_NOOP("PlanColours", "No colour"), QT_TRANSLATE_NOOP("PlanColours", "Blue"),
        QT_TRANSLATE_NOOP("PlanColours", "Green"),     QT_TRANSLATE_NOOP("PlanColours", "Amber"),
        QT_TRANSLATE_NOOP("PlanColours", "Magenta"),   QT_TRANSLATE_NOOP("PlanColours", "Teal"),
        QT_TRANSLATE_NOOP("PlanColours", "Orange"),    QT_TRANSLATE_NOOP("PlanColours", "Violet"),
        QT_TRANSLATE_NOOP("PlanColours", "Lime")};
    return QCoreApplication::translate("PlanColours", names[static_cast<std::size_t>(colour)]);
}

QColor hueOf(PlanColour colour) {
    if (colour == PlanColour::none) return {};
    return currentTheme().bucketHues[static_cast<std::size_t>(colour) - 1];
}

QIcon colourMark(PlanColour colour) {
    if (colour == PlanColour::none) return {};
    constexpr int size = 64;  // scaled down wherever it is drawn
    QPixmap mark(size, size);
    mark.fill(Qt::transparent);
    QPainter painter(&mark);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(hueOf(colour));
    painter.drawRoundedRect(QRectF(0, 0, size, size), 25, 25, Qt::RelativeSize);
    painter.end();
    return QIcon(mark);
}

void fillColourMenu(QMenu& menu, PlanColour present, const std::function<void(PlanColour)>& choose) {
    const auto add = [&](PlanColour colour) {
        QAction* action =
            menu.addAction(colourMark(colour), colourName(colour), &menu, [choose, colour] { choose(colour); });
        action->setCheckable(true);
        action->setChecked(colour == present);
    };
    for (const PlanColour colour : plan_colours) add(colour);
    menu.addSeparator();
    add(PlanColour::none);
}

}  // namespace overlap::ui
