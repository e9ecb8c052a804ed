#include "ui/document/module_names.h"

#include "core/graph/short_names.h"

namespace overlap::ui {

QStringList shortNames(const QStringList& paths) {
    std::vector<std::string> names;
    for (const QString& path : paths) names.push_back(path.toStdString());
    QStringList shortened;
    for (const std::string& name : short_names(names)) shortened.append(QString::fromStdString(name));
    return shortened;
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
