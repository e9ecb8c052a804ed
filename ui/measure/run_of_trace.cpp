#include "ui/measure/run_of_trace.h"

#include <QFile>
#include <QFileInfo>

#include "core/base/error.h"
#include "core/io/run_file.h"

namespace overlap::ui {

QString runFileOf(const QString& trace) {
    const QString ending = QStringLiteral("trace.json");
    if (!trace.endsWith(ending)) return {};
    const QString run = trace.chopped(ending.size()) + QStringLiteral("run.json");
    try {
        return QFileInfo(run).isFile() && is_run_file(QFile::encodeName(run).toStdString()) ? run : QString();
    } catch (const InputError&) {
        return {};
    }
}

}  // namespace overlap::ui
