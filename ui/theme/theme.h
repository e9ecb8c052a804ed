#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>
#include <QString>
#include <array>
#include <cstdint>

namespace overlap::ui {

/// The design tokens: every colour that the application uses, once for each theme. Views ask for a token by its meaning
/// and never write a colour themselves.
struct Theme {
    bool dark = true;

    QColor background;  ///< canvases and lists
    QColor panel;       ///< docks, headers, toolbars
    QColor raised;      ///< cards, fields, what lies on a panel
    QColor line;        ///< hairlines

    QColor text;
    QColor dim;    ///< secondary text
    QColor faint;  ///< decoration and disabled text; not for what must be read, nor held to a contrast

    QColor accent;      ///< selection, focus, links
    QColor exposed;     ///< time in which compute waits; always hatched as well
    QColor hidden;      ///< communication that costs nothing
    QColor caution;     ///< limits, warnings
    QColor compute;     ///< compute without a bucket; neutral
    QColor unbucketed;  ///< communication without a bucket
    QColor memory;      ///< the memory curve

    /// The first and the second half of a batch that is halved: a light and a deep tone of one hue, told apart by
    /// lightness by every eye.
    std::array<QColor, 2> halves;

    /// Hues of buckets in turn: blue, green, amber, magenta, teal, orange, violet, lime in either theme. Chosen so that
    /// any two differ for normal, protan, deutan and tritan eyes, and from `exposed`, and each stands out on every
    /// surface.
    std::array<QColor, 8> bucketHues;

    /// Ground of selected rows.
    QColor selection() const;
    const QColor& bucket(std::uint32_t index) const { return bucketHues[index % bucketHues.size()]; }
    /// Text upon `fill`: the darker or the lighter, whichever contrasts more.
    QColor textOn(const QColor& fill) const;
    /// `colour` as that of text: drawn towards `text` as far as it takes to be read on every surface and on selected
    /// rows (4.5 after WCAG 2.1). Signals as they are have what areas and lines need, 3.
    QColor asText(const QColor& colour) const;
};

const Theme& darkTheme();
const Theme& lightTheme();

/// `colour` over `background` as one opaque colour; `share` from 0 to 1.
QColor blended(const QColor& background, const QColor& colour, double share);
/// Contrast of two opaque colours after WCAG 2.1, from 1 to 21.
double contrastRatio(const QColor& a, const QColor& b);

/// Sizes of text in pixels of a screen at 100 %.
inline constexpr int smallTextPx = 11;
inline constexpr int normalTextPx = 12;
inline constexpr int largeTextPx = 13;
/// Everything is placed on multiples of this.
inline constexpr int gridPx = 4;

/// Inter, or the system's font where Inter is missing.
QFont textFont(int pixelSize = normalTextPx, int weight = QFont::Normal);
/// For figures in columns: digits of one width. Inter with tabular figures where Qt can ask for them (6.7), else a
/// fixed-width family.
QFont numberFont(int pixelSize = normalTextPx);
/// For names out of a graph.
QFont codeFont(int pixelSize = normalTextPx);

/// The tokens as what Qt's own widgets understand.
QPalette paletteOf(const Theme& theme);
QString styleSheetOf(const Theme& theme);

}  // namespace overlap::ui
