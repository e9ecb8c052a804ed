#include "ui/files/end_process.h"

#include <QProcess>

namespace overlap::ui {

void endProcess(QProcess& process) {
    process.disconnect();
    process.kill();
    // A killed process goes at once, but where the machine is busy or its memory is large.
    process.waitForFinished();
}

void endProcessLater(QProcess* process) {
    process->disconnect();
    if (process->state() == QProcess::NotRunning) return process->deleteLater();
    process->setParent(nullptr);  // which may go earlier
    QObject::connect(process, &QProcess::finished, process, &QObject::deleteLater);
    QObject::connect(process, &QProcess::errorOccurred, process, [process](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart) process->deleteLater();
    });
    process->kill();
}

}  // namespace overlap::ui
