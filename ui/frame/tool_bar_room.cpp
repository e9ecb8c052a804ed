#include "ui/frame/tool_bar_room.h"

#include <QEvent>
#include <QLayout>
#include <QToolBar>
#include <QToolButton>
#include <algorithm>

#include "ui/frame/figures_bar.h"
#include "ui/frame/variant_bar.h"

namespace overlap::ui {
namespace {

constexpr int narrowest_plans = 184;  ///< eight letters of a title and the list of all
constexpr int some_plans = 320;       ///< two tabs beside the buttons that lead to others: differences go before these
constexpr int kept_for_digits = 24;   ///< of the room for figures, which they seldom need
constexpr int sheet_padding = 2 * 8;  ///< of the style sheet, which the layout's margins do not have

}  // namespace

ToolBarRoom::ToolBarRoom(QToolBar& bar, VariantBar& plans, FiguresBar& figures)
    : QObject(&bar), bar_(bar), plans_(plans), figures_(figures) {
    bar.installEventFilter(this);
}

void ToolBarRoom::addCaptioned(QToolButton* button) {
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    captioned_.insert(button, button->sizeHint().width());
}

bool ToolBarRoom::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest) share();
    return QObject::eventFilter(watched, event);
}

int ToolBarRoom::widthOfButtons(bool captions) {
    const QMargins margins = bar_.layout()->contentsMargins();
    int whole = margins.left() + margins.right() + sheet_padding;
    for (QAction* action : bar_.actions()) {
        const QWidget* widget = bar_.widgetForAction(action);
        if (!widget || !action->isVisible()) continue;
        whole += bar_.layout()->spacing();
        if (widget == &plans_ || widget == &figures_) continue;
        const auto* button = qobject_cast<const QToolButton*>(widget);
        const auto captioned = captioned_.find(const_cast<QToolButton*>(button));
        const bool has_caption = button && button->toolButtonStyle() == Qt::ToolButtonTextBesideIcon;
        int width = std::max(0, widget->sizeHint().width());
        if (captioned != captioned_.end()) {
            if (has_caption) *captioned = width;
            // An icon alone is as wide as it is high, but for a rounding.
            width = captions ? *captioned : std::min(width, button->sizeHint().height() + 4);
        }
        whole += width;
    }
    return whole;
}

/// Everything follows from what is wanted, and not from what is shown now.
void ToolBarRoom::share() {
    const int titles = plans_.sizeHint().width();
    const QList<int> figures = figures_.wantedWidths();
    const int with_captions = bar_.width() - widthOfButtons(true);
    const bool captions = titles + figures[std::min<qsizetype>(1, figures.size() - 1)] <= with_captions;
    const int room = captions ? with_captions : bar_.width() - widthOfButtons(false);
    // Titles are elided before figures lose details, and of more than a few plans tabs go to the list of all before
    // differences go. Both have some room in any case.
    const int elided = std::min(titles, plans_.elidedWidth());
    const int some = std::min(elided, some_plans);
    int for_figures = figures.back();
    for (qsizetype detail = figures.size() - 1; detail-- > 0;)
        if (room - figures[detail] >= (detail == 0 ? elided : some)) for_figures = figures[detail];
    // All of the labels rather than letters of titles.
    if (const int labelled = figures_.labelledWidth(); labelled > for_figures && room - labelled >= elided)
        for_figures = labelled;
    // Where it makes the last tab seen, figures do without some of the room that is kept for wider ones.
    if (const int lacking = elided - (room - for_figures); lacking > 0 && lacking <= kept_for_digits)
        for_figures -= lacking;
    plans_.setFixedWidth(std::min(titles, std::max(room - for_figures, narrowest_plans)));
    const auto style = captions ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly;
    for (auto button = captioned_.cbegin(); button != captioned_.cend(); ++button)
        if (button.key()->toolButtonStyle() != style) button.key()->setToolButtonStyle(style);
}

}  // namespace overlap::ui
