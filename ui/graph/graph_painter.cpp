#include "ui/graph/graph_painter.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <iterator>

#include "ui/graph/edge_labels.h"
#include "ui/graph/graph_metrics.h"
#include "ui/graph/graph_model.h"
#include "ui/graph/overview_labels.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

constexpr double dimmed_share = 0.28;
constexpr double arrow_length = 6;
constexpr double arrow_half = 3.5;
constexpr double smallest_arrow_scale = 0.4;
constexpr double smallest_edge_scale = 0.12;
constexpr double smallest_round_scale = 0.3;
constexpr double stub_px = 10;
constexpr double lowest_fill = 2;  ///< of a stripe: less of it is not seen
constexpr double stub_length = 7;
constexpr double partly_selected_share = 0.45;  ///< of the accent, in the minimap
const QList<qreal> partly_selected_dashes{5, 4};
constexpr std::size_t most_flows = 60;  ///< drawn of a selection, the largest first

QPointF toQt(LayoutPoint point) {
    return {point.x, point.y};
}

QPainterPath pathOf(const Arrangement& arrangement, const PlacedEdge& edge) {
    const LayoutPoint* points = arrangement.points.data() + edge.first_point;
    QPainterPath path(toQt(points[0]));
    for (std::uint32_t i = 1; i + 2 < edge.point_count; i += 3)
        path.cubicTo(toQt(points[i]), toQt(points[i + 1]), toQt(points[i + 2]));
    return path;
}

/// Wider for more bytes, but never bold: 1 to 2.5 pixels from a kibibyte to a gibibyte.
double edgeWidth(std::int64_t bytes) {
    const double size = std::log2(std::max(1.0, static_cast<double>(bytes))) - 10;
    return 1 + 1.5 * std::clamp(size / 20, 0.0, 1.0);
}

/// Keeps `labels` clear of what is painted next.
void clipOut(QPainter& painter, const QRectF& visible, const std::vector<EdgeLabel>& labels) {
    if (labels.empty()) return;
    QRegion free = visible.toAlignedRect();
    for (const EdgeLabel& label : labels) free -= label.room.adjusted(-2, 0, 2, 0).toAlignedRect();
    painter.setClipRegion(free);
}

QPen hairline(const QColor& colour, double width = 1) {
    QPen pen(colour, width);
    pen.setCosmetic(true);
    return pen;
}

}  // namespace

