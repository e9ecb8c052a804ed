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

}  // namespace overlap::ui
