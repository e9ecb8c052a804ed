#include "ui/document/module_names.h"

#include "core/graph/short_names.h"
#include "ui/theme/standard_strings.h"

namespace overlap::ui {

QStringList shortNames(const QStringList& paths) {
    return textsOf(short_names(standardStrings(paths)));
}

QStringList rangesOf(const QStringList& paths) {
    return textsOf(module_ranges(standardStrings(paths)));
}

QStringList namesInLines(const QStringList& paths, const QString& separator) {
    constexpr qsizetype longest_line = 72;
    QStringList lines;
    for (const QString& path : paths) {
        if (lines.isEmpty()) {
            lines.append(path);
        } else if (lines.back().size() + separator.size() + path.size() <= longest_line) {
            lines.back() += separator + path;
        } else {
            lines.back() += separator.endsWith(u' ') ? separator.chopped(1) : separator;
            lines.append(path);
        }
    }
    return lines;
}

}  // namespace overlap::ui
