#pragma once

#include <QString>

namespace overlap::ui {

/// A plain text in lines that can be read in a tool tip: Qt breaks none there, so that a sentence is as wide as the
/// screen or wider. Lines break between words; a word that is too long for a line, such as a path, stays whole.
QString toolTipLines(const QString& text);

}  // namespace overlap::ui
