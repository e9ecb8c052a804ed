#include "core/exports/page_pictures.h"

#include <algorithm>

#include "core/base/number_text.h"
#include "core/exports/code_points.h"
#include "core/exports/html_text.h"
#include "core/exports/picture_style.h"
#include "core/timeline/curve_rasterizer.h"
#include "core/timeline/time_axis.h"

namespace overlap {

namespace {

// Sizes in the drawing's own units, which are pixels where the page is wide enough.
constexpr double picture_width = 1180, gutter = 170, plot_width = picture_width - gutter - 10;
constexpr double ruler_height = 22, lane_height = 22, lane_gap = 6, memory_height = 110;
constexpr double tick_spacing = 90;
/// Around a drawing that stands alone.
constexpr double margin = 8;
constexpr std::size_t title_length = 24;
/// Events that are closer than this, or narrower, are drawn as one, or as wide. So little that a crowd of them mixes to
/// the shade of what most of it is.
constexpr double smallest_width = 0.04;

std::string joined(std::initializer_list<std::string_view> parts) {
    std::string text;
    for (const std::string_view part : parts) text += part;
    return text;
}

std::string number(double value) {
    return number_text(value, 2);
}

/// Rectangles of one class as one path, where neighbours that touch become one.
class Bars {
  public:
    Bars(double top, double height) : top_(top), height_(height) {}

    void add(double from, double to) {
        to = std::max(to, from + smallest_width);
        if (open_ && from <= to_ + smallest_width / 2) {
            to_ = std::max(to_, to);
            return;
        }
        close();
        open_ = true;
        from_ = from;
        to_ = to;
    }

    std::string take(const std::string& classes) {
        close();
        return path_.empty() ? "" : joined({"<path class=\"", classes, "\" d=\"", path_, "\"/>\n"});
    }

  private:
    void close() {
        if (!open_) return;
        path_ += joined(
            {"M", number(from_), " ", number(top_), "H", number(to_), "v", number(height_), "H", number(from_), "z"});
        open_ = false;
    }

