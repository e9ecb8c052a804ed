#include <QAction>
#include <QDialog>
#include <QFile>
#include <QListWidget>

#include "core/cost/built_in_cost_models.h"
#include "core/graph/editing/graph_editor.h"
#include "core/io/cost_model/cost_model_file.h"
#include "core/io/graph_file.h"
#include "tests/measure/simulated_trace.h"
#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/actions/cost_actions.h"
#include "ui/cost/calibration_dialog.h"
#include "ui/cost/cost_model_dialog.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/frame/actions.h"
#include "ui/frame/figures_bar.h"
#include "ui/graph/graph_view.h"
#include "ui/measure/measurements.h"
#include "ui/measure/trace_times.h"
#include "ui/mesh/mesh_connection.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/times_controller.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// Cost models, contention and calibration in the whole window.
class CostModelWindowTest : public QObject {
    Q_OBJECT

    const QString contended_ = QStringLiteral(OVERLAP_TEST_DATA "/cost_models/everything.cost.json");

    /// The small graph as an import gives it: without times and without a cost model.
    static QString writeWithoutTimes(const QTemporaryDir& folder) {
        GraphEditor editor(read_graph_file(smallGraphFile().toStdString()));
        for (NodeId node = 0; node < editor.source_count(); ++node) editor.set_estimate(node, std::nullopt);
        GraphHeader header = editor.source().header();
        header.cost.reset();
        editor.set_header(std::move(header));
        std::vector<NodeId> origin;
        const QString path = folder.filePath(QStringLiteral("untimed.graph.json"));
        write_graph_file(*editor.finish(origin), path.toStdString());
        return path;
    }

    static std::optional<std::size_t> placeOf(const ProblemsModel& problems, ProblemKind kind) {
        for (std::size_t place = 0; place < problems.problems().size(); ++place)
            if (problems.problems()[place].kind == kind) return place;
        return std::nullopt;
    }

  private slots:
    void aGraphWithoutTimesIsPlannedAndOffersACostModel() {
        QTemporaryDir folder;
        MainWindow window(folder.filePath("session"));
        window.show();
        window.openFiles({writeWithoutTimes(folder)});
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.document().evaluation()->refused);
        QCOMPARE(figuresOf(window.document()).front().value, QStringLiteral("no times"));
        QVERIFY(saysInLabel(window, QStringLiteral("no times: choose a cost model")));
        ProblemsModel* problems = window.findChild<ProblemsPanel*>()->problems();
        const auto place = placeOf(*problems, ProblemKind::no_times);
        QVERIFY(place);
        QVERIFY(problems->applyFix(*place));
        auto* dialog = window.findChild<CostModelDialog*>();
        QVERIFY(dialog);
        dialog->list().setCurrentRow(2);
        dialog->accept();
        QVERIFY(QTest::qWaitFor([&] { return window.document().baseline().times_known; }, 30'000));
        QVERIFY(waitUntilIdle(window));
        QVERIFY(figuresOf(window.document()).front().value != QStringLiteral("no times"));
        QVERIFY(figuresOf(window.document()).front().label.contains(QStringLiteral("h100-sxm")));
        QVERIFY(saysInLabel(window, QStringLiteral("estimated with h100-sxm")));
    }

    void whatTheDeviceHoldsIsALineInTheMemoryCurve() {
        MainWindow window;
        open(window, {smallGraphFile()});
        auto* timeline = window.findChild<TimelineView*>();
        QCOMPARE(timeline->memoryLimit(), 0);
        window.times().cost().model().use(QStringLiteral("h100-sxm"));
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(timeline->memoryLimit(), 80'000'000'000);
    }

    void modelAndContentionComeBackWithTheSession() {
        QTemporaryDir folder;
        double contended_ms = 0;
        {
            MainWindow window(folder.filePath("session"));
            open(window, {smallGraphFile()});
            QAction* contention = window.actions().find(QStringLiteral("plan.contention"));
            QVERIFY(!contention->isEnabled());
            window.times().cost().model().use(contended_);
            QVERIFY(waitUntilIdle(window));
            QVERIFY(contention->isEnabled());
            QVERIFY(!contention->isChecked());
            contention->trigger();
            QVERIFY(waitUntilIdle(window));
            QVERIFY(contention->isChecked());
            QVERIFY(window.document().evaluation()->contention);
            QVERIFY(figuresOf(window.document()).front().label.contains(QStringLiteral("contention")));
            QVERIFY(saysInLabel(window, QStringLiteral("with contention")));
            contended_ms = window.document().evaluation()->simulation.step_ms;
            window.close();
        }
        MainWindow window(folder.filePath("session"));
        window.show();
        window.openFiles({smallGraphFile()});
        QVERIFY(QTest::qWaitFor(
            [&] { return window.document().isOpen() && window.times().traceTimes().model().contention; }, 60'000));
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().evaluation()->simulation.step_ms, contended_ms);
        window.actions().find(QStringLiteral("plan.contention"))->trigger();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.document().evaluation()->contention);
    }

    void theRunsThatAUsersOwnModelWasComparedWithAreShown() {
        QTemporaryDir folder;
        NamedCostModel own = *built_in_cost_model("h100-sxm");
        own.name = "ours";
        own.origin.checked = "two runs of ours";
        own.origin.checked_within = 0.05;
        const QString path = folder.filePath(QStringLiteral("ours.cost.json"));
        write_cost_model_file(own, path.toStdString());
        MainWindow window;
        open(window, {smallGraphFile()});
        window.times().cost().model().use(path);
        QVERIFY(waitUntilIdle(window));
        const Figure step = figuresOf(window.document()).front();
        QVERIFY2(step.label.contains(QStringLiteral("ours, checked to 5 %")), qPrintable(step.label));
        QVERIFY2(step.help.contains(QStringLiteral("compared with two runs of ours")), qPrintable(step.help));
    }

    void theWindowDoesNotWaitForTheGraphAsItWasRead() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.times().cost().model().use(contended_);
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.document().loaded().as_read);
        window.actions().find(QStringLiteral("plan.costModel"))->trigger();
        // It has to be evaluated first, which is not done on this thread.
        QVERIFY(!window.findChild<CostModelDialog*>());
        QVERIFY(window.times().cost().busy() && !window.idle());
        QVERIFY(QTest::qWaitFor([&] { return window.findChild<CostModelDialog*>() != nullptr; }, 30'000));
        const auto* dialog = window.findChild<CostModelDialog*>();
        QCOMPARE(dialog->chosen(), contended_);
        QVERIFY(!window.times().cost().busy());
    }

    void anotherGraphEndsTheQuestion() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.times().cost().model().use(contended_);
        QVERIFY(waitUntilIdle(window));
        window.times().cost().choose();
        QVERIFY(window.times().cost().busy());
        window.document().setGraph(loadGraph(smallGraphFile()));
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.findChild<CostModelDialog*>());
    }

