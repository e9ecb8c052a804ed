#include "ui/widgets/step_peak_chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <limits>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/axis_ticks.h"

namespace overlap::ui {
namespace {

constexpr double radius = 4.5, ring_radius = radius + 3;
constexpr double reach = 12;  ///< how near the pointer means a point
constexpr int left_margin = 64, right_margin = 16, top_margin = 20, bottom_margin = 24;
constexpr int tick_length = 4;
/// Of the axes' labels, from one to the next.
constexpr int step_spacing = 26, peak_spacing = 84;
constexpr double most_legend = 0.35;  ///< of the height
constexpr double name_gap = 10;       ///< from the middle of a point
constexpr int note_margin = 16;
constexpr double headroom = 0.08;  ///< of a range, beyond its ends

bool isBefore(const StepPeakChart::Point& left, const StepPeakChart::Point& right) {
    return left.peak_bytes != right.peak_bytes ? left.peak_bytes < right.peak_bytes : left.step_ms < right.step_ms;
}

/// Level up to the point, then up or down to it.
void addStep(QPolygonF& stairs, QPointF to) {
    if (!stairs.isEmpty()) stairs.append(QPointF(to.x(), stairs.back().y()));
    stairs.append(to);
}

}  // namespace

StepPeakChart::StepPeakChart(const QString& help, QWidget* parent) : QWidget(parent), help_(help) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(160, 96);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&StepPeakChart::update));
}

void StepPeakChart::clear() {
    points_.clear();
    bound_.clear();
    focused_ = hovered_ = chosen_ = -1;
    fitRanges();
}

void StepPeakChart::add(const Point& point) {
    points_.insert(std::ranges::upper_bound(points_, point, isBefore), point);
    focused_ = hovered_ = -1;
    fitRanges();
}

void StepPeakChart::setAllNamed(bool all) {
    all_named_ = all;
    placeNames();
}

void StepPeakChart::setStepsText(const QString& text) {
    steps_text_ = text;
    update();
}

void StepPeakChart::setNote(const QString& note) {
    note_ = note;
    update();
}

void StepPeakChart::setCurrent(std::optional<Point> current) {
    current_ = std::move(current);
    fitRanges();
}

void StepPeakChart::setBound(std::vector<Limit> bound) {
    bound_ = std::move(bound);
    fitRanges();
}

void StepPeakChart::setChosen(int id) {
    chosen_ = id;
    update();
}

void StepPeakChart::setDeviceMemory(std::int64_t bytes) {
    device_bytes_ = bytes;
    update();
}

void StepPeakChart::fitRanges() {
    constexpr double most = std::numeric_limits<double>::max();
    steps_ = peaks_ = {most, 0};
    const auto include = [&](const Point& point) {
        const auto widen = [](Range& range, double value) {
            range = {std::min(range.lowest, value), std::max(range.highest, value)};
        };
        widen(steps_, point.step_ms);
        widen(peaks_, static_cast<double>(point.peak_bytes));
    };
    std::ranges::for_each(points_, include);
    if (current_) include(*current_);
    for (const Limit& limit : bound_) include({-1, {}, limit.step_ms, limit.bytes});
    for (Range* range : {&steps_, &peaks_}) {
        if (range->lowest > range->highest) *range = {0, 1};
        const double room = std::max(headroom * (range->highest - range->lowest), range->highest * 1e-3);
        *range = {std::max(0.0, range->lowest - room), range->highest + room};
    }
    placeNames();
}

QRectF StepPeakChart::area() const {
    return QRectF(rect()).adjusted(left_margin, top_margin, -right_margin, -bottom_margin - legend_height_);
}

void StepPeakChart::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    placeNames();
}

const StepPeakChart::Point& StepPeakChart::named(int point) const {
    return point < 0 ? *current_ : points_[static_cast<std::size_t>(point)];
}

