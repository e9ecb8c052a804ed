#pragma once

// Sizes of the graph view, in pixels at zoom 1, and how far one step zooms.

namespace overlap::ui {

inline constexpr double boxRadius = 6;
inline constexpr double stripeWidth = 4;
inline constexpr double boxMargin = 12;  ///< between a box's border and its text
inline constexpr double arrowRoom = 14;  ///< of the triangle in front of the title of a box that can be opened
inline constexpr double titleHeight = 18;
inline constexpr double figuresHeight = 16;
inline constexpr double moduleHeight = 48;
inline constexpr double operationHeight = 44;
inline constexpr double headerHeight = 34;  ///< of an open box
inline constexpr double boxPadding = 14;
inline constexpr double narrowestModule = 176;
inline constexpr double widestBox = 320;
inline constexpr double narrowestOperation = 128;
inline constexpr double zoomStep = 1.2;  ///< factor of one notch of the wheel, or one press of a key
inline constexpr double widthStep = 24;  ///< widths are multiples, so that identical layers are as wide as each other

}  // namespace overlap::ui
