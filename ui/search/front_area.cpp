#include "ui/search/front_area.h"

#include <QVBoxLayout>

#include "ui/search/front_chart.h"
#include "ui/search/limit_slider.h"

namespace overlap::ui {

FrontArea::FrontArea(FrontChart& chart, LimitSlider& slider, QWidget* parent)
    : QWidget(parent), chart_(chart), slider_(slider) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);  // the slider is under the chart's axis
    layout->addWidget(&chart_, 1);
    layout->addWidget(&slider_);
    slider_.hide();
}

void FrontArea::offerSlider(bool offered) {
    offered_ = offered;
    showSlider();
}

void FrontArea::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    showSlider();
}

void FrontArea::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    showSlider();
}

void FrontArea::showSlider() {
    // Before it is laid out for the first time nobody knows how high it will be.
    const bool has_room = !isVisible() || height() >= chart_.minimumHeight() + slider_.minimumSizeHint().height();
    slider_.setVisible(offered_ && has_room);
}

}  // namespace overlap::ui
