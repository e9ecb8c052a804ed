#include "ui/theme/tool_tip_lines.h"

#include <QStringList>
#include <QToolTip>
#include <QWidget>
#include <algorithm>

namespace overlap::ui {
namespace {

constexpr qsizetype longest_line = 100;  ///< in letters

}  // namespace

QString toolTipLines(const QString& text) {
    QStringList lines;
    for (const QString& line : text.split(u'\n')) {
        qsizetype begin = 0;
        while (line.size() - begin > longest_line) {
            qsizetype end = line.lastIndexOf(u' ', begin + longest_line);
            if (end <= begin) end = line.indexOf(u' ', begin + longest_line);
            if (end < 0) break;
            lines.append(line.mid(begin, end - begin));
            begin = end + 1;
        }
        lines.append(line.mid(begin));
    }
    return lines.join(u'\n');
}

QString richToolTipLines(const QString& html) {
    QString lines;
    qsizetype letters = 0;       // in the line so far
    qsizetype space = -1;        // the last one of the line, in `lines`
    qsizetype behind_space = 0;  // letters
    for (qsizetype at = 0; at < html.size();) {
        const qsizetype end = html[at] == u'<'   ? html.indexOf(u'>', at)
                              : html[at] == u'&' ? html.indexOf(u';', at)
                                                 : at;
        const QString piece = html.mid(at, std::max(end, at) - at + 1);
        at += piece.size();
        const bool is_tag = piece.size() > 1 && piece.front() == u'<';
        if (piece == u" ") {
            space = lines.size();
            behind_space = -1;  // itself
        }
        lines += piece;
        if (is_tag) {
            if (piece.startsWith(QStringLiteral("<br"))) letters = behind_space = 0, space = -1;
            continue;
        }
        ++letters, ++behind_space;
        if (letters <= longest_line || space < 0) continue;
        lines.replace(space, 1, QStringLiteral("<br>"));
        letters = behind_space;
        space = -1;
    }
    return lines;
}

void showToolTip(const QPoint& global, const QString& text, QWidget* widget, const QRect& area) {
    if (text.isEmpty()) return QToolTip::hideText();
    // Qt would break rich lines once more, where it likes.
    const QString lines = Qt::mightBeRichText(text)
                              ? QStringLiteral("<div style='white-space:pre'>%1</div>").arg(richToolTipLines(text))
                              : toolTipLines(text);
    QToolTip::showText(global, lines, widget, area);
}

}  // namespace overlap::ui