    double top_, height_, from_ = 0, to_ = 0;
    bool open_ = false;
    std::string path_;
};

std::string text_at(double x, double y, std::string_view classes, std::string_view html) {
    return joined({"<text class=\"", classes, "\" x=\"", number(x), "\" y=\"", number(y), "\">", html, "</text>\n"});
}

/// A line from one height to another.
std::string upright(std::string_view classes, double x, double from, double to) {
    return joined({"<path class=\"", classes, "\" d=\"M", number(x), " ", number(from), "V", number(to), "\"/>\n"});
}

/// What hatches stalls.
constexpr std::string_view hatching =
    "<defs><pattern id=\"hatching\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\"><rect class=\"stall-ground\" width=\"6\" height=\"6\"/><rect "
    "class=\"stall-stripe\" width=\"2.4\" height=\"6\"/></pattern></defs>";

/// A ground of the style's own colour: who shows the document may have any.
std::string begin_document(double height) {
    const std::string width_text = number(picture_width + 2 * margin), height_text = number(height + 2 * margin);
    const std::string from = number(-margin);
    return joined({"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" width=\"",
                   width_text,
                   "\" height=\"",
                   height_text,
                   "\" viewBox=\"",
                   from,
                   " ",
                   from,
                   " ",
                   width_text,
                   " ",
                   height_text,
                   "\" role=\"img\"><style>",
                   picture_style,
                   "</style>",
                   hatching,
                   "<rect class=\"ground\" x=\"",
                   from,
                   "\" y=\"",
                   from,
                   "\" width=\"",
                   width_text,
                   "\" height=\"",
                   height_text,
                   "\"/>"});
}

std::string begin_picture(double height, std::string_view title, PictureHome home) {
    const std::string begun = home == PictureHome::alone
                                  ? begin_document(height)
                                  : joined({"<svg class=\"picture\" viewBox=\"0 0 ", number(picture_width), " ",
                                            number(height), "\" role=\"img\">"});
    return joined({begun, "<title>", html_text(title), "</title>\n"});
}

std::string ruler(const TimeAxis& axis, double height) {
    const std::int64_t step = tick_step_ns(axis, tick_spacing);
    std::string svg;
    for (const Tick& tick : ticks(axis, step)) {
        const double x = gutter + tick.x_px;
        svg += upright("grid", x, ruler_height - 4, height);
        const bool last = tick.x_px > axis.width_px - tick_spacing / 2;
        svg += text_at(x, ruler_height - 8, last ? "tick last" : "tick",
                       html_text(tick_label(tick.time_ns, step, axis.range.end_ns)));
    }
    return svg;
}

std::string lane_title(const Lane& lane) {
    std::string title = lane.description.title;
    if (lane.depth > 0) title += joined({" (", std::to_string(lane.depth + 1), ")"});
    if (title.size() <= title_length) return html_text(title);
    return html_text(beginning_of(title, title_length)) + "…";
}

std::string lane_bars(const Lane& lane, const TimeAxis& axis, double top) {
    std::vector<Bars> by_role(event_role_count, Bars(top, lane_height));
    Bars stalls(top, lane_height);
    for (std::uint32_t event = 0; event < lane.size(); ++event) {
        const double from = gutter + axis.x_of(lane.start_ns[event]);
        const double to = gutter + axis.x_of(lane.end_ns[event]);
        if (lane.role[event] == EventRole::exposed) {
            stalls.add(from, to);
            continue;
        }
        by_role[static_cast<std::size_t>(lane.role[event])].add(from, to);
    }
    std::string svg;
    for (std::size_t role = 0; role < event_role_count; ++role)
        svg += by_role[role].take(joined({"r", std::to_string(role)}));
    return svg + stalls.take("stall");
}

/// A staircase as the outline of what is below it, a column for each unit of width.
std::string curve_path(const MemoryCurve& curve, const TimeAxis& axis, double bottom, double units_per_byte) {
    std::string path;
    double x = gutter;
    for (const CurveColumn& column : rasterize_curve(curve, axis)) {
        if (column.defined) {
            const double y = bottom - static_cast<double>(column.highest_bytes) * units_per_byte;
            path += path.empty() ? joined({"M", number(x), " "}) : "V";
            path += joined({number(y), "H", number(x + 1)});
        }
        x += 1;
    }
    return path;
}

/// The axis up to the end of a timeline: what comes behind is another one's.
TimeAxis axis_of(const Timeline& timeline, const TimeAxis& whole) {
    TimeAxis axis = whole;
    axis.range.end_ns = std::min(whole.range.end_ns, timeline.range().end_ns);
    axis.width_px = std::max(1.0, whole.x_of(axis.range.end_ns));
    return axis;
}

}  // namespace

std::string picture_definitions() {
    return joined({"<svg class=\"definitions\" width=\"0\" height=\"0\" aria-hidden=\"true\">", hatching, "</svg>\n"});
}

std::string timeline_picture(const Timeline& timeline, TimeRange range, std::string_view title, PictureHome home) {
    const TimeAxis axis{range, plot_width};
    const double height = ruler_height + static_cast<double>(timeline.lanes().size()) * (lane_height + lane_gap);
    std::string svg = begin_picture(height, title, home) + ruler(axis, height);
    double top = ruler_height;
    for (const Lane& lane : timeline.lanes()) {
        svg += text_at(0, top + lane_height - 7, "lane", lane_title(lane));
        svg += lane_bars(lane, axis, top);
        top += lane_height + lane_gap;
    }
    svg += upright("end", gutter + axis.x_of(timeline.range().end_ns), ruler_height - 4, height);
    return svg + "</svg>\n";
}

std::string memory_picture(const Timeline& timeline, const Timeline* before, TimeRange range, std::string_view title,
                           PictureHome home) {
    std::int64_t highest = 1;
    for (const Timeline* drawn : {&timeline, before}) {
        if (drawn && !drawn->memory().empty()) highest = std::max(highest, drawn->memory().bytes[drawn->memory_peak()]);
    }
    const TimeAxis axis{range, plot_width};
    const double bottom = ruler_height + memory_height;
    // Room above the peak, so that its line is seen.
    const double units_per_byte = (memory_height - 6) / static_cast<double>(highest);
    std::string svg = begin_picture(bottom + 2, title, home) + ruler(axis, bottom);
    const std::string path = curve_path(timeline.memory(), axis_of(timeline, axis), bottom, units_per_byte);
    if (!path.empty()) {
        svg += joined({"<path class=\"held-area\" d=\"", path, "V", number(bottom), "H", number(gutter), "z\"/>\n"});
        svg += joined({"<path class=\"held\" d=\"", path, "\"/>\n"});
    }
    if (before) {
        const std::string before_path = curve_path(before->memory(), axis_of(*before, axis), bottom, units_per_byte);
        svg += joined({"<path class=\"held-before\" d=\"", before_path, "\"/>\n"});
    }
    svg += text_at(0, ruler_height + 10, "lane", html_text(bytes_text(highest)));
    svg += text_at(0, bottom, "lane", "0");
    return svg + "</svg>\n";
}

}  // namespace overlap
