#include "ui/run/run_environment.h"

#include <unistd.h>

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>

#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

QString text(const char* english) {
    return QCoreApplication::translate("RunEnvironment", english);
}

/// Open MPI needs both variables.
bool rootMayStartRanks() {
    return qEnvironmentVariableIsSet("OMPI_ALLOW_RUN_AS_ROOT") &&
           qEnvironmentVariableIsSet("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
}

}  // namespace

RunEnvironment startersFound(const QString& runner) {
    RunEnvironment environment;
    environment.runner = runner;
    environment.mpirun = QStandardPaths::findExecutable(QStringLiteral("mpirun"));
    environment.srun = QStandardPaths::findExecutable(QStringLiteral("srun"));
    environment.refuses_root = ::geteuid() == 0 && !rootMayStartRanks();
    return environment;
}

void addDevices(RunEnvironment& environment, const QByteArray& answer) {
    environment.known = true;
    const QJsonObject found = QJsonDocument::fromJson(answer).object();
    if (found["format"].toString() != u"overlap-devices") {
        environment.problem =
            text("overlap-runner does not report which devices there are; it may be of another version");
        return;
    }
    for (const QJsonValue& value : found["devices"].toArray()) {
        const QJsonObject device = value.toObject();
        environment.devices.append(
            QStringLiteral("%1, %2").arg(device["name"].toString(), formatBytes(device["memory_bytes"].toDouble())));
    }
    environment.no_device = found["reason"].toString(text("overlap-runner does not say why"));
    environment.knows_devices = !found["libraries"].toObject().isEmpty();
    environment.mpi = found["mpi"].toString();
}

QString foundText(const RunEnvironment& environment) {
    if (!environment.known) return text("Looking for devices…");
    if (!environment.problem.isEmpty()) return text("%1. The simulation needs no runner").arg(environment.problem);
    if (environment.devices.isEmpty())
        return text("No GPU here: %1. A dry check and the simulation need none").arg(environment.no_device);
    return environment.devices.size() == 1
               ? text("GPU: %1").arg(environment.devices.front())
               : text("%1 GPUs: %2").arg(environment.devices.size()).arg(environment.devices.front());
}

}  // namespace overlap::ui
