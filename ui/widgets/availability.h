#pragma once

#include <QString>

class QAction;
class QWidget;

namespace overlap::ui {

/// Enables an action or a control where `refusal` is empty. Where it is not, the tool tip says why it cannot be used,
/// and so does an action's status tip; what it is for returns with it.
void setAvailable(QAction& action, const QString& refusal);
void setAvailable(QWidget& control, const QString& refusal);

}  // namespace overlap::ui
