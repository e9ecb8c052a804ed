#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace overlap::ui {

/// What there is to run a plan with.
struct RunEnvironment {
    bool known = false;          ///< false until overlap-runner has answered
    QString runner;              ///< path of overlap-runner
    QString problem;             ///< why overlap-runner cannot be used at all, a clause; empty where it can
    QStringList devices;         ///< of this machine: `NVIDIA H200, 139.8 GiB`
    QString no_device;           ///< why there are none, a clause
    bool knows_devices = false;  ///< built with the CUDA toolkit, so that it can run on machines that have devices
    QString mpi;                 ///< that overlap-runner loads, such as `Open MPI v4.1.4`; empty for none
    QString mpirun, srun;        ///< paths; empty where they are not installed
    bool refuses_root = false;   ///< this is root, and Open MPI is not allowed to start ranks as root
};

/// What this machine has to start ranks with.
/// @param runner path of overlap-runner.
RunEnvironment startersFound(const QString& runner);

/// Puts in what `overlap-runner --devices` printed; `problem` where that is no answer.
void addDevices(RunEnvironment& environment, const QByteArray& answer);

/// What is found, as a sentence or two for display.
QString foundText(const RunEnvironment& environment);

}  // namespace overlap::ui
