#pragma once

#include <QString>

class QFontMetricsF;

namespace overlap::ui {

/// A name from a file as it can be shown on one line: control characters, line breaks and characters that change the
/// direction of text or take no room are shown as signs (`⏎`, `⇥`, `⟨U+202E⟩`), so that two names never look like each
/// other or like what they are not; what is longer than anyone reads ends in `…` and its length.
/// @returns `name` itself where there is nothing of it, as in all names that PyTorch makes.
QString shownName(const QString& name);

/// The same of a text of several lines, each of them on its own: for tool tips and messages. Names in such a text are
/// shownName() where it is put together, so that none of them makes a line.
QString shownLines(const QString& lines);

/// A name as the text of an action, a button or a tab, in which `&` would mark a key.
QString shownInMenu(const QString& name);

/// As much of shownName() as is `width` pixels wide. Painters of names draw this; it takes as long for a name of a
/// megabyte as for a short one.
QString elidedName(const QFontMetricsF& metrics, const QString& name, Qt::TextElideMode mode, double width);

/// From now on the application shows texts as they are: labels and tool tips with names from files never take a name
/// for HTML, with links to click and pictures to load. Labels that need formats set Qt::RichText. Needed once for the
/// application; more often does no harm.
void keepTextPlain();

}  // namespace overlap::ui
