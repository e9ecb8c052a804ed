#include "ui/graph/overview_labels.h"

#include <QFontMetricsF>
#include <algorithm>
#include <tuple>

#include "ui/graph/graph_model.h"
#include "ui/graph/graph_painter.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

constexpr std::size_t most_labels = 120;
constexpr double margin = 3;
constexpr double beside_stripe = 3;
constexpr double narrowest_inside = 30;  ///< of a name within its box: less tells nothing
constexpr double lowest_share = 0.75;    ///< of the height of letters, which a box with a name has at least
constexpr double widest_name = 160;      ///< that reaches beyond its box, where there is room
constexpr double narrowest_name = 56;    ///< that reaches beyond it, where there is little
constexpr double smallest_box = 3;       ///< in pixels, either way: less is no more than a dot

}  // namespace

std::vector<OverviewLabel> overviewLabels(const GraphModel& model, const QTransform& to_view, const QRectF& view) {
    struct Candidate {
        const PlacedBox* placed;
        QRectF rect;
    };
    std::vector<Candidate> candidates;
    for (const PlacedBox& placed : model.arrangement().boxes) {
        const QRectF rect = to_view.mapRect(toQt(placed.rect));
        if (rect.intersects(view) && rect.width() >= smallest_box && rect.height() >= smallest_box)
            candidates.push_back({&placed, rect});
    }
    const auto rank = [](const Candidate& of) {
        return std::tuple(of.placed->depth, -of.rect.width() * of.rect.height());
    };
    std::ranges::stable_sort(candidates, {}, rank);
    const QFontMetricsF metrics(textFont(smallTextPx));
    std::vector<OverviewLabel> labels;
    /// @param place where the name stands, at its left and, of an open box, at its top, where nothing of it is inside.
    const auto put = [&](const Candidate& candidate, const QRectF& place, double widest) {
        const auto& [placed, rect] = candidate;
        QString text = elidedName(metrics, model.texts().title(placed->box), Qt::ElideMiddle, widest);
        const QSizeF size(metrics.horizontalAdvance(text) + 2 * margin, metrics.height());
        const double top = placed->open ? place.top() : place.center().y() - size.height() / 2;
        QRectF room(QPointF(place.left() + beside_stripe, top), size);
        room.moveLeft(std::clamp(room.left(), view.left(), std::max(view.left(), view.right() - size.width())));
        room.moveTop(std::clamp(room.top(), view.top(), std::max(view.top(), view.bottom() - size.height())));
        const auto covers = [&](const OverviewLabel& other) { return other.room.intersects(room); };
        if (std::ranges::any_of(labels, covers)) return false;
        const bool beyond = placed->open || !rect.contains(room);
        labels.push_back({placed->box, std::move(text), room, beyond});
        return true;
    };
    for (const Candidate& candidate : candidates) {
        if (labels.size() == most_labels) break;
        const QRectF seen = candidate.rect & view;
        const double room = seen.width() - 2 * margin - beside_stripe;
        const double whole = metrics.horizontalAdvance(model.texts().title(candidate.placed->box));
        if (seen.height() >= lowest_share * metrics.height() && room >= std::min(whole, narrowest_inside))
            put(candidate, seen, room);
    }
    if (!labels.empty()) return labels;
    // Every box is too small for a name of its own, and names beyond them are better than none.
    for (const Candidate& candidate : candidates) {
        if (labels.size() == most_labels) break;
        if (!put(candidate, candidate.rect, widest_name)) put(candidate, candidate.rect, narrowest_name);
    }
    return labels;
}

}  // namespace overlap::ui