/// Names of higher rank first. What finds no place is numbered, which needs room below the axis, so all are placed
/// anew.
void StepPeakChart::placeNames() {
    std::vector<int> numbered;
    legend_.clear();
    legend_height_ = 0;
    while (!placeNames(numbered)) {
        legend_ = legendOf(numbered);
        const QRectF room(0, 0, std::max(1.0, width() - 2.0 * right_margin), height());
        const double wanted =
            QFontMetricsF(textFont(smallTextPx)).boundingRect(room, Qt::TextWordWrap, legend_).height() + 2;
        legend_height_ = wanted <= most_legend * height() ? wanted : 0;  // it would leave no chart: see the tool tip
    }
    update();
}

QString StepPeakChart::legendOf(const std::vector<int>& numbered) const {
    QStringList entries;
    for (std::size_t place = 0; place < numbered.size(); ++place) {
        const QString title = shownName(named(numbered[place]).title).replace(u' ', QChar::Nbsp);
        entries.append(QString::number(place + 1) + QChar(QChar::Nbsp) + title);
    }
    return entries.join(QStringLiteral(" · "));
}

/// @param numbered what has a number instead of its name; grows where names find no place.
/// @returns whether none was added.
bool StepPeakChart::placeNames(std::vector<int>& numbered) {
    names_.clear();
    std::vector<QRectF> places;
    const auto cover = [&](const Point& point, double reach) {
        const QPointF at = place(point);
        places.emplace_back(at.x() - reach, at.y() - reach, 2 * reach, 2 * reach);
    };
    for (const Point& point : points_) cover(point, radius);
    if (current_) cover(*current_, ring_radius);
    std::vector<int> wanted;
    for (int rank = 2; rank > 0; --rank)
        for (std::size_t index = 0; index < points_.size(); ++index)
            if (points_[index].name_rank == rank) wanted.push_back(static_cast<int>(index));
    if (current_) wanted.push_back(-1);
    NamePlaces free(QRectF(rect()).adjusted(left_margin, top_margin, 0, -bottom_margin - legend_height_),
                    std::move(places));
    const QFontMetricsF metrics(textFont(smallTextPx));
    bool found_all = true;
    for (const int point : wanted) {
        const auto number = std::ranges::find(numbered, point);
        const bool has_number = number != numbered.end();
        const QString text =
            has_number ? QString::number(number - numbered.begin() + 1) : shownName(named(point).title);
        const QSizeF size(metrics.horizontalAdvance(text), metrics.height());
        if (const auto found = free.take(place(named(point)), size, name_gap, all_named_)) {
            names_.push_back({point, text, *found});
        } else if (all_named_ && !has_number) {
            numbered.push_back(point);
            found_all = false;
        }
    }
    return found_all;
}

double StepPeakChart::xOf(double peak_bytes) const {
    const QRectF inside = area();
    const double share = (peak_bytes - peaks_.lowest) / std::max(peaks_.highest - peaks_.lowest, 1e-9);
    return inside.left() + share * inside.width();
}

double StepPeakChart::yOf(double step_ms) const {
    const QRectF inside = area();
    const double share = (step_ms - steps_.lowest) / std::max(steps_.highest - steps_.lowest, 1e-9);
    return inside.bottom() - share * inside.height();
}

QPointF StepPeakChart::place(const Point& point) const {
    return {xOf(static_cast<double>(point.peak_bytes)), yOf(point.step_ms)};
}

QString StepPeakChart::text(const Point& point) {
    return tr("%1: %2, %3")
        .arg(shownName(point.title), formatTime(point.step_ms), formatBytes(static_cast<double>(point.peak_bytes)));
}

int StepPeakChart::pointAt(const QPointF& position) const {
    int nearest = -1;
    double least = reach * reach;
    for (std::size_t index = 0; index < points_.size(); ++index) {
        const QPointF away = place(points_[index]) - position;
        const double distance = QPointF::dotProduct(away, away);
        if (distance <= least) nearest = static_cast<int>(index), least = distance;
    }
    return nearest;
}

void StepPeakChart::focus(int point) {
    if (points_.empty()) return;
    focused_ = std::clamp(point, 0, static_cast<int>(points_.size()) - 1);
    setAccessibleDescription(text(points_[static_cast<std::size_t>(focused_)]));
    update();
}

void StepPeakChart::take(int point) {
    if (point < 0) return;
    emit chosen(points_[static_cast<std::size_t>(point)].id);
}

