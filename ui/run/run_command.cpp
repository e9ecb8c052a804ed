#include "ui/run/run_command.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <string_view>

namespace overlap::ui {
namespace {

using Where = RunSettings::Where;

QString text(const char* english) {
    return QCoreApplication::translate("RunCommand", english);
}

bool startsBySelf(const RunSettings& settings) {
    return settings.where == Where::this_machine && settings.ranks == 1;
}

bool isOpenMpi(const RunEnvironment& environment) {
    return environment.mpi.startsWith(u"Open MPI");
}

QStringList hostNames(const QString& hosts) {
    static const QRegularExpression between(QStringLiteral("[,\\s]+"));
    return hosts.split(between, Qt::SkipEmptyParts);
}

bool isHostFile(const QString& hosts) {
    return hosts.contains(u'/');
}

/// Names never begin with a hyphen, so that none is taken for an option.
QString hostsRefusal(const QString& hosts) {
    if (isHostFile(hosts.trimmed()))
        return QFileInfo(hosts.trimmed()).isFile() ? QString() : text("There is no host file %1").arg(hosts.trimmed());
    const QStringList names = hostNames(hosts);
    if (names.isEmpty()) return text("Name the hosts, or the path of a host file");
    static const QRegularExpression host(QStringLiteral("^[A-Za-z0-9][A-Za-z0-9._-]*(:[0-9]{1,5})?$"));
    for (const QString& name : names)
        if (!host.match(name).hasMatch())
            return text("\"%1\" is no name of a host; write names between commas, or the path of a host file")
                .arg(name);
    return {};
}

QString startersRefusal(const RunSettings& settings, const RunEnvironment& environment) {
    if (startsBySelf(settings)) return {};
    if (environment.mpi.isEmpty()) return text("overlap-runner finds no MPI: it can run as one rank only");
    if (settings.where == Where::slurm)
        return environment.srun.isEmpty() ? text("srun is not installed on this machine") : QString();
    if (environment.mpirun.isEmpty())
        return text("mpirun is not installed (Debian: openmpi-bin or mpich); one rank on this machine needs none");
    if (environment.refuses_root && isOpenMpi(environment))
        return text(
            "Open MPI starts no ranks as root unless the environment has OMPI_ALLOW_RUN_AS_ROOT=1 and "
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; one rank on this machine needs no mpirun");
    return {};
}

QString devicesRefusal(const RunSettings& settings, const RunEnvironment& environment) {
    if (!environment.knows_devices) return text("%1; a dry check can be done").arg(environment.no_device);
    if (settings.where != Where::this_machine) return {};
    const auto found = environment.devices.size();
    if (found == 0) return text("No GPU: %1; a dry check can be done").arg(environment.no_device);
    if (settings.ranks <= found) return {};
    return found == 1 ? text(
                            "This machine has one GPU, and each rank needs one: set ranks to 1. Larger groups are "
                            "emulated then")
                      : text("This machine has %1 GPUs, and each rank needs one").arg(found);
}

QStringList runnerArguments(const RunSettings& settings, RunMode mode, const RunFiles& files,
                            std::optional<CompiledScope> compiled) {
    QStringList arguments;
    if (mode == RunMode::dry_check) arguments << QStringLiteral("--dry-run");
    arguments << files.graph << QStringLiteral("-o") << files.result;
    if (!files.plan.isEmpty()) arguments << QStringLiteral("--pipeline") << files.plan;
    if (compiled) {
        const std::string_view scope = compiled_scope_name(*compiled);
        arguments << QStringLiteral("--compiled")
                  << QString::fromUtf8(scope.data(), static_cast<qsizetype>(scope.size()));
    }
    arguments << QStringLiteral("--iterations") << QString::number(settings.iterations) << QStringLiteral("--warm-up")
              << QString::number(settings.warm_up);
    if (mode == RunMode::dry_check) return arguments;
    arguments << QStringLiteral("--trace") << files.trace << QStringLiteral("--recorded")
              << QString::number(settings.recorded_steps);
    if (settings.cuda_graph) arguments << QStringLiteral("--cuda-graph");
    return arguments;
}

QStringList mpirunArguments(const RunSettings& settings, const RunEnvironment& environment) {
    QStringList arguments;
    if (settings.where == Where::hosts) {
        const QString hosts = settings.hosts.trimmed();
        if (isHostFile(hosts)) {
            arguments << QStringLiteral("--hostfile") << hosts;
        } else {
            arguments << QStringLiteral("--host") << hostNames(hosts).join(u',');
        }
    }
    // Ranks of a dry check share cores, and ranks of a run wait for their devices most of the time.
    if (isOpenMpi(environment)) arguments << QStringLiteral("--oversubscribe");
    return arguments << QStringLiteral("-n") << QString::number(settings.ranks);
}

}  // namespace

QString runRefusal(const RunSettings& settings, const RunEnvironment& environment, RunMode mode) {
    if (!environment.known) return text("overlap-runner has not answered yet");
    if (!environment.problem.isEmpty()) return environment.problem;
    if (const QString refusal = startersRefusal(settings, environment); !refusal.isEmpty()) return refusal;
    if (settings.where == Where::hosts)
        if (const QString refusal = hostsRefusal(settings.hosts); !refusal.isEmpty()) return refusal;
    if (settings.where != Where::this_machine) {
        const QFileInfo folder(settings.folder);
        if (!folder.isDir() || !folder.isWritable())
            return text("Name a folder that all machines see and this one can write to");
    }
    return mode == RunMode::devices ? devicesRefusal(settings, environment) : QString();
}

RunCommand runCommand(const RunSettings& settings, const RunEnvironment& environment, RunMode mode,
                      const RunFiles& files, std::optional<CompiledScope> compiled) {
    RunCommand command;
    command.environment = QProcessEnvironment::systemEnvironment();
    // Ranks that wait for one another leave the cores to the window.
    if (isOpenMpi(environment))
        command.environment.insert(QStringLiteral("OMPI_MCA_mpi_yield_when_idle"), QStringLiteral("1"));
    const QStringList arguments = runnerArguments(settings, mode, files, compiled);
    if (startsBySelf(settings)) {
        command.program = environment.runner;
        command.arguments = arguments;
    } else if (settings.where == Where::slurm) {
        command.program = environment.srun;
        command.arguments = QStringList{QStringLiteral("--ntasks"), QString::number(settings.ranks),
                                        QStringLiteral("--kill-on-bad-exit=1"), environment.runner} +
                            arguments;
    } else {
        command.program = environment.mpirun;
        command.arguments = mpirunArguments(settings, environment) + QStringList{environment.runner} + arguments;
    }
    return command;
}

}  // namespace overlap::ui
