#include "ui/widgets/charts/step_peak_chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/tool_tip_lines.h"
#include "ui/widgets/charts/step_peak_metrics.h"

namespace overlap::ui {
namespace {

using Metrics = StepPeakMetrics;

constexpr double reach = 12;          ///< how near the pointer means a point
constexpr double most_legend = 0.35;  ///< of the height
constexpr double headroom = 0.08;     ///< of a range, beyond its ends

bool isBefore(const StepPeakChart::Point& left, const StepPeakChart::Point& right) {
    return left.peak_bytes != right.peak_bytes ? left.peak_bytes < right.peak_bytes : left.step_ms < right.step_ms;
}

}  // namespace

StepPeakChart::StepPeakChart(const QString& help, QWidget* parent) : QWidget(parent), help_(help) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setMinimumSize(160, 88);  // what a panel has in the lowest window, 800x500
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&StepPeakChart::update));
}

void StepPeakChart::clear() {
    points_.clear();
    bound_.clear();
    focused_ = hovered_ = chosen_ = -1;
    peak_at_pointer_.reset();
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

void StepPeakChart::setStepsText(const QString& text, const QString& help) {
    steps_text_ = text;
    steps_help_ = help;
    update();
}

void StepPeakChart::setShapesText(const QString& dots, const QString& diamonds) {
    dots_text_ = dots;
    diamonds_text_ = diamonds;
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
    return QRectF(rect()).adjusted(Metrics::left_margin, Metrics::top_margin, -Metrics::right_margin,
                                   -Metrics::bottom_margin - legend_height_);
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
    std::vector<int> numbered, nameless;
    legend_.clear();
    legend_height_ = 0;
    while (!placeNames(numbered, nameless)) {
        // More would leave no chart, and a number that nothing explains says nothing.
        while (legendHeight(legendOf(numbered)) > most_legend * height()) {
            nameless.push_back(numbered.back());
            numbered.pop_back();
        }
        legend_ = legendOf(numbered);
        legend_height_ = legendHeight(legend_);
    }
    update();
}

double StepPeakChart::legendHeight(const QString& legend) const {
    if (legend.isEmpty()) return 0;
    const QRectF room(0, 0, std::max(1.0, width() - 2.0 * Metrics::right_margin), height());
    return QFontMetricsF(textFont(smallTextPx)).boundingRect(room, Qt::TextWordWrap, legend).height() + 2;
}

QRectF StepPeakChart::legendPlace() const {
    return {Metrics::right_margin, area().bottom() + Metrics::bottom_margin, width() - 2.0 * Metrics::right_margin,
            legend_height_};
}

QString StepPeakChart::legendOf(const std::vector<int>& numbered) const {
    QStringList entries;
    for (std::size_t place = 0; place < numbered.size(); ++place) {
        const QString title = titleOf(numbered[place]).replace(u' ', QChar::Nbsp);
        entries.append(QString::number(place + 1) + QChar(QChar::Nbsp) + title);
    }
    return entries.join(QStringLiteral(" · "));
}

/// @param numbered what has a number instead of its name; grows where names find no place.
/// @param nameless what has neither; grows where numbers find none. @returns whether both stayed as they were.
bool StepPeakChart::placeNames(std::vector<int>& numbered, std::vector<int>& nameless) {
    names_.clear();
    std::vector<int> wanted;
    for (int rank = 2; rank > 0; --rank)
        for (std::size_t index = 0; index < points_.size(); ++index)
            if (points_[index].name_rank == rank) wanted.push_back(static_cast<int>(index));
    if (current_) wanted.push_back(-1);
    bound_place_ = findPlaceOfBoundText();
    NamePlaces free(roomForNames(), placesOfPoints());
    free.cover(placeOfDeviceText());
    free.cover(bound_place_);
    keepOffBound(free);
    const QFontMetricsF metrics(textFont(smallTextPx));
    bool found_all = true;
    std::vector<int> without_number;
    for (auto next = wanted.begin(); next != wanted.end(); ++next) {
        const int point = *next;
        const auto is_it = [&](int other) { return isAlike(point, other); };
        if (std::any_of(wanted.begin(), next, is_it) || std::ranges::count(nameless, point) > 0) continue;
        const auto number = std::ranges::find(numbered, point);
        const bool has_number = number != numbered.end();
        const QString text = has_number ? QString::number(number - numbered.begin() + 1) : titleOf(point);
        const QSizeF size(metrics.horizontalAdvance(text), metrics.height());
        const NamePlaces::Allowed allowed =
            all_named_ ? NamePlaces::Allowed{Metrics::longest_leader} : NamePlaces::Allowed{Metrics::near_leader, true};
        if (const auto found = free.take(place(named(point)), size, Metrics::name_gap, allowed)) {
            names_.push_back({point, text, *found});
        } else if (const auto shorter = all_named_ ? std::nullopt : elided(point, free)) {
            names_.push_back(*shorter);
        } else if (all_named_ && !has_number) {
            numbered.push_back(point);
            found_all = false;
        } else if (has_number) {
            without_number.push_back(point);
        }
    }
    // What the legend explains stands in the chart.
    for (const int point : without_number) {
        std::erase(numbered, point);
        nameless.push_back(point);
    }
    return found_all && without_number.empty();
}

/// Whether both are called the same, and one lies on the other: two names would say that there are two plans.
bool StepPeakChart::isAlike(int left, int right) const {
    const QPointF away = place(named(left)) - place(named(right));
    return named(left).title == named(right).title && std::hypot(away.x(), away.y()) <= Metrics::radius;
}

/// A name that has no place beside its point, without its middle.
std::optional<StepPeakChart::Name> StepPeakChart::elided(int point, NamePlaces& free) const {
    const QFontMetrics metrics(textFont(smallTextPx));
    const QString title = titleOf(point);
    for (const int letters : {24, 16, 10}) {
        if (title.size() <= letters) continue;
        const QString text = elidedName(metrics, title, Qt::ElideMiddle, letters * metrics.averageCharWidth());
        const QSizeF size(metrics.horizontalAdvance(text), metrics.height());
        if (const auto found = free.take(place(named(point)), size, Metrics::name_gap, {0, true}))
            return Name{point, text, *found};
    }
    return {};
}

QRectF StepPeakChart::roomForNames() const {
    return QRectF(rect()).adjusted(Metrics::left_margin, Metrics::top_margin, 0,
                                   -Metrics::bottom_margin - legend_height_);
}

/// What names must not cover.
std::vector<QRectF> StepPeakChart::placesOfPoints() const {
    std::vector<QRectF> places;
    const auto cover = [&](const Point& point, double radius) {
        const QPointF at = place(point);
        places.emplace_back(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius);
    };
    for (const Point& point : points_) cover(point, Metrics::radius);
    if (current_) cover(*current_, Metrics::ring_radius);
    return places;
}

void StepPeakChart::keepOffBound(NamePlaces& free) const {
    const QPolygonF stairs = boundStairs();
    for (qsizetype end = 1; end < stairs.size(); ++end) free.keepOff(QLineF(stairs[end - 1], stairs[end]));
}

std::vector<StepPeakChart::Name> StepPeakChart::markedNames() const {
    NamePlaces free(roomForNames(), placesOfPoints());
    const auto is_replaced = [&](const Name& name) {
        return name.point >= 0 && isMarked(static_cast<std::size_t>(name.point)) && !showsTitle(name.point);
    };
    for (const Name& name : names_)
        if (!is_replaced(name)) free.cover(name.place.text);
    free.cover(placeOfDeviceText());
    free.cover(bound_place_);
    keepOffBound(free);
    const QFontMetricsF metrics(textFont(smallTextPx));
    std::vector<Name> marked;
    for (std::size_t index = 0; index < points_.size(); ++index) {
        if (!isMarked(index) || showsTitle(static_cast<int>(index))) continue;
        const QString text = titleOf(static_cast<int>(index));
        const QSizeF size(metrics.horizontalAdvance(text), metrics.height());
        const QPointF at = place(points_[index]);
        const auto found = free.take(at, size, Metrics::name_gap, {Metrics::longest_leader});
        const bool right = at.x() + Metrics::name_gap + size.width() < width();
        const QRectF beside(
            QPointF(right ? at.x() + Metrics::name_gap : std::max(0.0, at.x() - Metrics::name_gap - size.width()),
                    at.y() - size.height() / 2),
            size);
        marked.push_back({static_cast<int>(index), text, found.value_or(NamePlace{beside})});
    }
    return marked;
}

std::vector<StepPeakChart::Name> StepPeakChart::drawnNames() const {
    const std::vector<Name> marked_names = markedNames();
    std::vector<Name> drawn;
    for (const Name& name : names_) {
        const auto replaces = [&](const Name& marked) {
            return marked.point == name.point || marked.place.text.intersects(name.place.text);
        };
        if (std::ranges::none_of(marked_names, replaces)) drawn.push_back(name);
    }
    drawn.insert(drawn.end(), marked_names.begin(), marked_names.end());
    return drawn;
}

double StepPeakChart::xOf(double peak_bytes) const {
    const QRectF inside = area();
    const double share = (peak_bytes - peaks_.lowest) / std::max(peaks_.highest - peaks_.lowest, 1e-9);
    return inside.left() + share * inside.width();
}

double StepPeakChart::peakAt(double x) const {
    const QRectF inside = area();
    const double share = (x - inside.left()) / std::max(inside.width(), 1.0);
    return peaks_.lowest + share * (peaks_.highest - peaks_.lowest);
}

double StepPeakChart::yOf(double step_ms) const {
    const QRectF inside = area();
    const double share = (step_ms - steps_.lowest) / std::max(steps_.highest - steps_.lowest, 1e-9);
    return inside.bottom() - share * inside.height();
}

QPointF StepPeakChart::place(const Point& point) const {
    return {xOf(static_cast<double>(point.peak_bytes)), yOf(point.step_ms)};
}

QString StepPeakChart::text(const Point& point) const {
    return QStringLiteral("%1: %2").arg(shownName(point.title), figuresOf(point));
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
    peak_at_pointer_.reset();
    if (fastest_shown_ && hovered_ < 0 && area().contains(event->position()))
        peak_at_pointer_ = peakAt(event->position().x());
    setCursor(hovered_ < 0 ? Qt::ArrowCursor : Qt::PointingHandCursor);
    update();
}

void StepPeakChart::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) take(pointAt(event->position()));
}

void StepPeakChart::leaveEvent(QEvent* event) {
    hovered_ = -1;
    peak_at_pointer_.reset();
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
    // Between the axes it would cover points: it is for what is around them.
    if (!points_.empty() && area().contains(help->pos())) {
        QToolTip::hideText();
        event->ignore();
        return true;
    }
    QString elsewhere = points_.empty() && !note_.isEmpty() ? note_ : help_;
    if (const QString shapes = shapesText(); !shapes.isEmpty()) elsewhere += u'\n' + shapes;
    if (!steps_help_.isEmpty()) elsewhere += u'\n' + steps_help_;
    if (!bound_.empty() && bound_place_.isEmpty()) elsewhere += u'\n' + tr("The stairs under the points are the bound");
    showToolTip(help->globalPos(), elsewhere, this);
    return true;
}

}  // namespace overlap::ui
