#include <QAction>
#include <QDialog>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QRadioButton>
#include <algorithm>

#include "core/cost/built_in_cost_models.h"
#include "core/cost/with_cost_model.h"
#include "core/graph/graph_editor.h"
#include "core/io/cost_model_file.h"
#include "core/io/graph_file.h"
#include "core/plan/presets.h"
#include "tests/measure/simulated_trace.h"
#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/actions/cost_actions.h"
#include "ui/cost/attention_density_dialog.h"
#include "ui/cost/calibration_dialog.h"
#include "ui/cost/cost_model_dialog.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/edits/pipeline_commands.h"
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

    static bool saysInStatus(const MainWindow& window, const QString& wanted) {
        for (const QLabel* label : window.findChildren<QLabel*>())
            if (label->text().contains(wanted)) return true;
        return false;
    }

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
        QVERIFY(saysInStatus(window, QStringLiteral("no times: choose a cost model")));
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
        QVERIFY(saysInStatus(window, QStringLiteral("estimated with h100-sxm")));
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
            QVERIFY(saysInStatus(window, QStringLiteral("with contention")));
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

    void stepsFasterThanLinksAreTold() {
        QTemporaryDir folder;
        const QString graph =
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz");
        double shared_ms = 0, exposed_ms = 0;
        {
            MainWindow window(folder.filePath("session"));
            open(window, {graph});
            QAction* share = window.actions().find(QStringLiteral("plan.shareLinks"));
            QVERIFY(!share->isChecked());
            const auto presets = pipeline_presets(*window.document().graph());
            PipelineCommands(window.document()).startFrom(presets.at(1));
            QVERIFY(waitUntilIdle(window));
            const auto& shared = window.document().evaluation()->on_shared_links;
            QVERIFY(shared);
            shared_ms = shared->step_ms;
            const auto* bar = window.findChild<FiguresBar*>();
            QCOMPARE(bar->figures().at(1).label, QStringLiteral("with links shared"));
            QTRY_VERIFY(bar->figures().at(1).difference.contains(QStringLiteral("above bound")));
            // What stands beside it is of the same step.
            const Figure& exposed = bar->figures().at(2);
            QCOMPARE(exposed.label, QStringLiteral("exposed · with links shared"));
            exposed_ms = shared->exposed_ms;
            QCOMPARE(exposed.value, formatTime(exposed_ms));
            const QString of_own_links = formatTime(window.document().evaluation()->simulation.exposed_ms);
            QVERIFY(exposed.value != of_own_links);
            QVERIFY(exposed.help.contains(of_own_links));
            ProblemsModel& problems = *window.findChild<ProblemsPanel*>()->problems();
            const auto told = std::ranges::find(problems.problems(), ProblemKind::links_not_shared, &Problem::kind);
            QVERIFY(told != problems.problems().end());
            problems.applyFix(static_cast<std::size_t>(told - problems.problems().begin()));
            QVERIFY(waitUntilIdle(window));
            QVERIFY(share->isChecked());
            QCOMPARE(window.document().evaluation()->simulation.step_ms, shared_ms);
            QCOMPARE(window.document().evaluation()->simulation.exposed_ms, exposed_ms);
            QVERIFY(!window.document().evaluation()->on_shared_links);
            QVERIFY(figuresOf(window.document()).front().label.contains(QStringLiteral("links shared")));
            QVERIFY(saysInStatus(window, QStringLiteral("links shared")));
            window.close();
        }
        MainWindow window(folder.filePath("session"));
        window.show();
        window.openFiles({graph});
        QVERIFY(QTest::qWaitFor(
            [&] { return window.document().isOpen() && window.times().traceTimes().model().share_links; }, 60'000));
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().evaluation()->simulation.step_ms, shared_ms);
        // A model that says which groups share links leaves nothing to choose.
        QSignalSpy told(&window.times().cost(), &CostActions::told),
            told_of_links(&window.times().traceTimes(), &TraceTimes::told);
        window.times().cost().model().use(QStringLiteral("h100-sxm"));
        QVERIFY(waitUntilIdle(window));
        QVERIFY(told_of_links.empty());  // which would stand in place of the model's name
        const QString sentence = told.back().front().toString();
        QVERIFY2(sentence.startsWith(QStringLiteral("Times estimated with the cost model h100-sxm")),
                 qPrintable(sentence));
        QVERIFY2(sentence.endsWith(QStringLiteral("as before: links shared")), qPrintable(sentence));
        QAction* share = window.actions().find(QStringLiteral("plan.shareLinks"));
        QVERIFY(!share->isEnabled());
        QVERIFY(share->isChecked());
    }

    void sharedLinksHoldForTheNextGraph() {
        QTemporaryDir folder;
        const QString graph =
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz");
        const auto sharesLinks = [](MainWindow& window) {
            const auto& source = window.document().evaluation()->time_source;
            return window.actions().find(QStringLiteral("plan.shareLinks"))->isChecked() && source &&
                   source->share_links;
        };
        {
            MainWindow window(folder.filePath("session"));
            open(window, {smallGraphFile()});
            window.actions().find(QStringLiteral("plan.shareLinks"))->trigger();
            QVERIFY(waitUntilIdle(window));
            QVERIFY(sharesLinks(window));
            open(window, {graph});
            QVERIFY(sharesLinks(window));
            QVERIFY(saysInStatus(window, QStringLiteral("links shared")));
            QVERIFY(!window.actions().find(QStringLiteral("edit.undo"))->isEnabled());  // opening is no edit
            PipelineCommands(window.document()).startFrom(pipeline_presets(*window.document().graph()).at(1));
            QVERIFY(waitUntilIdle(window));
            QVERIFY(!window.document().evaluation()->on_shared_links);
            window.close();
        }
        MainWindow window(folder.filePath("session"));
        open(window, {QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz")});
        QVERIFY(sharesLinks(window));
        // It stays with another cost model, and can be taken back for all.
        window.times().cost().model().use(QStringLiteral("h100-sxm"));
        QVERIFY(waitUntilIdle(window));
        QVERIFY(sharesLinks(window));
        open(window, {smallGraphFile()});
        QVERIFY(sharesLinks(window));
        window.actions().find(QStringLiteral("plan.shareLinks"))->trigger();
        QVERIFY(waitUntilIdle(window));
        open(window, {graph});
        QVERIFY(!sharesLinks(window));
        QVERIFY(!window.times().traceTimes().model().share_links);
    }

    void compiledTimesComeBackWithTheSession() {
        QTemporaryDir folder;
        double traced_ms = 0, compiled_ms = 0;
        {
            MainWindow window(folder.filePath("session"));
            open(window, {smallGraphFile()});
            traced_ms = window.document().evaluation()->simulation.compute_ms;
            QAction* blocks = window.actions().find(QStringLiteral("plan.compiledBlocks"));
            QAction* whole = window.actions().find(QStringLiteral("plan.compiledWhole"));
            const QAction* as_traced = window.actions().find(QStringLiteral("plan.asTraced"));
            QVERIFY(as_traced->isChecked());  // one of them always is
            for (const QAction* choice : std::initializer_list<const QAction*>{as_traced, blocks, whole})
                QVERIFY2(choice->toolTip().startsWith(QStringLiteral("Figures of ")), qPrintable(choice->toolTip()));
            blocks->trigger();
            QVERIFY(waitUntilIdle(window));
            QVERIFY(blocks->isChecked() && !whole->isChecked() && !as_traced->isChecked());
            const double blocks_ms = window.document().evaluation()->simulation.compute_ms;
            QVERIFY(blocks_ms < traced_ms);
            whole->trigger();
            QVERIFY(waitUntilIdle(window));
            QVERIFY(!blocks->isChecked() && whole->isChecked());
            compiled_ms = window.document().evaluation()->simulation.compute_ms;
            QVERIFY(compiled_ms < blocks_ms);
            QVERIFY(figuresOf(window.document()).front().help.contains(QStringLiteral("compiles the whole graph")));
            QVERIFY(saysInStatus(window, QStringLiteral("compiled whole")));
            window.close();
        }
        MainWindow window(folder.filePath("session"));
        window.show();
        window.openFiles({smallGraphFile()});
        QVERIFY(QTest::qWaitFor(
            [&] { return window.document().isOpen() && window.times().traceTimes().model().compiled; }, 60'000));
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().evaluation()->simulation.compute_ms, compiled_ms);
        window.actions().find(QStringLiteral("plan.asTraced"))->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().evaluation()->simulation.compute_ms, traced_ms);
    }

    void attentionDensityIsAskedForAndComesBackWithTheSession() {
        QTemporaryDir folder;
        double half_ms = 0, chosen_ms = 0;
        {
            MainWindow window(folder.filePath("session"));
            open(window, {smallGraphFile()});
            QAction* density = window.actions().find(QStringLiteral("plan.attentionDensity"));
            QVERIFY(!density->isEnabled());  // as traced, attention is PyTorch's estimate
            window.actions().find(QStringLiteral("plan.compiledBlocks"))->trigger();
            QVERIFY(waitUntilIdle(window));
            half_ms = window.document().evaluation()->simulation.compute_ms;
            QVERIFY(density->isEnabled());
            density->trigger();
            auto* dialog = window.findChild<AttentionDensityDialog*>();
            QVERIFY(dialog);
            dialog->share().click();
            dialog->shareValue().setValue(1);
            dialog->accept();
            QVERIFY(waitUntilIdle(window));
            chosen_ms = window.document().evaluation()->simulation.compute_ms;
            QVERIFY(chosen_ms > half_ms);
            const QString help = figuresOf(window.document()).front().help;
            QVERIFY2(help.contains(QStringLiteral("of clipping and AdamW")), qPrintable(help));
            window.close();
        }
        MainWindow window(folder.filePath("session"));
        window.show();
        window.openFiles({smallGraphFile()});
        QVERIFY(QTest::qWaitFor(
            [&] { return window.document().isOpen() && window.times().traceTimes().model().attention_density == 1; },
            60'000));
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().evaluation()->simulation.compute_ms, chosen_ms);
        window.actions().find(QStringLiteral("plan.compiledWhole"))->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.times().traceTimes().model().attention_density, 1.0);  // another choice leaves it
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

    void aGraphThatSaysHowItsJobCompilesOpensSo() {
        QTemporaryDir folder;
        const QString path = folder.filePath("compiled.graph.json");
        write_graph_file(*with_compilation(read_graph_file(smallGraphFile().toStdString()), Compilation{}),
                         path.toStdString());
        double compiled_ms = 0, traced_ms = 0;
        {
            MainWindow window(folder.filePath("session"));
            window.show();
            window.openFiles({path});
            QVERIFY(waitUntilIdle(window));
            QAction* whole = window.actions().find(QStringLiteral("plan.compiledWhole"));
            QVERIFY(whole->isChecked());
            compiled_ms = window.document().evaluation()->simulation.compute_ms;
            window.actions().find(QStringLiteral("plan.asTraced"))->trigger();
            QVERIFY(waitUntilIdle(window));
            QVERIFY(!whole->isChecked());
            traced_ms = window.document().evaluation()->simulation.compute_ms;
            QVERIFY(traced_ms > compiled_ms);
            window.close();
        }
        MainWindow window(folder.filePath("session"));
        window.show();
        window.openFiles({path});
        QVERIFY(waitUntilIdle(window));
        QTRY_COMPARE_WITH_TIMEOUT(window.document().evaluation()->simulation.compute_ms, traced_ms, 60'000);
        window.actions().find(QStringLiteral("plan.compiledWhole"))->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().evaluation()->simulation.compute_ms, compiled_ms);
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
