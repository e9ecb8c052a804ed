#include <QAction>
#include <QDoubleSpinBox>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <algorithm>

#include "core/cost/with_cost_model.h"
#include "core/io/graph_file.h"
#include "core/plan/presets.h"
#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/actions/cost_actions.h"
#include "ui/cost/attention_density_dialog.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/frame/actions.h"
#include "ui/frame/figures_bar.h"
#include "ui/measure/trace_times.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/times_controller.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// How a job is modelled, in the whole window: whether its links are shared, and what it compiles.
class ModelledJobWindowTest : public QObject {
    Q_OBJECT

  private slots:
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
            QVERIFY(saysInLabel(window, QStringLiteral("links shared")));
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
            QVERIFY(saysInLabel(window, QStringLiteral("links shared")));
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
            QVERIFY(saysInLabel(window, QStringLiteral("compiled whole")));
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
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ModelledJobWindowTest)
#include "modelled_job_window_test.moc"
