#pragma once

#include <QSlider>
#include <QWheelEvent>

#include "core/passes/pass.h"

namespace overlap::ui {

/// A slider over the usual values of a number option, from its minimum to its usual maximum: evenly where that is a
/// short way, else in steps that grow with the value, so that small values can be hit as well. Values beyond show at
/// the end.
class NumberSlider : public QSlider {
    Q_OBJECT

  public:
    explicit NumberSlider(const PassOption& option, QWidget* parent = nullptr);

    /// Whether an option is a number with usual values.
    static bool fits(const PassOption& option);

    /// Shows a value; anything but a number shows at the beginning. Emits nothing, and does not move the slider while
    /// it is dragged.
    void showValue(const OptionValue& value);
    /// The value at a position, rounded to what can be read: whole, or three significant digits.
    OptionValue valueAt(int position) const;

  signals:
    /// The user moved the slider, by mouse or keys.
    void moved(const overlap::OptionValue& value);

  protected:
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }  // it scrolls the form

  private:
    int positionOf(double value) const;

    double least_, most_;
    bool whole_, growing_;
};

}  // namespace overlap::ui