    void aCostModelReachesBoxesAndMesh() {
        QTemporaryDir folder;
        MainWindow window(folder.filePath("session"));
        open(window, {smallGraphFile()});
        const GraphModel& boxes = window.findChild<GraphView*>()->model();
        const auto* mesh = window.findChild<MeshConnection*>();
        const auto chains = mesh->chains();
        QVERIFY(chains);
        window.times().cost().model().use(contended_);
        QVERIFY(waitUntilIdle(window));
        QVERIFY(mesh->chains() && mesh->chains() != chains);

        window.document().editBuckets("Add", {{.modules = {"layers.0"}}});
        window.document().selection().selectModule("layers.0");
        QVERIFY(waitUntilIdle(window));
        const ModuleTree& modules = window.document().modules();
        const BoxId layer = boxes.tree().box_of(modules.find("layers.0"), Phase::forward);
        QVERIFY(layer != no_box);
        QCOMPARE(boxes.colours().buckets(layer), std::vector<int>{0});
        QVERIFY(boxes.isSelected(layer));
        const std::vector<double> exposed_ms = box_exposed_ms(*window.document().evaluation(), boxes.tree());
        QVERIFY(exposed_ms[BoxTree::root] > 0);
        for (BoxId box = 1; box < boxes.tree().box_count(); ++box)
            QCOMPARE(boxes.colours().exposedMs(box), exposed_ms[box]);
    }

    void aMeasurementIsCalibratedShownAndUsedOnRequest() {
        QTemporaryDir folder;
        test::SimulatedTrace job(*loadGraph(smallGraphFile()).baseline);
        for (std::size_t index = 0; index < job.collectives.size(); ++index) job.lengthen(index, 50'000);
        QFile file(folder.filePath("job.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(job.json()));
        file.close();
        MainWindow window(folder.filePath("session"));
        open(window, {smallGraphFile()});
        QAction* calibrate = window.actions().find(QStringLiteral("plan.calibrate"));
        QVERIFY(!calibrate->isEnabled());
        window.document().setCurrentIndex(0);
        window.openFiles({file.fileName()});
        QVERIFY(QTest::qWaitFor([&] { return calibrate->isEnabled(); }, 60'000));
        QVERIFY(waitUntilIdle(window));
        const auto graph = window.document().graph();
        calibrate->trigger();
        QVERIFY(QTest::qWaitFor([&] { return window.findChild<CalibrationDialog*>() != nullptr; }, 60'000));
        auto* dialog = window.findChild<CalibrationDialog*>();
        QCOMPARE(window.document().graph(), graph);  // nothing is used before somebody has said so
        QVERIFY(dialog->calibration().rows.front().after.median < dialog->calibration().rows.front().before.median);
        const QString path = folder.filePath(QStringLiteral("job.cost.json"));
        QVERIFY(dialog->save(path));
        emit dialog->useWanted(path);
        QVERIFY(QTest::qWaitFor([&] { return window.document().graph() != graph; }, 60'000));
        QCOMPARE(window.times().cost().model().used(), path);
        dialog->reject();
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::CostModelWindowTest)
#include "cost_model_window_test.moc"