void StepPeakChart::mouseMoveEvent(QMouseEvent* event) {
    hovered_ = pointAt(event->position());
    setCursor(hovered_ < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    update();
}

void StepPeakChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) take(pointAt(event->position()));
}

void StepPeakChart::leaveEvent(QEvent* event) {
    hovered_ = -1;
    update();
    QWidget::leaveEvent(event);
}

void StepPeakChart::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Up:
            return focus(focused_ - 1);
        case Qt::Key_Right:
        case Qt::Key_Down:
            return focus(focused_ + 1);
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return take(focused_);
        default:
            QWidget::keyPressEvent(event);
    }
}

bool StepPeakChart::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int point = pointAt(help->pos());
    QString elsewhere = points_.empty() && !note_.isEmpty() ? note_ : help_;
    if (!legend_.isEmpty() && legend_height_ == 0) elsewhere += u'\n' + legend_;
    QToolTip::showText(help->globalPos(), point < 0 ? elsewhere : text(points_[static_cast<std::size_t>(point)]), this);
    return true;
}

void StepPeakChart::paintAxes(QPainter& painter) const {
    const Theme& theme = currentTheme();
    const QRectF inside = area();
    painter.setPen(theme.line);
    painter.drawLine(inside.bottomLeft(), inside.bottomRight());
    painter.drawLine(inside.bottomLeft(), inside.topLeft());
    if (points_.empty() && !current_) return;
    painter.setFont(numberFont(smallTextPx));
    const QFontMetricsF numbers(painter.font());
    const auto most = [](double length, int spacing) { return std::max(2, static_cast<int>(length / spacing)); };
    for (const AxisTick& tick :
         axisTicks(steps_.lowest, steps_.highest, Unit::Time, most(inside.height(), step_spacing))) {
        const double y = yOf(tick.value);
        painter.setPen(theme.line);
        painter.drawLine(QPointF(inside.left() - tick_length, y), QPointF(inside.left(), y));
        painter.setPen(theme.dim);
        painter.drawText(QRectF(0, y - numbers.height() / 2, left_margin - tick_length - 3, numbers.height()),
                         Qt::AlignRight | Qt::AlignVCenter, tick.label);
    }
    for (const AxisTick& tick :
         axisTicks(peaks_.lowest, peaks_.highest, Unit::Bytes, most(inside.width(), peak_spacing))) {
        const double x = xOf(tick.value), width = numbers.horizontalAdvance(tick.label);
        painter.setPen(theme.line);
        painter.drawLine(QPointF(x, inside.bottom()), QPointF(x, inside.bottom() + tick_length));
        painter.setPen(theme.dim);
        const double left = std::clamp(x - width / 2, 0.0, std::max(0.0, rect().width() - width));
        painter.drawText(QRectF(left, inside.bottom() + tick_length + 1, width, numbers.height()), Qt::AlignCenter,
                         tick.label);
    }
    painter.setFont(textFont(smallTextPx));
    const QString axes = tr("step ↑  peak memory →");
    painter.drawText(QRectF(tick_length, 1, width() - 2 * tick_length, top_margin - 3),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(painter.fontMetrics(),
                                steps_text_.isEmpty() ? axes : QStringLiteral("%1  ·  %2").arg(axes, steps_text_),
                                Qt::ElideRight, width() - 2 * tick_length));
    if (legend_height_ > 0)
        painter.drawText(
            QRectF(right_margin, inside.bottom() + bottom_margin, width() - 2 * right_margin, legend_height_),
            Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, legend_);
    const auto device = static_cast<double>(device_bytes_);
    if (device <= peaks_.lowest || device >= peaks_.highest) return;
    const double x = xOf(device);
    painter.setPen(QPen(theme.caution, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()));
}

/// A staircase: between two points the one with the lower peak is what fits.
void StepPeakChart::paintFront(QPainter& painter) const {
    QPolygonF front;
    double best_ms = std::numeric_limits<double>::max();
    for (const Point& point : points_) {
        if (point.step_ms >= best_ms) continue;
        best_ms = point.step_ms;
        addStep(front, place(point));
    }
    painter.setPen(QPen(currentTheme().memory, 1, Qt::DotLine));
    painter.drawPolyline(front);
}

