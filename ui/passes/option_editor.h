#pragma once

#include <QWidget>

#include "core/passes/pass.h"

namespace overlap::ui {

/// A control for the value of one option of a pass, fit for its type. It checks only what it needs to make a value of
/// what was typed; whether the value is allowed is for the pass to say.
class OptionEditor : public QWidget {
    Q_OBJECT

  public:
    explicit OptionEditor(QWidget* parent = nullptr) : QWidget(parent) {}

    /// Shows a value of the option's type, or null where there is none. Emits nothing.
    virtual void showValue(const OptionValue& value) = 0;

  signals:
    /// The user wants another value.
    void edited(const overlap::OptionValue& value);
    /// The user emptied the control: the option is to be unset.
    void emptied();
    /// What was typed is no value; one sentence without full stop.
    void mistyped(const QString& reason);
};

/// The control for an option: a check box, a box of choices, a number box, with a slider where the option has
/// usual values, a line or a field of text.
OptionEditor* makeOptionEditor(const PassOption& option, QWidget* parent);

}  // namespace overlap::ui
