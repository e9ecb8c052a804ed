#include "ui/widgets/availability.h"

#include <QAction>
#include <QVariant>
#include <QWidget>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

// Where tips are kept while a refusal is in their place.
constexpr const char* own_tool_tip = "ownToolTip";
constexpr const char* own_status_tip = "ownStatusTip";

/// The tip to show.
/// @param kept the property in which the control's own tip is kept.
QString tip(QObject& control, const char* kept, const QString& now, const QString& refusal) {
    const QVariant own = control.property(kept);
    if (refusal.isEmpty()) {
        control.setProperty(kept, QVariant());
        return own.isValid() ? own.toString() : now;
    }
    if (!own.isValid()) control.setProperty(kept, now);
    return shownLines(refusal);
}

}  // namespace

void setAvailable(QAction& action, const QString& refusal) {
    action.setEnabled(refusal.isEmpty());
    action.setToolTip(tip(action, own_tool_tip, action.toolTip(), refusal));
    action.setStatusTip(tip(action, own_status_tip, action.statusTip(), refusal));
}

void setAvailable(QWidget& control, const QString& refusal) {
    control.setEnabled(refusal.isEmpty());
    control.setToolTip(tip(control, own_tool_tip, control.toolTip(), refusal));
}

}  // namespace overlap::ui