QRectF toQt(const LayoutRect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

GraphPainter::GraphPainter(const GraphModel& model, const Theme& theme, double scale)
    : model_(model), arrangement_(model.arrangement()), theme_(theme), scale_(scale) {}

QColor GraphPainter::faded(const QColor& colour, bool dimmed) const {
    return dimmed ? blended(theme_.background, colour, dimmed_share) : colour;
}

void GraphPainter::paint(QPainter& painter, const QRectF& visible) const {
    painter.setRenderHint(QPainter::Antialiasing);
    // Level by level: edges lie on the box around them and under the boxes that they connect.
    for (const PlacedLevel& level : arrangement_.levels) {
        const PlacedBox* around = level.box == BoxTree::root ? nullptr : arrangement_.find(level.box);
        if (around && !toQt(around->rect).intersects(visible)) continue;
        if (around && around->rect.width * scale_ < 4) continue;
        const std::vector<EdgeLabel> labels =
            readable(edgeLabelPx) ? edgeLabels(model_, level, visible) : std::vector<EdgeLabel>();
        if (scale_ >= smallest_edge_scale) {
            painter.save();
            clipOut(painter, visible, labels);
            for (std::uint32_t i = level.first_edge; i < level.first_edge + level.edge_count; ++i) {
                const PlacedEdge& edge = arrangement_.edges[i];
                if (!boundsOf(arrangement_, edge).intersects(visible)) continue;
                const bool dimmed = model_.filter().dimmed(edge.edge.from) || model_.filter().dimmed(edge.edge.to);
                paintEdge(painter, edge, faded(theme_.faint, dimmed));
            }
            painter.restore();
        }
        for (std::uint32_t i = level.first_box; i < level.first_box + level.box_count; ++i)
            if (toQt(arrangement_.boxes[i].rect).adjusted(-8, -8, 8, 8).intersects(visible))
                paintBox(painter, arrangement_.boxes[i]);
        paintLabels(painter, labels);
    }
    if (!readable(normalTextPx)) paintOverview(painter, visible);
}

void GraphPainter::paintOverview(QPainter& painter, const QRectF& visible) const {
    const QTransform to_view = painter.worldTransform();
    const std::vector<OverviewLabel> labels = overviewLabels(model_, to_view, to_view.mapRect(visible));
    painter.save();
    painter.resetTransform();
    painter.setFont(textFont(smallTextPx));
    QColor behind = theme_.background;
    behind.setAlphaF(0.75f);
    for (const OverviewLabel& label : labels) {
        if (label.beyond) painter.fillRect(label.room, behind);
        painter.setPen(faded(theme_.text, model_.filter().dimmed(label.box)));
        painter.drawText(label.room, Qt::AlignCenter | Qt::TextDontClip, label.text);
    }
    painter.restore();
}

void GraphPainter::paintEdge(QPainter& painter, const PlacedEdge& edge, const QColor& colour) const {
    painter.setPen(hairline(colour, edgeWidth(edge.edge.bytes)));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(pathOf(arrangement_, edge));
    if (scale_ < smallest_arrow_scale) return;
    const LayoutPoint* points = arrangement_.points.data() + edge.first_point + edge.point_count;
    QPointF from = toQt(points[-2]);
    const QPointF tip = toQt(points[-1]);
    if (from == tip) from = toQt(points[-3]);  // a straight end has its control points on its ends
    if (from == tip) from = toQt(points[-4]);
    paintArrow(painter, from, tip);
}

void GraphPainter::paintArrow(QPainter& painter, QPointF from, QPointF tip) const {
    const QPointF along = tip - from;
    const double length = std::hypot(along.x(), along.y());
    if (length <= 0) return;
    const QPointF unit = along / length;
    const QPointF across(-unit.y(), unit.x());
    const QPointF back = tip - unit * arrow_length;
    painter.setBrush(painter.pen().color());
    painter.setPen(Qt::NoPen);
    painter.drawPolygon(QPolygonF{tip, back + across * arrow_half, back - across * arrow_half});
}

void GraphPainter::paintLabels(QPainter& painter, const std::vector<EdgeLabel>& labels) const {
    static const QFont font = edgeLabelFont();
    painter.setFont(font);
    for (const EdgeLabel& label : labels) {
        painter.setPen(faded(theme_.dim, label.dimmed));
        painter.drawText(label.room, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, label.text);
    }
}

void GraphPainter::paintBox(QPainter& painter, const PlacedBox& placed) const {
    const QRectF rect = toQt(placed.rect);
    const bool dimmed = model_.filter().dimmed(placed.box);
    const Box& box = model_.tree().box(placed.box);
    // Open boxes get darker and lighter in turn, so that levels can be distinguished.
    const QColor fill = placed.open                      ? (placed.depth % 2 == 0 ? theme_.panel : theme_.background)
                        : box.kind == BoxKind::operation ? theme_.panel
                                                         : theme_.raised;
    painter.setPen(hairline(faded(theme_.line, dimmed)));
    painter.setBrush(dimmed ? blended(theme_.background, fill, 0.5) : fill);
    if (scale_ < smallest_round_scale) {
        painter.drawRect(rect);
    } else {
        if (box.kind == BoxKind::run && !placed.open) {  // a pile: there is more behind it
            painter.drawRoundedRect(rect.translated(4, 4), boxRadius, boxRadius);
        }
        painter.drawRoundedRect(rect, boxRadius, boxRadius);
    }
    paintStripe(painter, placed, dimmed);
    paintTexts(painter, placed, dimmed);
    paintStubs(painter, placed, dimmed);
}

void GraphPainter::paintStripe(QPainter& painter, const PlacedBox& placed, bool dimmed) const {
    const QList<BoxColours::Part> parts = model_.colours().stripe(placed.box, model_.colouring(), theme_);
    if (parts.isEmpty()) return;
    const double inset = scale_ < smallest_round_scale ? 0 : boxRadius - 2;
    const QRectF rect = toQt(placed.rect).adjusted(0, inset, 0, -inset);
    painter.setPen(Qt::NoPen);
    painter.setBrush(faded(theme_.line, dimmed));
    painter.drawRect(QRectF(rect.x(), rect.y(), stripeWidth, rect.height()));
    double top = rect.top();
    for (const BoxColours::Part& told : parts) {
        const double height = std::max(lowest_fill, rect.height() * told.share);
        QRectF part(rect.x(), top, stripeWidth, std::min(height, rect.bottom() - top));
        top = part.bottom();
        if (told.filled < 1) part.setTop(top - std::max(lowest_fill, height * told.filled));
        painter.setBrush(faded(told.colour, dimmed));
        painter.drawRect(part);
        if (!told.hatched) continue;
        painter.setPen(hairline(theme_.background));
        for (double y = part.top() + 2; y < part.bottom(); y += 6)
            painter.drawLine(QPointF(part.left(), y + 3), QPointF(part.right(), y));
        painter.setPen(Qt::NoPen);
    }
}

void GraphPainter::paintTexts(QPainter& painter, const PlacedBox& placed, bool dimmed) const {
    if (!readable(normalTextPx)) return;
    static const QFont title_font = textFont(normalTextPx, QFont::DemiBold);
    static const QFont figures_font = textFont(smallTextPx);
    static const QFontMetricsF title_metrics(title_font), figures_metrics(figures_font);
    const BoxTexts& texts = model_.texts();
    const BoxId id = placed.box;
    const bool expandable = model_.tree().has_children(id);
    QRectF room = toQt(placed.rect).adjusted(boxMargin, 0, -boxMargin, 0);
    const double block = titleHeight + (placed.open ? 0 : figuresHeight);
    const double top = placed.open ? placed.rect.y + (headerHeight - titleHeight) / 2
                                   : placed.rect.y + (placed.rect.height - block) / 2;
    if (expandable) {
        const QPointF centre(room.left() + 4, top + titleHeight / 2);
        painter.setPen(Qt::NoPen);
        painter.setBrush(faded(theme_.dim, dimmed));
        painter.drawPolygon(
            placed.open ? QPolygonF{centre + QPointF(-4, -2.5), centre + QPointF(4, -2.5), centre + QPointF(0, 3)}
                        : QPolygonF{centre + QPointF(-2.5, -4), centre + QPointF(3, 0), centre + QPointF(-2.5, 4)});
        room.setLeft(room.left() + arrowRoom);
    }
    const QString title = elidedName(title_metrics, texts.title(id), Qt::ElideMiddle, room.width());
    painter.setFont(title_font);
    painter.setPen(faded(theme_.text, dimmed));
    painter.drawText(QRectF(room.left(), top, room.width(), titleHeight), Qt::AlignLeft | Qt::AlignVCenter, title);
    if (!readable(smallTextPx)) return;
    const double exposed = model_.colouring() == BoxColouring::exposed ? model_.colours().exposedMs(id) : 0;
    const double held = model_.colouring() == BoxColouring::memory ? model_.colours().peakBytes(id) : 0;
    const QString partly = model_.selectedOf(id) > 0 ? model_.partlySelected(id) : QString();
    const QString figures = exposed > 0 ? texts.exposed(id, exposed)
                            : held > 0  ? texts.held(id, held)
                                        : texts.figures(id, partly);
    QStringList more;
    if (placed.open)
        if (const QString name = texts.className(id); !name.isEmpty()) more.append(name);
    if (!partly.isEmpty() && (exposed > 0 || held > 0)) more.append(partly);
    if (!figures.isEmpty()) more.append(figures);
    QRectF line(room.left(), top + titleHeight, room.width(), figuresHeight);
    if (placed.open) {
        const double behind = title_metrics.horizontalAdvance(title) + 10;
        line = QRectF(room.left() + behind, top, room.width() - behind, titleHeight);
    }
    painter.setFont(figures_font);
    painter.setPen(faded(exposed > 0 ? theme_.asText(theme_.exposed) : theme_.dim, dimmed));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(figures_metrics, more.join(QStringLiteral(" · ")), Qt::ElideRight, line.width()));
}

