#include <QAction>
#include <QComboBox>
#include <QCoreApplication>
#include <QFile>
#include <QTabBar>
#include <QTest>
#include <QToolButton>

#include "tests/ui/shell/ended_run.h"
#include "tests/ui/ui_test_support.h"
#include "ui/cost/calibration_dialog.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/frame/variant_bar.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/compared_sides.h"
#include "ui/measure/comparison_model.h"
#include "ui/measure/measurements.h"
#include "ui/run/run_nodes_view.h"
#include "ui/run/run_panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/times_controller.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

/// A run on devices in the whole window. The runner beside this program is a script: it has the real one make a dry
/// run, and tells its result as that of a device, on which everything took as long as was predicted but the step.
class RunWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QFile script(QCoreApplication::applicationDirPath() + QStringLiteral("/overlap-runner"));
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write(R"sh(#!/bin/sh
if [ "$1" = --devices ]; then
    echo '{"format": "overlap-devices", "version": 1, "devices": [{"index": 0, "name": "Test GPU",' \
        '"memory_bytes": 1099511627776}], "libraries": {"nccl": "2.28.9"}, "mpi": ""}'
    exit 0
fi
")sh" OVERLAP_RUNNER R"sh(" --dry-run "$@" || exit
while [ $# -gt 0 ]; do case "$1" in -o) result=$2;; esac; shift; done
sed -i 's/"mode":"dry_run"/"mode":"gpu"/; s/}$/,"device":"Test GPU","step_ms":{"median":7,"minimum":6,"maximum":8},"recorded":{"steps":1,"median_step_ms":7,"exposed_ms":1},"peak_memory_bytes":2097152,"nodes":[{"name":"mm","median_ms":9,"minimum_ms":9,"maximum_ms":9},{"name":"mm_1","median_ms":0.5,"minimum_ms":0.5,"maximum_ms":0.5},{"name":"mm_2","median_ms":0.5,"minimum_ms":0.5,"maximum_ms":0.5}]}/' "$result"
)sh");
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    }

    void whatARunMeasuredLiesOverThePlan() {
        QTemporaryDir folder;
        MainWindow window(folder.filePath("session"));
        window.resize(1400, 900);
        window.show();
        window.openFiles({smallGraphFile()});
        QVERIFY(waitUntilRunEnds(window));
        BucketCommands(window.document()).addText(QStringLiteral("layers.[0-5]"));
        QVERIFY(waitUntilRunEnds(window));
        window.actions().find("run.show")->trigger();
        QVERIFY(QTest::qWaitFor([&] { return window.workspace().run().environment().known; }, 20'000));
        QAction* start = window.actions().find("run.start");
        QVERIFY2(start->isEnabled(), qPrintable(start->toolTip()));
        start->trigger();
        QVERIFY(window.workspace().run().busy());
        window.document().setCurrentIndex(0);  // while it runs, another plan is looked at
        QVERIFY(waitUntilRunEnds(window));
        QVERIFY2(window.workspace().run().statusText().contains("a step takes 7"),
                 qPrintable(window.workspace().run().statusText()));

        // The measurement is shown, and its file stays beside the session.
        QCOMPARE(window.times().measurements().count(), 1);
        QVERIFY(window.times().measurements().at(0)->files.front().startsWith(folder.path()));
        QCOMPARE(window.workspace().variants().tabs()->currentIndex(), 2);

        // Each collective of the plan is found in it, by its node's name, and took as long as the plan says.
        window.actions().find("view.go.compare")->trigger();
        QVERIFY(waitUntilRunEnds(window));
        QCOMPARE(window.workspace().compare().sides().after()->currentText(),
                 window.workspace().variants().tabs()->tabText(2));
        QCOMPARE(window.workspace().compare().sides().before()->currentText(), window.document().variant(1).title());
        const ComparisonModel& rows = *window.workspace().compare().model();
        QVERIFY(rows.rowCount() > 0);
        for (int row = 0; row < rows.rowCount(); ++row) {
            const QString change = rows.index(row, ComparisonModel::change_column).data().toString();
            QVERIFY2(change != "appeared" && change != "vanished", qPrintable(change));
        }
        QVERIFY2(window.workspace().compare().sums().contains("no collective differs"),
                 qPrintable(window.workspace().compare().sums()));

        // Nodes, the one that is furthest off first; a click selects it.
        RunNodesView& nodes = window.workspace().run().nodes();
        QCOMPARE(nodes.model()->rowCount(), 3);
        QCOMPARE(nodes.model()->index(0, RunNodesModel::name_column).data().toString(), "mm");
        QCOMPARE(nodes.model()->index(0, RunNodesModel::class_column).data().toString(), "matrix multiply");
        QVERIFY(nodes.model()->index(0, RunNodesModel::measured_column).data().toString().startsWith("9"));
        emit nodes.clicked(nodes.model()->index(0, 0));
        QCOMPARE(window.document().selection().node(), "mm");
        QVERIFY2(window.workspace().run().resultText().contains("matrix multiply"),
                 qPrintable(window.workspace().run().resultText()));

        // The cost model is fitted to the result, which knows times of nodes; the trace alone knows none of compute.
        window.workspace().run().calibrateAction()->trigger();
        QVERIFY(waitUntilRunEnds(window));
        const auto* dialog = window.findChild<CalibrationDialog*>();
        QVERIFY2(dialog, qPrintable(window.workspace().notice().text()));
        const std::vector<CalibrationRow>& fits = dialog->calibration().rows;
        const auto fitted = std::ranges::find(fits, "matrix_multiply", &CalibrationRow::name);
        QVERIFY(fitted != fits.end());
        QCOMPARE(fitted->samples, 3u);

        // It says which plan was run, and goes with its graph.
        const QString ran = window.document().variant(1).title() + QStringLiteral(" of ") + window.document().name();
        QVERIFY(window.workspace().run().resultText().startsWith(ran));
        QVERIFY(window.workspace().run().statusText().startsWith(ran));
        window.openFiles({QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8_aot_fw.graph.json.gz")});
        QVERIFY(waitUntilRunEnds(window));
        QVERIFY(!window.workspace().run().resultText().contains("matrix multiply"));
        QCOMPARE(window.workspace().run().nodes().model()->rowCount(), 0);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::RunWindowTest)
#include "run_window_test.moc"
