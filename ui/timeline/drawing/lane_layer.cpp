#include "ui/timeline/drawing/lane_layer.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>
#include <map>
#include <thread>

#include "core/base/on_threads.h"
#include "core/timeline/curve_rasterizer.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/drawing/lane_palette.h"
#include "ui/timeline/drawing/ruler.h"

namespace overlap::ui {
namespace {

constexpr std::size_t mostLabels = 600;
constexpr qsizetype mostShapedTexts = 8192;
constexpr int labelPadding = 6;
constexpr int smallestLabelRow = 12;  ///< bars lower than this carry no text
constexpr int hatchPeriod = 8;
constexpr double layerShare = 0.45;      ///< of the hue of a kind of memory, above the background
constexpr std::size_t lanesAThread = 8;  ///< fewer are not worth starting one

int device(double logical, double ratio) {
    return static_cast<int>(std::lround(logical * ratio));
}

/// Calls `work` for 0 to `count` - 1, on several threads where there are many; calls do not depend on one another.
template <typename Work>
void forEachLane(std::size_t count, const Work& work) {
    std::atomic<std::size_t> next = 0;
    const auto takeSome = [&] {
        for (std::size_t index = next++; index < count; index = next++) work(index);
    };
    const std::size_t threads = std::min<std::size_t>(std::thread::hardware_concurrency(), count / lanesAThread);
    on_threads(threads, takeSome);
}

/// Gives `image` this size; keeps its memory, and what is in it, where the size is the same.
void makeFit(QImage& image, QSize logical, double ratio) {
    const QSize size(device(logical.width(), ratio), device(logical.height(), ratio));
    if (image.size() != size) image = QImage(size, QImage::Format_RGB32);
    image.setDevicePixelRatio(ratio);
}

void makeBlank(QImage& image, QSize logical, double ratio, const QColor& colour) {
    makeFit(image, logical, ratio);
    image.fill(colour);
}

Pixel* pixelRow(QImage& image, int y) {
    return reinterpret_cast<Pixel*>(image.scanLine(y));
}

std::ptrdiff_t stride(const QImage& image) {
    return image.bytesPerLine() / static_cast<std::ptrdiff_t>(sizeof(Pixel));
}

/// What an event says of itself in `room` pixels: name and duration, or the name, or what of it fits; nothing rather
/// than a few letters. A stall gives its duration: what it waits for is the lane below.
template <typename Width>
QString labelText(const QFontMetricsF& metrics, const Width& widthOf, const QString& name, const QString& time,
                  double room, bool stall) {
    const auto fits = [&](const QString& text) { return widthOf(text) <= room; };
    if (stall) return fits(time) ? time : QString();
    const QString both = name.isEmpty() ? time : name + QStringLiteral("  ") + time;
    if (fits(both)) return both;
    if (fits(name)) return name;
    // Of a module's path the last part says most.
    const QString last = name.contains(QLatin1Char(' ')) ? name : name.mid(name.lastIndexOf(QLatin1Char('.')) + 1);
    if (fits(last)) return last;
    // "all_gather layers.17": both ends matter.
    const QString elided = elidedName(metrics, last, Qt::ElideMiddle, room);
    return elided.size() >= 8 ? elided : QString();
}

}  // namespace

void LaneLayer::render(const LaneScene& scene, const TimelineGeometry& geometry, const Theme& theme) {
    if (scene == scene_ && !lanes_.isNull()) return;
    const bool sameOverview = !overview_.isNull() && scene.timeline == scene_.timeline && scene.dark == scene_.dark &&
                              scene.pixelRatio == scene_.pixelRatio && scene.arrangement == scene_.arrangement &&
                              overview_.width() == device(geometry.overview.width(), scene.pixelRatio);
    scene_ = scene;
    ++renderCount_;
    renderLanes(geometry, theme);
    if (!labels_.empty()) {
        QPainter painter(&lanes_);
        paintLabels(painter, theme);
    }
    renderMemory(geometry, theme);
    if (!sameOverview) renderOverview(geometry, theme);
}

void LaneLayer::renderLanes(const TimelineGeometry& geometry, const Theme& theme) {
    const double ratio = scene_.pixelRatio;
    makeFit(lanes_, geometry.lanes.size(), ratio);
    labels_.clear();
    if (lanes_.isNull()) return;
    const TimeAxis axis{scene_.range, static_cast<double>(lanes_.width())};
    const LanePalette plain = lanePalette(theme);
    const LanePalette base = lanePalette(theme, hasHighlight());
    RasterOptions options;
    options.gap_px = std::max(1, static_cast<int>(ratio));
    options.min_label_px = device(40, ratio);
    HatchStyle hatch;
    hatch.period_px = device(hatchPeriod, ratio);
    hatch.phase_px = static_cast<std::int32_t>(
        std::fmod(std::round(static_cast<double>(scene_.range.begin_ns) / axis.ns_per_px()), hatch.period_px));

    const std::vector<int> grid = gridColumns(*scene_.timeline, axis, ratio);
    const Pixel gridColour = blended(theme.background, theme.line, 0.55).rgb();
    std::vector<Pixel> empty(static_cast<std::size_t>(lanes_.width()), plain.background);
    for (const int x : grid) empty[static_cast<std::size_t>(x)] = gridColour;
    std::vector<bool> covered(static_cast<std::size_t>(lanes_.height()));
    const auto block = [&](std::uint32_t lane) {
        const QRect bar = geometry.bar(lane).intersected(geometry.clip(lane)).translated(0, -geometry.lanes.top());
        const int top = device(bar.top(), ratio);
        return std::pair{top, device(bar.top() + bar.height(), ratio) - top};
    };
    const auto keepLabels = [&](std::uint32_t lane, const Scanline& scanline, const Lane& events, const auto& eventOf) {
        const QRect bar = geometry.bar(lane).translated(0, -geometry.lanes.top());
        if (bar.height() < smallestLabelRow || geometry.rows.collapsed[lane]) return;
        if (!geometry.clip(lane).contains(geometry.bar(lane).center())) return;  // below the pinned lanes
        for (const LabelSlot& slot : scanline.labels) {
            labels_.push_back(
                {{lane, eventOf(slot.event)},
                 QRectF(slot.begin_px / ratio, bar.top(), (slot.end_px - slot.begin_px) / ratio, bar.height()),
                 (slot.plain_end_px - slot.begin_px) / ratio,
                 events.role[slot.event]});
        }
    };

    const auto lanes = scene_.timeline->lanes();
    // The sub-lanes of a collapsed lane are painted over its bar, one after the other; all other bars lie apart.
    const auto liesOver = [&](std::uint32_t lane) { return geometry.rows.collapsed[lane] && lanes[lane].depth > 0; };
    laneScanlines_.resize(lanes.size());
    Pixel* const pixels = pixelRow(lanes_, 0);
    const std::ptrdiff_t rowStride = stride(lanes_);
    forEachLane(lanes.size(), [&](std::size_t index) {
        const auto lane = static_cast<std::uint32_t>(index);
        const auto [top, height] = block(lane);
        if (height <= 0) return;
        Scanline& scanline = laneScanlines_[lane];
        rasterize_lane(lanes[lane], scene_.timeline->mip(lane), axis, base, options, scanline);
        if (liesOver(lane)) return;
        for (const int x : grid) {
            Pixel& pixel = scanline.fill[static_cast<std::size_t>(x)];
            if (pixel == base.background) pixel = gridColour;
        }
        paint_scanline(scanline, pixels + top * rowStride, rowStride, height, hatch);
    });
    for (std::uint32_t lane = 0; lane < lanes.size(); ++lane) {
        const auto [top, height] = block(lane);
        if (height <= 0) continue;
        const Scanline& scanline = laneScanlines_[lane];
        if (liesOver(lane)) {
            paint_scanline_over(scanline, base.background, pixels + top * rowStride, rowStride, height, hatch);
            continue;
        }
        std::fill_n(covered.begin() + top, height, true);
        if (!hasHighlight()) keepLabels(lane, scanline, lanes[lane], [](std::uint32_t event) { return event; });
    }
    // Only what no bar covers is painted as ground: filling all of a large window first costs as much as the bars.
    for (int y = 0; y < lanes_.height(); ++y) {
        if (!covered[static_cast<std::size_t>(y)]) std::ranges::copy(empty, pixelRow(lanes_, y));
    }
    for (const Highlighted& highlighted : highlighted_) {
        const auto [top, height] = block(highlighted.lane);
        if (height <= 0) continue;
        rasterize_lane(highlighted.events, highlighted.mip, axis, plain, options, scanline_);
        paint_scanline_over(scanline_, plain.background, pixelRow(lanes_, top), stride(lanes_), height, hatch);
        const Lane& all = scene_.timeline->lanes()[highlighted.lane];
        keepLabels(highlighted.lane, scanline_, highlighted.events,
                   [&](std::uint32_t event) { return all.first_ending_after(highlighted.events.end_ns[event] - 1); });
    }
}

void LaneLayer::paintLabels(QPainter& painter, const Theme& theme) {
    if (labels_.size() > mostLabels) {
        std::nth_element(labels_.begin(), labels_.begin() + mostLabels, labels_.end(),
                         [](const Label& a, const Label& b) { return a.place.width() > b.place.width(); });
        labels_.resize(mostLabels);
    }
    painter.setFont(textFont(smallTextPx));
    const QFontMetricsF metrics(painter.font());
    std::map<EventRole, QColor> inks;
    const auto widthOf = [&](const QString& text) { return shaped(text, painter.font()).width; };
    for (const Label& label : labels_) {
        const bool stall = label.role == EventRole::exposed;
        const double room = label.place.width() - 2 * labelPadding;
        const std::string_view name = scene_.timeline->event_name(label.location);
        const QString title = shownName(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
        const QString time = durationText(*scene_.timeline, label.location);
        // In front of the stripes where it says as much there as on all of the bar.
        const QString inFront = labelText(metrics, widthOf, title, time, label.plainWidth - 2 * labelPadding, stall);
        const QString text = labelText(metrics, widthOf, title, time, room, stall);
        if (text.isEmpty()) continue;
        if (inFront != text) {
            // Text upon stripes is no text: it gets a plate of its own.
            const double width = widthOf(text) + labelPadding;
            const QRectF plate(label.place.left() + labelPadding / 2.0, label.place.center().y() - metrics.height() / 2,
                               width, metrics.height());
            painter.fillRect(plate, stall ? theme.background : roleColour(theme, label.role));
        }
        auto ink = inks.find(label.role);
        if (ink == inks.end()) {
            ink = inks.emplace(label.role,
                               stall ? theme.asText(theme.exposed) : theme.textOn(roleColour(theme, label.role)))
                      .first;
        }
        painter.setPen(ink->second);
        painter.drawStaticText(
            QPointF(label.place.left() + labelPadding, label.place.center().y() - metrics.height() / 2),
            shaped(text, painter.font()).text);
    }
}

const LaneLayer::ShapedText& LaneLayer::shaped(const QString& text, const QFont& font) {
    const auto known = shapedTexts_.constFind(text);
    if (known != shapedTexts_.constEnd()) return *known;
    if (shapedTexts_.size() >= mostShapedTexts) shapedTexts_.clear();
    ShapedText made{QStaticText(text), 0};
    made.text.setTextFormat(Qt::PlainText);
    made.text.setPerformanceHint(QStaticText::AggressiveCaching);
    made.text.prepare({}, font);
    made.width = made.text.size().width();
    return *shapedTexts_.insert(text, made);
}

double LaneLayer::memoryScaleBytes(const Timeline& timeline, std::int64_t limit_bytes) {
    const MemoryCurve& curve = timeline.memory();
    const double peak = curve.empty() ? 0 : static_cast<double>(curve.bytes[timeline.memory_peak()]);
    const auto limit = static_cast<double>(limit_bytes);
    // A limit far above the curve would press it flat, and says nothing anyway. One far below it is a line near zero.
    return 1.15 * std::max({1.0, peak, limit <= 3 * peak ? limit : 0.0});
}

void LaneLayer::renderMemory(const TimelineGeometry& geometry, const Theme& theme) {
    makeBlank(memory_, geometry.memory.size(), scene_.pixelRatio, theme.background);
    if (memory_.isNull()) return;
    const TimeAxis axis{scene_.range, static_cast<double>(memory_.width())};
    const std::vector<CurveColumn> columns = rasterize_curve(scene_.timeline->memory(), axis);
    const int height = memory_.height();
    const double scale = height / memoryScaleBytes(*scene_.timeline, scene_.memoryLimit);
    const auto level = [&](std::int64_t bytes) {
        return std::clamp(height - static_cast<int>(std::lround(static_cast<double>(bytes) * scale)), 0, height - 1);
    };
    const int thickness = std::max(1, device(1, scene_.pixelRatio));
    struct Colours {
        Pixel area, line;
    };
    const auto coloursOf = [&](const QColor& colour) {
        return Colours{blended(theme.background, colour, 0.22).rgb(), colour.rgb()};
    };
    const Colours within = coloursOf(theme.memory), beyond = coloursOf(theme.exposed);
    const int limit = scene_.memoryLimit > 0 ? level(scene_.memoryLimit) : 0;
    const Pixel gridColour = blended(theme.background, theme.line, 0.55).rgb();
    const std::vector<int> grid = gridColumns(*scene_.timeline, axis, scene_.pixelRatio);
    for (int y = 0; y < height; ++y) {
        Pixel* const row = pixelRow(memory_, y);
        for (const int x : grid) row[x] = gridColour;
    }
    // Kinds of memory as stacked areas, each with the hue that the bar of the panel Memory has for it.
    const MemoryCurve& curve = scene_.timeline->memory();
    std::vector<std::vector<int>> layer_tops;
    std::vector<Pixel> layer_areas;
    for (std::size_t layer = 0; layer < curve.layers.size(); ++layer) {
        std::vector<int>& layer_top = layer_tops.emplace_back(columns.size(), height);
        const std::vector<CurveColumn> of_layer = rasterize_curve(curve.time_ns, curve.layers[layer], axis);
        for (std::size_t x = 0; x < of_layer.size(); ++x)
            if (of_layer[x].defined) layer_top[x] = level(of_layer[x].highest_bytes);
        layer_areas.push_back(
            blended(theme.background, theme.bucket(static_cast<std::uint32_t>(layer)), layerShare).rgb());
    }
    const auto area = [&](std::size_t x, int y, Pixel otherwise) {
        for (std::size_t layer = 0; layer < layer_tops.size(); ++layer)
            if (y >= layer_tops[layer][x]) return layer_areas[layer];
        return otherwise;
    };
    // Row by row: a column's pixels lie far apart in memory, and the curve may be a few hundred rows high.
    std::vector<int> tops(columns.size(), height), bottoms(columns.size(), height);
    int highest = height;
    for (std::size_t x = 0; x < columns.size(); ++x) {
        if (!columns[x].defined) continue;
        tops[x] = level(columns[x].highest_bytes);
        bottoms[x] = std::min(height, level(columns[x].lowest_bytes) + thickness);
        highest = std::min(highest, tops[x]);
    }
    for (int y = highest; y < height; ++y) {
        Pixel* const row = pixelRow(memory_, y);
        const Colours& colours = y < limit ? beyond : within;
        for (std::size_t x = 0; x < columns.size(); ++x)
            row[x] = y < tops[x]      ? row[x]
                     : y < bottoms[x] ? colours.line
                     : y < limit      ? colours.area
                                      : area(x, y, colours.area);
    }
}

void LaneLayer::renderOverview(const TimelineGeometry& geometry, const Theme& theme) {
    makeBlank(overview_, geometry.overview.size(), scene_.pixelRatio, theme.background);
    const auto lanes = scene_.timeline->lanes();
    if (overview_.isNull() || lanes.empty()) return;
    const TimeAxis axis{scene_.timeline->range(), static_cast<double>(overview_.width())};
    // Stalls are what one looks for, and stripes would be lost at this size: solid here.
    LanePalette palette = lanePalette(theme);
    palette.fill[static_cast<std::size_t>(EventRole::exposed)] = theme.exposed.rgb();
    RasterOptions options;
    options.min_label_px = overview_.width() + 1;
    // The same order as below; compute is twice as high.
    const double margin = scene_.pixelRatio * 2;
    const auto shareOf = [&](std::uint32_t lane) {
        return lanes[lane].description.kind == LaneKind::compute && lanes[lane].depth == 0 ? 2.0 : 1.0;
    };
    const auto sharesOf = [&](const std::vector<std::uint32_t>& shown) {
        double shares = 0;
        for (const std::uint32_t lane : shown) shares += shareOf(lane);
        return shares;
    };
    std::vector<std::uint32_t> shown(geometry.rows.laneOfRow.begin(), geometry.rows.laneOfRow.end());
    const double room = overview_.height() - 2 * margin;
    // Of more lanes than lines of pixels some are left out: not those that compute.
    if (sharesOf(shown) > room) {
        std::vector<std::uint32_t> compute;
        std::ranges::copy_if(shown, std::back_inserter(compute), [&](std::uint32_t lane) { return shareOf(lane) > 1; });
        if (!compute.empty()) shown = std::move(compute);
    }
    const double unit = room / sharesOf(shown);
    double place = margin;
    for (const std::uint32_t lane : shown) {
        const int top = static_cast<int>(std::floor(place));
        place += unit * shareOf(lane);
        const int bottom = static_cast<int>(std::floor(place));
        const int gap = unit >= 3 ? 1 : 0;
        if (bottom - top - gap <= 0) continue;
        rasterize_lane(lanes[lane], scene_.timeline->mip(lane), axis, palette, options, scanline_);
        scanline_.remove_hatching();
        paint_scanline(scanline_, pixelRow(overview_, top), stride(overview_), bottom - top - gap, {});
    }
}

std::uint64_t LaneLayer::setHighlight(const Timeline& timeline, const std::vector<EventLocation>& locations) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> events;
    for (const EventLocation location : locations) events[location.lane].push_back(location.event);
    highlighted_.clear();
    for (auto& [lane, chosen] : events) {
        std::ranges::sort(chosen);
        chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
        Lane subset = timeline.lanes()[lane].subset(chosen);
        LaneMip mip(subset);
        highlighted_.push_back({lane, std::move(subset), std::move(mip)});
    }
    return ++highlightNumber_;
}

}  // namespace overlap::ui
