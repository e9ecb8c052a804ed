#pragma once

#include <QStringList>

class QFontMetricsF;

namespace overlap::ui {

/// The title of a measurement's tab where it is of another graph than the one that is open.
QString titleOfOtherGraph(const QString& title);

/// The title of a plan's tab as it is drawn in `room` pixels. Where it has to be elided, it is elided where it differs
/// from the other titles: figures of a plan that a search found tell more than the word before them, but not where
/// another plan has the same.
/// @param others titles of the other tabs.
QString drawnTabTitle(const QString& title, const QStringList& others, const QFontMetricsF& metrics, double room);

}  // namespace overlap::ui
