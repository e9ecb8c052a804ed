#include <QAction>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSpinBox>
#include <QTest>
#include <cmath>

#include "tests/ui/shell/ended_run.h"
#include "tests/ui/ui_test_support.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/measure/measurements.h"
#include "ui/run/run_form.h"
#include "ui/run/run_nodes_view.h"
#include "ui/run/run_panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/times_controller.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

/// The tab Run on the virtual device (docs/virtual_device.md): the window starts the real runner, whose module finds
/// the libraries that stand in for CUDA's.
class VirtualRunWindowTest : public QObject {
    Q_OBJECT

    /// The sample, its tab Run, and what the runner has found there.
    void open(MainWindow& window) {
        window.resize(1400, 900);
        window.show();
        window.openFiles({smallGraphFile()});
        QVERIFY(waitUntilRunEnds(window));
        window.actions().find("run.show")->trigger();
        QVERIFY(QTest::qWaitFor([&] { return window.workspace().run().environment().known; }, 20'000));
        const QAction* start = window.actions().find("run.start");
        QVERIFY2(start->isEnabled(), qPrintable(start->toolTip()));
    }

    QTemporaryDir folder_;

  private slots:
    void initTestCase() {
        qputenv("OMPI_ALLOW_RUN_AS_ROOT", "1");
        qputenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        QFile script(QCoreApplication::applicationDirPath() + QStringLiteral("/overlap-runner"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(QStringLiteral("#!/bin/sh\n"
                                    "export LD_LIBRARY_PATH=" VIRTUAL_LIBRARIES "\n"
                                    "export OVERLAP_VIRTUAL_DEVICE=\"devices=2 compute_scale=1.25 report=%1/report\"\n"
                                    "exec " OVERLAP_RUNNER " \"$@\"\n")
                         .arg(folder_.path())
                         .toUtf8());
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    void aRunOfTwoRanksIsMeasuredAndGivesThePlanItsTimes() {
        MainWindow window(folder_.filePath("session"));
        open(window);
        RunPanel& panel = window.workspace().run();
        panel.form().ranks().setValue(2);
        window.actions().find("run.start")->trigger();
        QVERIFY(panel.busy());
        QVERIFY(waitUntilRunEnds(window));
        const QRegularExpressionMatch told =
            QRegularExpression(QStringLiteral("a step takes ([0-9.]+)")).match(panel.statusText());
        QVERIFY2(told.hasMatch(), qPrintable(panel.statusText()));
        const double measured_ms = told.captured(1).toDouble();
        QVERIFY(panel.nodes().model()->rowCount() > 700);

        QCOMPARE(window.times().measurements().count(), 1);
        QCOMPARE(window.times().measurements().at(0)->files.size(), 2);  // a timeline of each rank
        QVERIFY(panel.calibrateAction()->isEnabled());

        // The plan takes as long as it took on a device whose kernels are slower than the model says.
        const double predicted_ms = window.document().baseline().simulation.step_ms;
        QVERIFY(std::abs(predicted_ms - 12.586) < 0.001);
        window.actions().find("plan.traceTimes")->trigger();
        QVERIFY(waitUntilRunEnds(window));
        QVERIFY2(window.document().times(), qPrintable(window.workspace().notice().text()));
        const double taken_over_ms = window.document().baseline().simulation.step_ms;
        QVERIFY2(std::abs(taken_over_ms - measured_ms) < 0.01, qPrintable(QString::number(taken_over_ms)));
        QVERIFY(taken_over_ms > 1.15 * predicted_ms);

        QVERIFY2(QDir(folder_.path()).entryList({QStringLiteral("report-*")}).isEmpty(),
                 "the device has something to say");
    }

    void aRunIsCancelled() {
        MainWindow window(folder_.filePath("other-session"));
        open(window);
        RunPanel& panel = window.workspace().run();
        RunSettings endless = panel.form().settings();
        endless.ranks = 2;
        endless.iterations = 1'000'000;
        panel.form().setSettings(endless);
        window.actions().find("run.start")->trigger();
        QVERIFY(QTest::qWaitFor([&] { return panel.runner().process().running(); }, 20'000));
        window.actions().find("run.cancel")->trigger();
        QVERIFY(waitUntilRunEnds(window));
        QVERIFY2(panel.statusText().contains("cancelled"), qPrintable(panel.statusText()));
        QCOMPARE(window.times().measurements().count(), 0);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::VirtualRunWindowTest)
#include "virtual_run_window_test.moc"
