#pragma once

namespace overlap::ui {

/// Pixels at either side of a tab's text: where all tabs fit into their bar, and where they move closer together.
struct TabPadding {
    int wide = 0, dense = 0;
};

/// Of views and panels.
inline constexpr TabPadding usual_tab_padding{10, 4};
/// Of plans and measurements, which have a border.
inline constexpr TabPadding plan_tab_padding{12, 6};

}  // namespace overlap::ui
