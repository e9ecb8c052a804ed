#include "ui/files/companion_program.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace overlap::ui {

QString companionProgram(const QString& name) {
    const QString folder = QCoreApplication::applicationDirPath() + u'/';
    const QString beside = folder + name;
    if (QFileInfo(beside).isExecutable()) return beside;
    const QString installed = folder + QStringLiteral("../libexec/overlap-studio/") + name;
    return QFileInfo(installed).isExecutable() ? QFileInfo(installed).canonicalFilePath() : beside;
}

}  // namespace overlap::ui
