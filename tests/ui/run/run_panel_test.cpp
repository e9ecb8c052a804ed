#include "ui/run/run_panel.h"

#include <signal.h>

#include <QAction>
#include <QFile>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTextDocumentFragment>

#include "core/cost/cost_model.h"
#include "tests/ui/ui_test_support.h"
#include "ui/run/run_form.h"
#include "ui/run/run_report.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

namespace {

constexpr auto deviceAnswer =
    R"({"format": "overlap-devices", "version": 1, "devices": [{"index": 0, "name": "Test GPU",
"memory_bytes": 1073741824}], "libraries": {"nccl": "2.28.3"}, "mpi": "Open MPI v4.1.4"})";

}  // namespace

class RunPanelTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    /// A program that answers for overlap-runner: `devices` to --devices, and otherwise does what `body` says.
    /// `$OUT`, `$TRACE` and `$GRAPH` are the files that it is given, `$COMPILED` what the job compiles.
    QString fakeRunner(const QString& body, const QString& devices = QString::fromLatin1(deviceAnswer)) {
        static int number = 0;
        const QString path = folder_.filePath(QStringLiteral("runner%1").arg(++number));
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) qFatal("no script");
        file.write(QStringLiteral("#!/bin/sh\nif [ \"$1\" = --devices ]; then\ncat <<'END'\n%1\nEND\nexit 0\nfi\n"
                                  "while [ $# -gt 0 ]; do case \"$1\" in -o) OUT=$2;; --trace) TRACE=$2;; --compiled) "
                                  "COMPILED=$2;; *.graph.json) "
                                  "GRAPH=$1;; esac; shift; done\n%2\n")
                       .arg(devices, body)
                       .toUtf8());
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }

    struct Window {
        std::unique_ptr<Document> document = openDocument();
        RunPanel panel;

        explicit Window(const QString& runner, const QString& keep = {}) : panel(*document, runner) {
            panel.runner().keepResultsIn(keep);
            panel.resize(1200, 300);
            panel.show();
        }
        bool ready() {
            return QTest::qWaitFor([&] { return panel.environment().known; }, 20'000) && waitForEvaluation(*document);
        }
        bool waitForEnd() {
            return QTest::qWaitFor([&] { return !panel.busy(); }, 60'000);
        }
    };

    static RunSettings endlessRun() {
        RunSettings endless;
        endless.ranks = 4;
        endless.iterations = RunSettings::most_steps;
        return endless;
    }

  private slots:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        // Tests in containers are root.
        qputenv("OMPI_ALLOW_RUN_AS_ROOT", "1");
        qputenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }

    void aDryCheckOfOneRankShowsMemoryAndGroups() {
        Window window(OVERLAP_RUNNER);
        QVERIFY(window.ready());
        QVERIFY2(window.panel.dryAction()->isEnabled(), qPrintable(window.panel.statusText()));
        window.panel.dryAction()->trigger();
        QVERIFY(window.panel.busy());
        QVERIFY(!window.panel.dryAction()->isEnabled());
        QVERIFY(window.waitForEnd());
        const QString result = window.panel.resultText();
        QVERIFY2(result.contains(u"1 rank on"), qPrintable(result));
        QVERIFY2(result.contains(u"emulated"), qPrintable(result));
        QVERIFY2(result.contains(u"it has 8 ranks, and 1 is attached"), qPrintable(result));
        QVERIFY(result.contains(u"Memory plan"));
        QVERIFY(!window.panel.calibrateAction()->isEnabled());
        QVERIFY(window.panel.runner().folder().isEmpty());
    }

    // MPI is among the packages that every script installs: without it these fail.
    void fourRanksAgree() {
        Window window(OVERLAP_RUNNER);
        QVERIFY(window.ready());
        window.panel.form().ranks().setValue(4);
        window.panel.dryAction()->trigger();
        QVERIFY(window.waitForEnd());
        const QString result = window.panel.resultText();
        QVERIFY2(result.contains(u"4 ranks on"), qPrintable(result + window.panel.logText()));
        QVERIFY2(result.contains(u"all ranks issue the same"), qPrintable(result));
    }

    void cancellingEndsEveryRank() {
        Window window(OVERLAP_RUNNER);
        QVERIFY(window.ready());
        window.panel.form().setSettings(endlessRun());
        QSignalSpy progress(&window.panel.runner(), &Runner::progressed);
        window.panel.dryAction()->trigger();
        QVERIFY(QTest::qWaitFor([&] { return progress.count() > 0; }, 60'000));
        const qint64 session = window.panel.runner().process().processId();
        QVERIFY(processesOfSession(session).size() >= 5);  // mpirun and its ranks
        QVERIFY(window.panel.cancelAction()->isEnabled());
        window.panel.cancelAction()->trigger();
        QCOMPARE(window.panel.statusText(), QStringLiteral("Ending all ranks…"));
        QVERIFY(window.waitForEnd());
        QVERIFY(QTest::qWaitFor([&] { return processesOfSession(session).isEmpty(); }, 5'000));
        QVERIFY(window.panel.statusText().contains(u"cancelled"));
    }

    void closingTheWindowEndsEveryRank() {
        qint64 session = 0;
        {
            Window window(OVERLAP_RUNNER);
            QVERIFY(window.ready());
            window.panel.form().setSettings(endlessRun());
            QSignalSpy progress(&window.panel.runner(), &Runner::progressed);
            window.panel.dryAction()->trigger();
            QVERIFY(QTest::qWaitFor([&] { return progress.count() > 0; }, 60'000));
            session = window.panel.runner().process().processId();
            QVERIFY(session > 0);
        }
        QVERIFY(QTest::qWaitFor([&] { return processesOfSession(session).isEmpty(); }, 5'000));
    }

    void whatDoesNotEndWhenAskedIsKilledWithItsChildren() {
        // The child leaves the group of its parent, as ranks of mpirun do.
        Window window(fakeRunner("trap '' TERM\nset -m\nsleep 300 &\necho begun >&2\nwait\nwhile :; do sleep 1; done"));
        QVERIFY(window.ready());
        window.panel.dryAction()->trigger();
        QVERIFY(QTest::qWaitFor([&] { return window.panel.logText().contains(u"begun"); }, 20'000));
        const qint64 session = window.panel.runner().process().processId();
        QVERIFY(processesOfSession(session).size() >= 2);
        window.panel.cancelAction()->trigger();
        QVERIFY(window.waitForEnd());
        QVERIFY(QTest::qWaitFor([&] { return processesOfSession(session).isEmpty(); }, 5'000));
    }

    void aRunOnDevicesLeavesItsTraceAndOffersCalibration() {
        const QString keep = folder_.filePath(QStringLiteral("kept"));
        const std::string digest = fingerprint(*openDocument()->graph()).digest;
        const QString result =
            QStringLiteral(R"({"format": "overlap-run", "version": 1, "mode": "gpu", "graph": {"digest": "%1"}, "ranks":
[{"rank": 0, "machine": "node"}], "groups": [], "commands": {"all": 3}, "memory": {"pool_bytes": 1048576},
"order_digest": "abc", "predicted": {"step_ms": 10, "exposed_ms": 4}, "iterations": 20, "device": "Test GPU", "step_ms":
{"median": 12, "minimum": 11, "maximum": 13}, "recorded": {"exposed_ms": 5}, "peak_memory_bytes": 2097152,
"libraries": {}, "nodes": []})")
                .arg(QString::fromStdString(digest));
        Window window(
            fakeRunner(QStringLiteral("echo step 1 of 1 >&2\nstat -c %a \"$(dirname \"$OUT\")\" >&2\ncat "
                                      "> \"$OUT\" <<'END'\n%1\nEND\necho '{\"traceEvents\": []}' > \"$TRACE\"\n"
                                      "cp \"$TRACE\" \"${TRACE%.json}.rank1.json\"")
                           .arg(result)),
            keep);
        QVERIFY(window.ready());
        window.document->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*window.document));
        QVERIFY2(window.panel.runAction()->isEnabled(), qPrintable(window.panel.runAction()->toolTip()));
        QSignalSpy measured(&window.panel, &RunPanel::measured);
        window.panel.runAction()->trigger();
        QVERIFY(window.waitForEnd());
        QCOMPARE(window.panel.logText(), QStringLiteral("700"));  // others cannot read what is handed over
        QVERIFY2(window.panel.statusText().contains(u"a step takes 12"), qPrintable(window.panel.statusText()));
        QVERIFY(window.panel.resultText().contains(u"+20"));  // percent more than predicted
        QCOMPARE(measured.count(), 1);
        QCOMPARE(measured.front().front().toULongLong(), window.document->current()->key());
        const QStringList traces = measured.front().at(1).toStringList();
        QCOMPARE(traces.size(), 2);  // of both ranks
        for (const QString& file : traces + QStringList{measured.front().at(2).toString()}) {
            QVERIFY(file.startsWith(keep));
            QVERIFY(QFile::exists(file));
        }
        QVERIFY(window.panel.calibrateAction()->isEnabled());
    }

    void nodesOfACompiledJobAreComparedAsTheRunnerStartsThem() {
        const auto graph = openDocument()->graph();
        const std::vector<double> traced_ms = node_times_ms(*graph);
        const auto blocks = modelled_source(false, Compilation{.scope = CompiledScope::blocks});
        const std::vector<double> compiled_ms = sourced_times(*graph, blocks.get()).times_ms;
        NodeId fused = 0;  // a part of a kernel
        while (graph->target(fused) != "aten.mul.Tensor" || compiled_ms[fused] == traced_ms[fused]) ++fused;
        const QString result =
            QStringLiteral(R"({"format": "overlap-run", "version": 1, "mode": "gpu", "graph": {"digest": "%1"}, "ranks":
[{"rank": 0, "machine": "node"}], "predicted": {"step_ms": 10, "exposed_ms": 4}, "iterations": 20, "device": "Test GPU",
"step_ms": {"median": 12, "minimum": 11, "maximum": 13}, "recorded": {"exposed_ms": 5},
"nodes": [{"name": "%2", "median_ms": %3}]})")
                .arg(QString::fromStdString(fingerprint(*graph).digest),
                     QString::fromStdString(std::string(graph->name(fused))))
                .arg(traced_ms[fused]);
        // It is asked for the blocks' kernels, and says that it has launched others.
        Window window(
            fakeRunner(QStringLiteral("echo asked for $COMPILED >&2\ncat > \"$OUT\" <<'END'\n%1\nEND").arg(result)),
            folder_.filePath(QStringLiteral("kept")));
        QVERIFY(window.ready());
        auto times = std::make_shared<MeasuredTimes>();
        times->source = blocks;
        times->baseline = evaluate_baseline(window.document->graph(), {}, times->source);
        times->module_figures = std::make_shared<const ModuleFiguresTable>(
            module_figures(*window.document->graph(), *window.document->loaded().modules, times->baseline->times_ms));
        window.document->setTimes(times);
        window.document->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*window.document));
        QSignalSpy measured(&window.panel.runner(), &Runner::finished);
        window.panel.runAction()->trigger();
        QVERIFY(window.waitForEnd());
        QCOMPARE(measured.count(), 1);
        const auto outcome = measured.front().front().value<RunOutcome>();
        QVERIFY2(outcome.nodes, qPrintable(outcome.failure));
        QCOMPARE(outcome.nodes->differences.nodes.front().predicted_ms, traced_ms[fused]);
        QVERIFY(window.panel.resultText().contains(u"operators that start one by one"));
        QCOMPARE(window.panel.logText(), QStringLiteral("asked for blocks"));
    }

    void whatARunIsPredictedForIsSaid() {
        RunResult result;
        result.dry = false;
        QVERIFY(!runReport(result).contains(u"Predicted for"));
        const QString compiled = runReport(result, {}, {.compiled = CompiledScope::blocks});
        QVERIFY2(compiled.contains(u"operators that start one by one"), qPrintable(compiled));
        QVERIFY2(compiled.contains(u"compiles its transformer blocks"), qPrintable(compiled));
        result.compiled = CompiledScope::blocks;
        QVERIFY(!runReport(result, {}, {.compiled = CompiledScope::blocks}).contains(u"Predicted for"));
    }

    void aDryCheckSaysWhyTheRunnerPredictsAnotherStep() {
        RunResult result;
        result.predicted_step_ms = 3250;
        result.predicted_exposed_ms = 20;
        const auto sentences = [&](const ShownStep& shown) {
            return QTextDocumentFragment::fromHtml(runReport(result, {}, shown)).toPlainText().simplified();
        };
        const QString compiled = sentences({2439, 20, CompiledScope::blocks});
        const QString shown =
            (formatTime(2439) + QStringLiteral(" predicted, as in the window; ") + formatTime(3250)).simplified();
        QVERIFY2(compiled.contains(shown), qPrintable(compiled));
        QVERIFY2(compiled.contains(u"each operator by itself, where the job compiles its transformer blocks"),
                 qPrintable(compiled));
        QVERIFY2(compiled.contains(formatTime(20).simplified() + QStringLiteral(" predicted; a dry")),
                 qPrintable(compiled));
        QVERIFY(sentences({2439, 20}).contains(u"the graph's own times, where the window has others"));
        QVERIFY(!sentences({3250, 20}).contains(u"as in the window"));
        // Other views have figures of links that are shared.
        const ShownStep separate{.step_ms = 3250, .exposed_ms = 20, .separate_links = true};
        QVERIFY(sentences(separate).contains(u"predicted, with a link of its own for each process group"));
        QVERIFY(!compiled.contains(u"a link of its own"));
    }

    void withoutRecordedKernelsThereIsNoTimeline() {
        const QString keep = folder_.filePath(QStringLiteral("kept"));
        const std::string digest = fingerprint(*openDocument()->graph()).digest;
        const QString result =
            QStringLiteral(R"({"format": "overlap-run", "version": 1, "mode": "gpu", "graph": {"digest":
"%1"}, "ranks": [{"rank": 0, "machine": "node"}], "predicted": {"step_ms": 10, "exposed_ms": 4}, "iterations": 20,
"device": "Test GPU", "step_ms": {"median": 12, "minimum": 11, "maximum": 13}})")
                .arg(QString::fromStdString(digest));
        Window window(fakeRunner(QStringLiteral("cat > \"$OUT\" <<'END'\n%1\nEND").arg(result)), keep);
        QVERIFY(window.ready());
        window.document->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*window.document));
        QSignalSpy measured(&window.panel, &RunPanel::measured), told(&window.panel, &RunPanel::told);
        window.panel.runAction()->trigger();
        QVERIFY(window.waitForEnd());
        QVERIFY2(window.panel.statusText().contains(u"a step takes 12"), qPrintable(window.panel.statusText()));
        QVERIFY2(window.panel.resultText().contains(u"not measured"), qPrintable(window.panel.resultText()));
        QCOMPARE(measured.count(), 0);
        QVERIFY(told.back().front().toString().contains(u"there is no timeline"));
        QVERIFY(!window.panel.calibrateAction()->isEnabled());
    }

    void anotherGraphThanIsShownIsNoResult() {
        Window window(fakeRunner(
            R"(echo '{"format": "overlap-run", "mode": "dry_run", "graph": {"digest": "0000000000000000"}}' > "$OUT")"));
        QVERIFY(window.ready());
        window.panel.dryAction()->trigger();
        QVERIFY(window.waitForEnd());
        QVERIFY2(window.panel.statusText().contains(u"another graph"), qPrintable(window.panel.statusText()));
    }

    void failuresAreSentences_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("sentence");
        QTest::newRow("its own words") << "echo noise >&2; echo 'overlap-runner: rank 2: it is too large' >&2; exit 1"
                                       << "rank 2: it is too large";
        QTest::newRow("a killed rank")
            << "echo 'mpirun noticed that process rank 2 with PID 0 on node x exited on signal 9 (Killed).'; exit 137"
            << "rank 2 was ended by signal 9";
        QTest::newRow("starter") << "echo -----; echo 'There are not enough slots'; exit 1"
                                 << "the run ended with status 1: There are not enough slots";
        QTest::newRow("killed") << "kill -9 $$"
                                << "the run was killed";
        QTest::newRow("no result") << "true"
                                   << "overlap-runner ended without a result that can be read";
        QTest::newRow("no JSON") << "echo '{' > \"$OUT\""
                                 << "overlap-runner ended without a result that can be read";
    }

    void failuresAreSentences() {
        QFETCH(QString, body);
        QFETCH(QString, sentence);
        Window window(fakeRunner(body));
        QVERIFY(window.ready());
        QSignalSpy failed(&window.panel, &RunPanel::failed);
        window.panel.dryAction()->trigger();
        QVERIFY(window.waitForEnd());
        QCOMPARE(window.panel.statusText(), sentence);
        QCOMPARE(failed.count(), 1);
        QVERIFY(window.panel.dryAction()->isEnabled());
    }

    void withoutARunnerOrADeviceThePanelSaysSo() {
        Window missing(folder_.filePath("overlap-runner"));
        QVERIFY(missing.ready());
        QCOMPARE(missing.panel.statusText(),
                 QStringLiteral("overlap-runner is not installed. The simulation needs no runner"));
        QVERIFY(!missing.panel.dryAction()->isEnabled());
        Window other(fakeRunner("true", QStringLiteral("hello")));
        QVERIFY(other.ready());
        QVERIFY(other.panel.statusText().contains(u"another version"));
        Window broken(
            fakeRunner("true", QStringLiteral("END\necho 'overlap-runner: error while loading shared libraries: "
                                              "libnccl.so.2: cannot open shared object file' >&2\nexit 127\n"
                                              "cat <<'END'")));
        QVERIFY(broken.ready());
        QVERIFY2(broken.panel.statusText().contains(u"libnccl.so.2: cannot open"),
                 qPrintable(broken.panel.statusText()));
        QVERIFY(!broken.panel.dryAction()->isEnabled());
        Window bare(fakeRunner(
            "true", QStringLiteral(R"({"format": "overlap-devices", "devices": [], "reason": "no driver is installed on
this machine", "libraries": {"nccl": "2"}, "mpi": ""})")
                        .replace(u'\n', u' ')));
        QVERIFY(bare.ready());
        QCOMPARE(bare.panel.statusText(),
                 QStringLiteral("No GPU here: no driver is installed on this machine. A dry check and the simulation "
                                "need none"));
        QVERIFY(bare.panel.dryAction()->isEnabled());
        QVERIFY(!bare.panel.runAction()->isEnabled());
        QVERIFY(bare.panel.runAction()->toolTip().contains(u"no driver is installed"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::RunPanelTest)
#include "run_panel_test.moc"
