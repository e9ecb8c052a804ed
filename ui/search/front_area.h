#pragma once

#include <QWidget>

namespace overlap::ui {

class FrontChart;
class LimitSlider;

/// The chart with the slider below its axis, as long as there is room for both: else they would cover each other.
class FrontArea : public QWidget {
    Q_OBJECT

  public:
    /// Takes both as its children.
    FrontArea(FrontChart& chart, LimitSlider& slider, QWidget* parent = nullptr);

    /// Whether there is a front to slide along.
    void offerSlider(bool offered);

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

  private:
    void showSlider();

    QWidget &chart_, &slider_;
    bool offered_ = false;
};

}  // namespace overlap::ui
