#include "ui/widgets/charts/name_places.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace overlap::ui {
namespace {

constexpr int directions = 16;
constexpr double between_names = 6;   ///< else two in a line are read as one
constexpr double one_place = 3;       ///< of points that nobody tells apart
constexpr double together = 8;        ///< of points whose lines begin together
constexpr double clearly_nearer = 4;  ///< to its own point than to others
constexpr double led_away = 8;        ///< of a name that a line leads to, from other points
constexpr double first_distance = 18, distance_step = 6;
constexpr double crossing_leader = 48;  ///< how long a line may be that crosses something

/// The point of a name that a line from elsewhere ends at.
QPointF endAt(const QRectF& text, QPointF from) {
    return {std::clamp(from.x(), text.left(), text.right()), std::clamp(from.y(), text.top(), text.bottom())};
}

bool crosses(const QLineF& line, const QRectF& area) {
    if (area.contains(line.p1()) || area.contains(line.p2())) return true;
    const std::array sides{QLineF(area.topLeft(), area.topRight()), QLineF(area.topRight(), area.bottomRight()),
                           QLineF(area.bottomRight(), area.bottomLeft()), QLineF(area.bottomLeft(), area.topLeft())};
    return std::ranges::any_of(
        sides, [&](const QLineF& side) { return line.intersects(side, nullptr) == QLineF::BoundedIntersection; });
}

}  // namespace

bool NamePlaces::isFree(const QRectF& text) const {
    const auto covers = [&](const QRectF& other) { return other.intersects(text); };
    const auto runs_into = [&](const QRectF& other) {
        return other.intersects(text.adjusted(-between_names, 0, between_names, 0));
    };
    return inside_.contains(text) && std::ranges::none_of(taken_, covers) && std::ranges::none_of(names_, runs_into);
}

bool NamePlaces::isOf(QPointF point, const QRectF& text, double distance) const {
    return std::ranges::none_of(taken_, [&](const QRectF& other) {
        const QPointF middle = other.center();
        if (QLineF(middle, point).length() < one_place) return false;
        return QLineF(middle, endAt(text, middle)).length() < distance + clearly_nearer;
    });
}

bool NamePlaces::isClear(const QLineF& leader, const QRectF& point) const {
    return std::ranges::none_of(names_, [&](const QRectF& name) { return crosses(leader, name); }) &&
           std::ranges::none_of(leaders_,
                                [&](const QLineF& other) {
                                    return QLineF(leader.p1(), other.p1()).length() >= together &&
                                           leader.intersects(other, nullptr) == QLineF::BoundedIntersection;
                                }) &&
           std::ranges::none_of(
               taken_, [&](const QRectF& other) { return !other.intersects(point) && crosses(leader, other); });
}

NamePlace NamePlaces::taken(NamePlace place) {
    names_.push_back(place.text);
    if (place.leader) leaders_.push_back(*place.leader);
    return place;
}

std::optional<NamePlace> NamePlaces::led(QPointF point, QSizeF size, bool clear, double longest) const {
    const double half_width = size.width() / 2, half_height = size.height() / 2;
    for (double distance = first_distance; distance <= longest; distance += distance_step) {
        for (int direction = 0; direction < directions; ++direction) {
            const double angle = 2 * std::numbers::pi * direction / directions;
            // The name's nearer side is that far away, whichever side that is.
            const QPointF middle =
                point + QPointF(std::cos(angle) * (distance + half_width), std::sin(angle) * (distance + half_height));
            const QRectF text(middle - QPointF(half_width, half_height), size);
            const QLineF leader(point, endAt(text, point));
            if (!isFree(text) || !isOf(point, text, led_away)) continue;
            const auto is_on = [&](const QLineF& line) { return crosses(line, text); };
            if (!clear ||
                (std::ranges::none_of(lines_, is_on) && isClear(leader, QRectF(point - QPointF(1, 1), QSizeF(2, 2)))))
                return NamePlace{text, leader};
        }
    }
    return {};
}

std::optional<NamePlace> NamePlaces::beside(QPointF point, QSizeF size, double gap, bool sure) const {
    const double half_width = size.width() / 2, half_height = size.height() / 2;
    for (const QPointF offset : {QPointF(gap + half_width, 0), QPointF(-gap - half_width, 0),
                                 QPointF(0, -gap - half_height), QPointF(0, gap + half_height)}) {
        const QRectF text(point + offset - QPointF(half_width, half_height), size);
        if (isFree(text) && (!sure || isOf(point, text, gap))) return NamePlace{text};
    }
    return {};
}

std::optional<NamePlace> NamePlaces::take(QPointF point, QSizeF size, double gap, Allowed allowed) {
    if (const auto place = beside(point, size, gap, true)) return taken(*place);
    // Names stand over lines, so that in a crowd a short line may cross some, rather than that a name has no place.
    for (const bool clear : {true, false}) {
        const double longest = clear ? allowed.longest_leader : std::min(allowed.longest_leader, crossing_leader);
        if (const auto place = led(point, size, clear, longest)) return taken(*place);
    }
    const auto place = allowed.unsure ? beside(point, size, gap, false) : std::nullopt;
    return place ? std::optional(taken(*place)) : std::nullopt;
}

}  // namespace overlap::ui