void GraphPainter::paintStubs(QPainter& painter, const PlacedBox& placed, bool dimmed) const {
    if (scale_ < smallest_arrow_scale) return;
    static const QFont font = codeFont(static_cast<int>(stub_px));
    static const QFontMetricsF metrics(font);
    const QColor colour = faded(theme_.dim, dimmed);
    const double x = placed.rect.right() - boxMargin;
    const auto stub = [&](const LevelEdge& sum, double y, double away, bool enters) {
        if (sum.uses == 0) return;
        QPen pen = hairline(colour);
        pen.setDashPattern({2, 2});
        painter.setPen(pen);
        painter.drawLine(QPointF(x, y), QPointF(x, y + away * stub_length));
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        const double tip = enters ? y : y + away * stub_length;
        const double direction = enters ? -away : away;
        painter.drawPolygon(
            QPolygonF{QPointF(x, tip), QPointF(x - 2.5, tip - direction * 4), QPointF(x + 2.5, tip - direction * 4)});
        if (!readable(stub_px)) return;
        const QString text = QString::number(sum.tensors);
        painter.setFont(font);
        painter.setPen(colour);
        painter.drawText(QPointF(x - 6 - metrics.horizontalAdvance(text), y + (away < 0 ? -2 : metrics.ascent() + 1)),
                         text);
    };
    // Along the flow: forward comes in above, backward below.
    const bool backward = model_.tree().box(placed.box).phase == Phase::backward;
    stub(placed.stubs_in, backward ? placed.rect.bottom() : placed.rect.y, backward ? 1 : -1, true);
    stub(placed.stubs_out, backward ? placed.rect.y : placed.rect.bottom(), backward ? -1 : 1, false);
}

