#pragma once

#include <QString>

namespace overlap::ui {

/// A name from a file as it can be shown on one line: control characters, line breaks and characters that change the
/// direction of text or take no room stand as signs (`⏎`, `␛`, `⟨U+202E⟩`), so that two names never look like one
/// another or like what they are not; what is longer than a person reads ends in `…` and its length.
/// @returns `name` itself where there is nothing of it, as in all names that PyTorch makes.
QString shownName(const QString& name);

/// From now on the application shows texts as they are: labels and tool tips in which names from files stand never
/// take a name for HTML, with links to click and pictures to load. Labels that are meant to have formats say so with
/// Qt::RichText. Once for the application; more often does no harm.
void keepTextPlain();

}  // namespace overlap::ui
