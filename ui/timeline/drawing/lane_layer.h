#pragma once

#include <QHash>
#include <QImage>
#include <QPainter>
#include <QStaticText>
#include <memory>
#include <vector>

#include "core/timeline/lane_rasterizer.h"
#include "core/timeline/timeline.h"
#include "ui/theme/theme.h"
#include "ui/timeline/drawing/timeline_geometry.h"

namespace overlap::ui {

/// What the events layer is drawn from. Two equal scenes look the same.
struct LaneScene {
    std::shared_ptr<const Timeline> timeline;
    TimeRange range;
    QSize size;  ///< of the view, logical
    int scroll = 0;
    double pixelRatio = 1;
    bool dark = true;
    std::uint64_t highlight = 0;    ///< number of the highlight, see LaneLayer::setHighlight()
    std::uint64_t arrangement = 0;  ///< changes whenever lanes are rearranged
    std::int64_t memoryLimit = 0;

    bool operator==(const LaneScene&) const = default;
};

/// The only part of the view that touches events: lanes with their labels, and the memory curve, each in an image of
/// device pixels that is kept until the scene changes. Hover, selection and cursor are painted over it elsewhere.
class LaneLayer {
  public:
    /// Draws again if `scene` differs from the last one.
    void render(const LaneScene& scene, const TimelineGeometry& geometry, const Theme& theme);

    /// Texts upon the events of the scene that was drawn last, with the lanes' corner at the origin.
    void paintLabels(QPainter& painter, const Theme& theme);

    const QImage& lanes() const { return lanes_; }
    const QImage& memory() const { return memory_; }
    const QImage& overview() const { return overview_; }

    /// These events stand out and the rest is dimmed; none for no dimming.
    /// @returns the number for LaneScene::highlight.
    std::uint64_t setHighlight(const Timeline& timeline, const std::vector<EventLocation>& locations);
    bool hasHighlight() const { return !highlighted_.empty(); }

    /// How often lanes were rasterised, for the frame meter and for tests.
    std::uint64_t renderCount() const { return renderCount_; }
    /// Highest value of the memory area's scale.
    static double memoryScaleBytes(const Timeline& timeline, std::int64_t limit_bytes);

  private:
    struct Highlighted {
        std::uint32_t lane = 0;
        Lane events;
        LaneMip mip;
    };

    void renderLanes(const TimelineGeometry& geometry, const Theme& theme);
    void renderMemory(const TimelineGeometry& geometry, const Theme& theme);
    void renderOverview(const TimelineGeometry& geometry, const Theme& theme);

    /// A text that was shaped once; shaping costs far more than drawing.
    struct ShapedText {
        QStaticText text;
        double width = 0;
    };
    const ShapedText& shaped(const QString& text, const QFont& font);

    QHash<QString, ShapedText> shapedTexts_;
    LaneScene scene_;
    QImage lanes_;
    QImage memory_;
    QImage overview_;
    Scanline scanline_;
    std::vector<Scanline> laneScanlines_;  ///< of each lane, as it was rasterised last
    struct Label {
        EventLocation location;
        QRectF place;
        double plainWidth = 0;  ///< of `place` up to where the event is hatched
        EventRole role;
    };
    std::vector<Label> labels_;
    std::vector<Highlighted> highlighted_;
    std::uint64_t highlightNumber_ = 0;
    std::uint64_t renderCount_ = 0;
};

}  // namespace overlap::ui