void GraphPainter::paintSelection(QPainter& painter, const QRectF& visible, BoxId hovered, BoxId current,
                                  bool focused) const {
    painter.setRenderHint(QPainter::Antialiasing);
    if (const PlacedBox* box = hovered == no_box ? nullptr : arrangement_.find(hovered)) {
        painter.setPen(hairline(theme_.faint));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(toQt(box->rect), boxRadius, boxRadius);
    }
    if (current != no_box && arrangement_.find(current)) {
        const BoxNeighbours neighbours = model_.neighbours(current);
        std::vector<LevelEdge> flows = neighbours.incoming;
        flows.insert(flows.end(), neighbours.outgoing.begin(), neighbours.outgoing.end());
        std::stable_sort(flows.begin(), flows.end(),
                         [](const LevelEdge& a, const LevelEdge& b) { return a.bytes > b.bytes; });
        if (flows.size() > most_flows) flows.resize(most_flows);
        painter.save();
        clipOut(painter, visible, labelsIn(visible));
        for (const PlacedEdge& edge : arrangement_.edges) {
            if (edge.edge.from != current && edge.edge.to != current) continue;
            paintEdge(painter, edge, theme_.accent);
            std::erase_if(
                flows, [&](const LevelEdge& flow) { return flow.from == edge.edge.from && flow.to == edge.edge.to; });
        }
        clipOutBoxes(painter, visible);
        for (const LevelEdge& flow : flows) paintFlow(painter, flow);
        painter.restore();
    }
    // As wide as elsewhere on a screen of small pixels: hairlines are of the device's.
    const double pixel = painter.device()->devicePixelRatioF();
    for (const PlacedBox& placed : arrangement_.boxes) {
        if (!model_.isSelected(placed.box) || !toQt(placed.rect).intersects(visible)) continue;
        QPen pen = hairline(theme_.accent, (placed.box == current && focused ? 2 : 1.5) * pixel);
        if (model_.isPartlySelected(placed.box)) pen.setDashPattern(partly_selected_dashes);
        painter.setPen(pen);
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(toQt(placed.rect), boxRadius, boxRadius);
    }
}

