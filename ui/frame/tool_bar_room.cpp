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
    // Both have some room in any case, and whether the step is better or worse is told before titles are whole.
    const int for_titles = std::max(room - figures_.leastWidth(), narrowest_plans);
    plans_.setFixedWidth(std::min(titles, for_titles));
    const auto style = captions ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly;
    for (auto button = captioned_.cbegin(); button != captioned_.cend(); ++button)
        if (button.key()->toolButtonStyle() != style) button.key()->setToolButtonStyle(style);
}

}  // namespace overlap::ui