/// A staircase: a limit holds up to the next one.
void StepPeakChart::paintBound(QPainter& painter) const {
    QPolygonF stairs;
    for (const Limit& limit : bound_) {
        const QPointF at = place({-1, {}, limit.step_ms, limit.bytes});
        addStep(stairs, at);
    }
    if (stairs.isEmpty()) return;
    stairs.append(QPointF(area().right(), stairs.back().y()));
    const Theme& theme = currentTheme();
    painter.setPen(QPen(theme.hidden, 1.5));
    painter.drawPolyline(stairs);
    painter.setFont(textFont(smallTextPx));
    painter.setPen(theme.asText(theme.hidden));
    const int height = painter.fontMetrics().height();
    painter.drawText(QRectF(area().left(), stairs.back().y() - height - 1, area().width(), height), Qt::AlignRight,
                     tr("bound"));
}

void StepPeakChart::paintNames(QPainter& painter) const {
    const Theme& theme = currentTheme();
    painter.setFont(textFont(smallTextPx));
    for (const Name& name : names_) {
        if (name.place.leader) {
            painter.setPen(theme.line);
            painter.drawLine(*name.place.leader);
        }
    }
    for (const Name& name : names_) {
        painter.fillRect(name.place.text, theme.background);  // lines do not strike it through
        const bool marked = name.point >= 0 && isMarked(static_cast<std::size_t>(name.point));
        painter.setPen(marked ? theme.text : theme.dim);
        painter.drawText(name.place.text, Qt::AlignCenter | Qt::TextDontClip, name.text);
    }
}

/// Of a point that the pointer or the keys are at, also where it covers something.
void StepPeakChart::paintMarkedName(QPainter& painter, const Point& point) const {
    const Theme& theme = currentTheme();
    const QString name = shownName(point.title);
    const QSizeF size(painter.fontMetrics().horizontalAdvance(name), painter.fontMetrics().height());
    const QPointF at = place(point);
    const bool right = at.x() + name_gap + size.width() < width();
    const QRectF text(QPointF(right ? at.x() + name_gap : std::max(0.0, at.x() - name_gap - size.width()),
                              at.y() - size.height() / 2),
                      size);
    painter.fillRect(text, theme.background);
    painter.setPen(theme.text);
    painter.drawText(text, Qt::AlignCenter | Qt::TextDontClip, name);
}

/// Whether a point has its name, and not a number or nothing.
bool StepPeakChart::showsTitle(int point) const {
    const auto name = std::ranges::find(names_, point, &Name::point);
    return name != names_.end() && name->text == shownName(named(point).title);
}

bool StepPeakChart::isMarked(std::size_t point) const {
    return static_cast<int>(point) == hovered_ || (hasFocus() && static_cast<int>(point) == focused_) ||
           (chosen_ >= 0 && points_[point].id == chosen_);
}

void StepPeakChart::paintPoints(QPainter& painter) const {
    const Theme& theme = currentTheme();
    paintNames(painter);
    for (const bool marked : {false, true}) {
        for (std::size_t index = 0; index < points_.size(); ++index) {
            if (isMarked(index) != marked) continue;
            if (marked && !showsTitle(static_cast<int>(index))) paintMarkedName(painter, points_[index]);
            painter.setPen(Qt::NoPen);
            painter.setBrush(marked ? theme.accent : theme.memory);
            painter.drawEllipse(place(points_[index]), radius, radius);
        }
    }
    if (!current_) return;
    painter.setPen(QPen(theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(place(*current_), ring_radius, ring_radius);
}

void StepPeakChart::paintNote(QPainter& painter) const {
    painter.setFont(textFont(smallTextPx));
    painter.setPen(currentTheme().dim);
    painter.drawText(rect().adjusted(note_margin, 0, -note_margin, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     shownLines(note_));
}

void StepPeakChart::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), currentTheme().background);
    painter.setRenderHint(QPainter::Antialiasing);
    if (points_.empty() && !note_.isEmpty()) return paintNote(painter);
    paintAxes(painter);
    paintBound(painter);
    paintFront(painter);
    paintPoints(painter);
}

}  // namespace overlap::ui