std::vector<EdgeLabel> GraphPainter::labelsIn(const QRectF& visible) const {
    std::vector<EdgeLabel> all;
    if (!readable(edgeLabelPx)) return all;
    for (const PlacedLevel& level : arrangement_.levels) {
        const PlacedBox* around = level.box == BoxTree::root ? nullptr : arrangement_.find(level.box);
        if (around && !toQt(around->rect).intersects(visible)) continue;
        std::vector<EdgeLabel> labels = edgeLabels(model_, level, visible);
        all.insert(all.end(), std::make_move_iterator(labels.begin()), std::make_move_iterator(labels.end()));
    }
    return all;
}

void GraphPainter::clipOutBoxes(QPainter& painter, const QRectF& visible) const {
    if (!readable(smallTextPx)) return;  // no text to keep clear
    QRegion free = painter.clipRegion();
    if (free.isEmpty()) free = visible.toAlignedRect();
    for (const PlacedBox& placed : arrangement_.boxes) {
        QRectF covered = toQt(placed.rect);
        if (!covered.intersects(visible)) continue;
        if (placed.open) covered.setHeight(headerHeight);
        free -= covered.toAlignedRect();
    }
    painter.setClipRegion(free);
}

void GraphPainter::paintFlow(QPainter& painter, const LevelEdge& edge) const {
    const PlacedBox* from = arrangement_.find(edge.from);
    const PlacedBox* to = arrangement_.find(edge.to);
    if (!from || !to) return;
    const QRectF a = toQt(from->rect), b = toQt(to->rect);
    QPointF start, end, pull;
    if (a.bottom() <= b.top() || b.bottom() <= a.top()) {
        const bool down = a.bottom() <= b.top();
        start = {a.center().x(), down ? a.bottom() : a.top()};
        end = {b.center().x(), down ? b.top() : b.bottom()};
        pull = {0, (end.y() - start.y()) / 2};
    } else {
        const bool right = a.center().x() <= b.center().x();
        start = {right ? a.right() : a.left(), a.center().y()};
        end = {right ? b.left() : b.right(), b.center().y()};
        pull = {(end.x() - start.x()) / 2, 0};
    }
    QPainterPath path(start);
    path.cubicTo(start + pull, end - pull, end);
    QPen pen = hairline(theme_.accent, edgeWidth(edge.bytes));
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    if (scale_ >= smallest_arrow_scale) paintArrow(painter, end - pull, end);
}

void GraphPainter::paintAreas(QPainter& painter) const {
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(Qt::NoPen);
    for (const PlacedBox& placed : arrangement_.boxes) {
        if (placed.rect.width * scale_ < 0.5) continue;
        const bool dimmed = model_.filter().dimmed(placed.box);
        const QColor plain = placed.open ? theme_.line : blended(theme_.line, theme_.faint, 0.6);
        const QColor fill = model_.isPartlySelected(placed.box) ? blended(plain, theme_.accent, partly_selected_share)
                            : model_.isSelected(placed.box)     ? theme_.accent
                                                                : plain;
        painter.fillRect(toQt(placed.rect), faded(fill, dimmed));
    }
}

}  // namespace overlap::ui
