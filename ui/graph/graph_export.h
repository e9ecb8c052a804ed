#pragma once

#include <QString>

namespace overlap::ui {

class GraphModel;

/// Writes everything that is open into a picture: SVG where the name ends so, else PNG at twice the size of the screen,
/// less where that would be larger than `most_pixels` on a side. The file appears whole or not at all.
/// @returns an empty string, or one sentence on why it could not be written.
QString writeGraphPicture(const GraphModel& model, const QString& path);

/// A note on such a picture: that it is smaller than the graph. Empty where it is not.
QString pictureRemark(const GraphModel& model, const QString& path);

inline constexpr int most_pixels = 16'000;

}  // namespace overlap::ui
