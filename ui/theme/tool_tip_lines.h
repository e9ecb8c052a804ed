#pragma once

#include <QPoint>
#include <QRect>
#include <QString>

class QWidget;

namespace overlap::ui {

/// A plain text in lines that can be read in a tool tip: Qt breaks none there, so that a sentence is as wide as the
/// screen or wider. Lines break between words; a word that is too long for a line, such as a path, stays whole.
QString toolTipLines(const QString& text);

/// The same of a rich text, whose tags and names of letters (`&lt;`) take no room in a line.
QString richToolTipLines(const QString& html);

/// Shows a tool tip that a widget makes itself, plain or rich, in such lines; hides the one that is shown where the
/// text is empty.
/// @param area of the widget that it is for; empty: all of it.
void showToolTip(const QPoint& global, const QString& text, QWidget* widget, const QRect& area = {});

}  // namespace overlap::ui
