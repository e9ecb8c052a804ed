#include "ui/search/limit_slider.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSignalBlocker>
#include <algorithm>
#include <limits>

#include "ui/search/front_chart.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

/// A slider counts in whole numbers, too few for bytes.
constexpr std::int64_t unit_bytes = 1024;
constexpr int steps_of_range = 100;  ///< by arrow keys
constexpr double knob_radius = 6, tick_height = 3, text_gap = 6;
constexpr int least_height = 20;

/// Rounded up, so that a plan with this peak is within.
int valueOf(std::int64_t bytes) {
    return static_cast<int>(
        std::clamp<std::int64_t>((bytes + unit_bytes - 1) / unit_bytes, 0, std::numeric_limits<int>::max()));
}

}  // namespace

LimitSlider::LimitSlider(const FrontChart& chart, QWidget* parent) : QSlider(Qt::Horizontal, parent), chart_(chart) {
    setObjectName("limitSlider");
    setAccessibleName(tr("Limit of the peak, along the chart"));
    setToolTip(
        tr("Drag to limit the peak: the best plan that was found within it is chosen, and the next search stays "
           "within it"));
    setFocusPolicy(Qt::StrongFocus);
    connect(&chart, &FrontChart::moved, this, qOverload<>(&LimitSlider::update));
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&LimitSlider::update));
    connect(this, &QSlider::valueChanged, this, [this] {
        describe();
        emit limitChosen(limit());
    });
}

void LimitSlider::setPeaks(std::vector<std::int64_t> peaks) {
    peaks_ = std::move(peaks);
    const QSignalBlocker quiet(this);
    setRange(valueOf(peaks_.front()), valueOf(peaks_.back()));
    setSingleStep(std::max(1, (maximum() - minimum()) / steps_of_range));
    update();
}

void LimitSlider::showLimit(std::optional<std::int64_t> bytes) {
    const QSignalBlocker quiet(this);
    setValue(bytes ? valueOf(*bytes) : maximum());
    describe();
    update();
}

std::optional<std::int64_t> LimitSlider::limit() const {
    if (value() >= maximum()) return std::nullopt;
    return value() * unit_bytes;
}

QString LimitSlider::text() const {
    const std::optional<std::int64_t> bytes = limit();
    return bytes ? tr("at most %1").arg(formatBytes(static_cast<double>(*bytes))) : tr("any peak");
}

void LimitSlider::describe() {
    setAccessibleDescription(text());
}

QSize LimitSlider::sizeHint() const {
    return {200, std::max(least_height, QFontMetrics(textFont(smallTextPx)).height() + 2)};
}

double LimitSlider::xOf(int value) const {
    return chart_.xOfPeak(value * unit_bytes);
}

void LimitSlider::drag(std::int64_t bytes) {
    setValue(std::clamp(valueOf(bytes), minimum(), maximum()));
}

void LimitSlider::paintEvent(QPaintEvent*) {
    const Theme& theme = currentTheme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), theme.background);
    if (peaks_.size() < 2) return;
    const double middle = height() / 2.0, first = xOf(minimum()), last = xOf(maximum());
    const double knob = xOf(value());
    painter.setPen(QPen(theme.line, 2));
    painter.drawLine(QPointF(knob, middle), QPointF(last, middle));
    painter.setPen(QPen(theme.accent, 2));
    painter.drawLine(QPointF(first, middle), QPointF(knob, middle));
    painter.setPen(theme.memory);
    for (const std::int64_t peak : peaks_) {
        const double x = chart_.xOfPeak(peak);
        painter.drawLine(QPointF(x, middle - tick_height), QPointF(x, middle + tick_height));
    }
    painter.setPen(hasFocus() ? QPen(theme.text, 2) : QPen(theme.background, 2));
    painter.setBrush(theme.accent);
    painter.drawEllipse(QPointF(knob, middle), knob_radius, knob_radius);
    painter.setFont(textFont(smallTextPx));
    const double width = painter.fontMetrics().horizontalAdvance(text());
    const bool fits_right = knob + knob_radius + text_gap + width <= this->width();
    const QRectF place(
        fits_right ? knob + knob_radius + text_gap : std::max(0.0, knob - knob_radius - text_gap - width), 0, width,
        height());
    painter.fillRect(place, theme.background);
    painter.setPen(theme.text);
    painter.drawText(place, Qt::AlignCenter | Qt::TextDontClip, text());
}

void LimitSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    setSliderDown(true);
    drag(chart_.peakAt(event->position().x()));
}

void LimitSlider::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown()) drag(chart_.peakAt(event->position().x()));
}

void LimitSlider::mouseReleaseEvent(QMouseEvent*) {
    setSliderDown(false);
}

void LimitSlider::keyPressEvent(QKeyEvent* event) {
    const bool up = event->key() == Qt::Key_PageUp, down = event->key() == Qt::Key_PageDown;
    if (!up && !down) return QSlider::keyPressEvent(event);
    int next = up ? maximum() : minimum();
    for (const std::int64_t peak : peaks_) {
        const int at = valueOf(peak);
        if (up && at > value()) next = std::min(next, at);
        if (down && at < value()) next = std::max(next, at);
    }
    setValue(next);
}

}  // namespace overlap::ui
