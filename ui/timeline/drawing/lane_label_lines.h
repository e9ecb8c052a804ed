#pragma once

#include <QString>
#include <QStringList>

class QFontMetrics;

namespace overlap::ui {

/// What a lane's label says: its title, and lines below it, the most important first.
struct LaneLabelLines {
    QString title;
    QStringList below;
};

/// Breaks what is wider than the label into lines: of a title `torchtitan default · Compute` whose step goes below it
/// while there is room for a line there, of a subtitle `GPU 0, stream 1, 101 collectives` what follows a comma. What
/// still is too wide is left to be elided.
/// @param title_metrics of the title's font, others those of the lines below it.
/// @param has_line whether there is room for a line below the title.
LaneLabelLines laneLabelLines(const QString& title, const QString& subtitle, int width,
                              const QFontMetrics& title_metrics, const QFontMetrics& metrics, bool has_line);

}  // namespace overlap::ui
