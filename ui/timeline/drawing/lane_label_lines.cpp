#include "ui/timeline/drawing/lane_label_lines.h"

#include <QFontMetrics>
#include <utility>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {
namespace {

bool isWider(const QString& text, int width, const QFontMetrics& metrics) {
    return metrics.horizontalAdvance(shownName(text)) > width;
}

/// As many of the parts between commas in a line as there is room for.
QStringList brokenAtCommas(const QString& text, int width, const QFontMetrics& metrics) {
    QStringList lines;
    if (!isWider(text, width, metrics)) return {text};
    for (const QString& part : text.split(QStringLiteral(", "))) {
        QString longer = lines.isEmpty() ? part : lines.back() + QStringLiteral(", ") + part;
        if (lines.isEmpty() || isWider(longer, width, metrics))
            lines.append(part);
        else
            lines.back() = std::move(longer);
    }
    return lines;
}

}  // namespace

LaneLabelLines laneLabelLines(const QString& title, const QString& subtitle, int width,
                              const QFontMetrics& title_metrics, const QFontMetrics& metrics, bool has_line) {
    const QString between = QStringLiteral(" · ");
    LaneLabelLines lines{title, brokenAtCommas(subtitle, width, metrics)};
    const qsizetype step_end = title.indexOf(between);
    if (has_line && step_end > 0 && isWider(title, width, title_metrics)) {
        lines.title = title.mid(step_end + between.size());
        lines.below.prepend(title.left(step_end));
    }
    return lines;
}

}  // namespace overlap::ui
