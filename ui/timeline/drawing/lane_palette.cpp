#include "ui/timeline/drawing/lane_palette.h"

namespace overlap::ui {
namespace {

constexpr double deep_tone = 0.58;  ///< of a hue over the background

}  // namespace

QColor roleColour(const Theme& theme, EventRole role) {
    switch (role) {
        case EventRole::idle:
            return theme.line;
        case EventRole::compute:
            return theme.compute;
        case EventRole::exposed:
            return theme.exposed;
        case EventRole::hidden:
            return theme.hidden;
        case EventRole::unbucketed:
            return theme.unbucketed;
        case EventRole::first_half:
            return theme.halves[0];
        case EventRole::second_half:
            return theme.halves[1];
        default:
            if (role >= EventRole::deep_bucket_0) {
                const auto hue =
                    static_cast<std::uint32_t>(role) - static_cast<std::uint32_t>(EventRole::deep_bucket_0);
                return blended(theme.background, theme.bucket(hue), deep_tone);
            }
            return theme.bucket(static_cast<std::uint32_t>(role) - static_cast<std::uint32_t>(EventRole::bucket_0));
    }
}

LanePalette lanePalette(const Theme& theme, bool dimmed) {
    const double strength = dimmed ? 0.22 : 1.0;
    const auto pixel = [&](const QColor& colour) { return blended(theme.background, colour, strength).rgb(); };
    LanePalette palette;
    palette.background = theme.background.rgb();
    for (std::size_t index = 0; index < event_role_count; ++index) {
        const auto role = static_cast<EventRole>(index);
        const QColor colour = roleColour(theme, role);
        // A stall is red stripes on little; an exposed tail of a collective is its own colour with gaps.
        const bool stall = role == EventRole::exposed;
        palette.fill[index] = pixel(stall ? blended(theme.background, colour, 0.22) : colour);
        palette.stripe[index] = pixel(stall ? colour : blended(theme.background, colour, 0.35));
    }
    return palette;
}

}  // namespace overlap::ui
