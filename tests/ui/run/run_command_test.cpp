#include "ui/run/run_command.h"

#include <QTemporaryDir>
#include <QTest>

#include "ui/run/run_environment.h"
#include "ui/run/run_settings.h"

namespace overlap::ui {

namespace {

using Where = RunSettings::Where;

/// What a machine with everything would tell.
RunEnvironment everything() {
    RunEnvironment environment;
    environment.known = true;
    environment.runner = QStringLiteral("/opt/overlap-runner");
    environment.devices = {QStringLiteral("H200"), QStringLiteral("H200")};
    environment.knows_devices = true;
    environment.mpi = QStringLiteral("Open MPI v4.1.4");
    environment.mpirun = QStringLiteral("/usr/bin/mpirun");
    environment.srun = QStringLiteral("/usr/bin/srun");
    return environment;
}

}  // namespace

/// How a run is started: settings, the command that they make, and why they cannot be.
class RunCommandTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

  private slots:
    void settingsComeBackAndImpossibleOnesDoNot() {
        RunSettings settings;
        settings.where = Where::hosts;
        settings.ranks = 7;
        settings.hosts = QStringLiteral("a:4, b");
        settings.folder = QStringLiteral("/shared");
        settings.warm_up = 0;
        settings.iterations = 99;
        settings.cuda_graph = true;
        settings.recorded_steps = 0;
        settings.as_compiled = false;
        QCOMPARE(runSettings(toJson(settings)), settings);
        QCOMPARE(runSettings({{"ranks", 0}, {"iterations", -3}, {"where", "moon"}, {"warm_up", "x"}}), RunSettings());
    }

    void oneRankNeedsNoStarter() {
        const RunCommand command =
            runCommand({}, everything(), RunMode::dry_check, {"/t/g.json", "/t/p.json", "/t/r.json", "/t/t.json"});
        QCOMPARE(command.program, QStringLiteral("/opt/overlap-runner"));
        QCOMPARE(command.arguments.join(u' '),
                 QStringLiteral("--dry-run /t/g.json -o /t/r.json --pipeline /t/p.json --iterations 20 --warm-up 3"));
    }

    void whatTheJobCompilesIsPassedOn() {
        const RunCommand command =
            runCommand({}, everything(), RunMode::dry_check, {"g", {}, "r", "t"}, CompiledScope::blocks);
        QCOMPARE(command.arguments.join(u' '),
                 QStringLiteral("--dry-run g -o r --compiled blocks --iterations 20 --warm-up 3"));
    }

    void ranksAreStartedByMpirunOnThisMachineAndOnHosts() {
        RunSettings settings;
        settings.ranks = 2;
        settings.cuda_graph = true;
        const RunFiles files{"g", {}, "r", "t"};
        QCOMPARE(runCommand(settings, everything(), RunMode::devices, files).arguments.join(u' '),
                 QStringLiteral("--oversubscribe -n 2 /opt/overlap-runner g -o r --iterations 20 --warm-up 3 --trace t "
                                "--recorded 5 --cuda-graph"));
        settings.where = Where::hosts;
        settings.hosts = QStringLiteral("node1:8,  node2");
        const QStringList arguments = runCommand(settings, everything(), RunMode::dry_check, files).arguments;
        QCOMPARE(arguments.mid(0, 5).join(u' '), QStringLiteral("--host node1:8,node2 --oversubscribe -n 2"));
        settings.where = Where::slurm;
        const RunCommand by_slurm = runCommand(settings, everything(), RunMode::dry_check, files);
        QCOMPARE(by_slurm.program, QStringLiteral("/usr/bin/srun"));
        QCOMPARE(by_slurm.arguments.mid(0, 4).join(u' '),
                 QStringLiteral("--ntasks 2 --kill-on-bad-exit=1 /opt/overlap-runner"));
    }

    void whatCannotBeIsToldBeforeItIsTried() {
        const auto refusal = [](auto change, RunMode mode) {
            RunSettings settings;
            settings.ranks = 2;
            RunEnvironment environment = everything();
            change(settings, environment);
            return runRefusal(settings, environment, mode);
        };
        using S = RunSettings;
        using E = RunEnvironment;
        const auto dry = RunMode::dry_check;
        QCOMPARE(refusal([](S&, E&) {}, RunMode::devices), QString());
        QVERIFY(refusal([](S&, E& e) { e.known = false; }, dry).contains(u"not answered"));
        QVERIFY(
            refusal([](S&, E& e) { e.problem = "overlap-runner is not installed"; }, dry).contains(u"not installed"));
        QVERIFY(refusal([](S&, E& e) { e.mpi.clear(); }, dry).contains(u"finds no MPI"));
        QVERIFY(refusal([](S&, E& e) { e.mpirun.clear(); }, dry).contains(u"mpirun is not installed"));
        QVERIFY(refusal([](S&, E& e) { e.refuses_root = true; }, dry).contains(u"OMPI_ALLOW_RUN_AS_ROOT=1"));
        QCOMPARE(refusal(
                     [](S& s, E& e) {
                         s.ranks = 1;
                         e.refuses_root = true;
                         e.mpirun.clear();
                     },
                     dry),
                 QString());
        const auto on_hosts = [&](const QString& hosts, const QString& shared) {
            return refusal(
                [&](S& s, E&) {
                    s.where = Where::hosts;
                    s.hosts = hosts;
                    s.folder = shared;
                },
                dry);
        };
        QCOMPARE(on_hosts("a, b:2", folder_.path()), QString());
        QVERIFY(on_hosts("", folder_.path()).contains(u"Name the hosts"));
        QVERIFY(on_hosts("a --mca plm x", folder_.path()).contains(u"\"--mca\" is no name of a host"));
        QVERIFY(on_hosts("/no/such/file", folder_.path()).contains(u"no host file /no/such/file"));
        QVERIFY(on_hosts("a", "/no/such/folder").contains(u"folder that all machines see"));
        QVERIFY(refusal(
                    [](S& s, E& e) {
                        s.where = Where::slurm;
                        e.srun.clear();
                    },
                    dry)
                    .contains(u"srun is not"));
        QVERIFY(refusal([](S& s, E&) { s.ranks = 3; }, RunMode::devices).contains(u"2 GPUs"));
        QVERIFY(refusal(
                    [](S&, E& e) {
                        e.devices.clear();
                        e.no_device = "no driver";
                    },
                    RunMode::devices)
                    .contains(u"no driver"));
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::RunCommandTest)
#include "run_command_test.moc"
