#pragma once

#include <QByteArray>
#include <QImage>
#include <QStringList>
#include <memory>

#include "core/timeline/timeline.h"
#include "ui/theme/theme.h"
#include "ui/timeline/drawing/lane_arrangement.h"
#include "ui/timeline/drawing/timeline_notes.h"

namespace overlap::ui {

/// What a picture of a timeline shows.
struct TimelinePicture {
    std::shared_ptr<const Timeline> timeline;
    LaneArrangement lanes;
    std::vector<TimelineNote> notes;
    TimeRange range;
    QString title, caption;
    std::int64_t memoryLimit = 0;
    QStringList memoryNotes;
    int width = 1600;  ///< logical pixels; the height is what all lanes need
};

/// The picture in pixels.
/// @param pixelRatio device pixels for a logical one.
QImage timelineImage(const TimelinePicture& picture, const Theme& theme, double pixelRatio);

/// The picture as an SVG document of rectangles, lines and text; nothing in it is a bitmap. What is narrower than a
/// logical pixel is drawn as on the screen, so that its size does not depend on how many events there are.
QByteArray timelineSvg(const TimelinePicture& picture, const Theme& theme);

}  // namespace overlap::ui
