#include "ui/theme/tool_tip_lines.h"

#include <QStringList>

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

}  // namespace overlap::ui
