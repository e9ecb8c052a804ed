#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <algorithm>

#include "core/passes/registry/registry.h"
#include "core/pipeline/manual_start.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/automatic_plan.h"
#include "core/plan/presets.h"
#include "core/views/exposed_time.h"
#include "tests/ui/ui_test_support.h"
#include "ui/actions/edit_effect.h"
#include "ui/edits/automatic_commands.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/passes/number_slider.h"
#include "ui/passes/pass_options_form.h"
#include "ui/passes/passes_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/manual_start_dialog.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// The automatic pass in the window: as a variant, by its sliders, explained, and as a start for a manual plan.
class AutomaticVariantTest : public QObject {
    Q_OBJECT

    static bool open(MainWindow& window, const QString& file) {
        window.resize(1440, 900);
        window.show();
        window.openFiles({file});
        return settle(window);
    }
    static bool settle(MainWindow& window) {
        return QTest::qWaitFor(
            [&] { return window.document().isOpen() && window.idle() && !window.document().current()->stale(); },
            60'000);
    }
    static void run(MainWindow& window, const char* action) {
        window.actions().find(QString::fromLatin1(action))->trigger();
    }
    static QString testGraph(const char* name) {
        return QStringLiteral(OVERLAP_TEST_DATA "/graphs/%1.graph.json.gz").arg(QString::fromLatin1(name));
    }
    static NumberSlider* slider(MainWindow& window, const char* option) {
        return window.workspace().passes().findChild<NumberSlider*>(QString::fromLatin1(option) +
                                                                    QStringLiteral("Slider"));
    }
    static const Options& options(MainWindow& window) {
        return window.document().current()->plan().pipeline.back().options;
    }

  private slots:
    void oneActionAddsTheVariant() {
        MainWindow window;
        QVERIFY(open(window, testGraph("llama3_debugmodel_fsdp8.prebucket")));
        BucketCommands(window.document()).startFrom(BucketCommands::Template::block);
        const Plan own = window.document().current()->plan();
        run(window, "plan.automatic");
        Document& document = window.document();
        QCOMPARE(document.variantCount(), 3);
        QCOMPARE(document.current()->title(), QStringLiteral("Automatic"));
        QCOMPARE(document.current()->plan().pipeline.back().pass, std::string(automatic_pass));
        QVERIFY(document.variant(1).plan() == own);
        QVERIFY(settle(window));
        QVERIFY(!document.evaluation()->refused);
        QVERIFY(document.evaluation()->simulation.step_ms < document.baseline().simulation.step_ms);

        // What it takes over is said; there is no edit to undo.
        QVERIFY(QString::fromStdString(document.current()->plan().notes).contains("overlap scheduler"));
        QAction* undo = window.actions().find("edit.undo");
        QVERIFY2(!undo->isEnabled(), qPrintable(undo->text()));
        run(window, "plan.automatic");
        QCOMPARE(document.current()->title(), QStringLiteral("Automatic 2"));
    }

    void worksFromTheBaselineToo() {
        const auto document = openDocument();
        document->setCurrentIndex(0);
        AutomaticCommands(*document).addAutomatic();
        QCOMPARE(document->current()->plan().pipeline.size(), std::size_t{1});
        QCOMPARE(document->variant(0).plan().pipeline.size(), std::size_t{0});
    }

    void bucketsOfTheResultBecomeCards() {
        MainWindow window;
        QVERIFY(open(window, testGraph("llama3_8b_fsdp64.prebucket")));
        QAction* manual = window.actions().find(QStringLiteral("plan.manual"));
        QVERIFY(!manual->isEnabled());
        QVERIFY(manual->statusTip().contains(QStringLiteral("no automatic pass")));
        run(window, "plan.automatic");
        QVERIFY(settle(window));
        QVERIFY(manual->isEnabled());
        const Plan automatic = window.document().current()->plan();
        manual->trigger();
        QVERIFY(window.document().current()->plan() == automatic);
        ManualStartDialog* asked = nullptr;
        QTRY_VERIFY((asked = window.findChild<ManualStartDialog*>()) != nullptr);
        QVERIFY(asked->isVisible());
        QVERIFY(window.document().current()->plan() == automatic);
        const ManualStart start = manual_start(automatic, *window.document().evaluation());
        const auto before = with_links_shared(window.document().evaluation());
        const auto after =
            with_links_shared(evaluate(before->original, start.plan, {}, window.document().evaluation()->time_source));
        // Compute, the rest and the buckets add up to the step's difference.
        const QTableWidget* table = asked->findChild<QTableWidget*>();
        const auto added = [table](int row) { return table->item(row, 4)->text(); };
        const auto difference = [](double from, double to) { return formatDifference(to - from, Unit::Time); };
        QCOMPARE(added(0), difference(before->simulation.step_ms, after->simulation.step_ms));
        QCOMPARE(table->item(1, 0)->text(), QStringLiteral("Compute"));
        QCOMPARE(added(1), difference(before->simulation.compute_ms, after->simulation.compute_ms));
        double rest_ms = after->simulation.step_ms - after->simulation.compute_ms -
                         (before->simulation.step_ms - before->simulation.compute_ms);
        const auto changes = exposure_changes(*before, *after);
        for (const ExposureChange& change : changes) rest_ms -= change.added_ms();
        QCOMPARE(added(2), formatDifference(rest_ms, Unit::Time));
        QVERIFY(!changes.empty());
        QCOMPARE(table->rowCount(), static_cast<int>(changes.size()) + 3);
        QString text;
        for (const QLabel* label : asked->findChildren<QLabel*>()) text += label->text();
        QVERIFY2(text.contains(QStringLiteral("instead of")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("a module has one card")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("memory peak")), qPrintable(text));
        for (const auto& evaluation : {before, after})
            QVERIFY2(text.contains(formatBytes(static_cast<double>(evaluation->corrected_memory.peak_bytes))),
                     qPrintable(text));
        const int before_cards = window.document().currentIndex();
        asked->findChild<QPushButton*>(QStringLiteral("makeCards"))->click();
        const Plan plan = window.document().current()->plan();
        QVERIFY(!plan.buckets.empty());
        QCOMPARE(plan.pipeline.back().pass, std::string("manual_overlap_bucketing"));
        QVERIFY(settle(window));
        QVERIFY(!window.document().evaluation()->refused);
        QVERIFY(!manual->isEnabled());
        QVERIFY(!window.actions().find("edit.undo")->isEnabled());  // a plan goes when it is closed
        window.document().setCurrentIndex(before_cards);
        QVERIFY(window.document().current()->plan().pipeline == automatic.pipeline);
        QVERIFY(window.document().current()->plan().buckets.empty());
    }

    void aManualStartTellsTheStepsOfAJob() {
        MainWindow window;
        QVERIFY(open(window, testGraph("llama3_8b_fsdp64.prebucket")));
        // It gives gathers a group of their own, which only seems to double the network.
        QSignalSpy told(window.findChild<EditEffect*>(), &EditEffect::told);
        const auto baseline = window.document().evaluation();
        PipelineCommands(window.document()).startFrom(pipeline_presets(*window.document().graph()).at(1));
        QVERIFY(settle(window));
        QCOMPARE(told.count(), 1);
        const double exposed_ms = exposed_with_links_shared(*window.document().evaluation());
        const QString exposed = QStringLiteral("exposed with links shared ") +
                                formatDifference(exposed_ms - exposed_with_links_shared(*baseline), Unit::Time);
        QVERIFY2(told[0][0].toString().contains(exposed), qPrintable(told[0][0].toString()));
        run(window, "plan.automatic");
        QVERIFY(settle(window));
        const auto automatic = window.document().evaluation();
        QVERIFY(automatic->on_shared_links);
        const ManualStart start = manual_start(window.document().current()->plan(), *automatic);
        const auto manual = evaluate(automatic->original, start.plan, {}, automatic->time_source);
        QVERIFY(step_with_links_shared(*manual) > step_with_links_shared(*automatic));
        window.actions().find(QStringLiteral("plan.manual"))->trigger();
        ManualStartDialog* asked = nullptr;
        QTRY_VERIFY((asked = window.findChild<ManualStartDialog*>()) != nullptr);
        QString text;
        for (const QLabel* label : asked->findChildren<QLabel*>()) text += label->text();
        for (const double step_ms : {step_with_links_shared(*manual), step_with_links_shared(*automatic)})
            QVERIFY2(text.contains(formatTime(step_ms)), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("with links shared")), qPrintable(text));
        // The buckets' exposed times are of those steps.
        const auto changes = exposure_changes(*with_links_shared(automatic), *with_links_shared(manual));
        QTableWidget* table = asked->findChild<QTableWidget*>();
        constexpr int other_rows = 3;  // step, compute, rest
        QCOMPARE(table->rowCount(), static_cast<int>(changes.size()) + other_rows);
        QCOMPARE(table->item(other_rows, 2)->text(), formatTime(changes.front().before_ms));
        QCOMPARE(table->item(other_rows, 3)->text(), formatTime(changes.front().after_ms));
    }

    void aManualStartCanKeepTheAutomaticSteps() {
        MainWindow window;
        QVERIFY(open(window, testGraph("llama3_8b_fsdp64.prebucket")));
        run(window, "plan.automatic");
        QVERIFY(settle(window));
        const Plan automatic = window.document().current()->plan();
        const int variants = window.document().variantCount();
        window.actions().find(QStringLiteral("plan.manual"))->trigger();
        ManualStartDialog* asked = nullptr;
        QTRY_VERIFY((asked = window.findChild<ManualStartDialog*>()) != nullptr);
        asked->findChild<QPushButton*>(QStringLiteral("keepAutomaticSteps"))->click();
        QCOMPARE(window.document().variantCount(), variants + 1);
        QVERIFY(window.document().current()->plan().pipeline == automatic.pipeline);
        QVERIFY(window.document().current()->plan().name != automatic.name);
    }

    void anEditEndsAManualStart() {
        MainWindow window;
        QVERIFY(open(window, testGraph("llama3_8b_fsdp64.prebucket")));
        run(window, "plan.automatic");
        QVERIFY(settle(window));
        window.actions().find(QStringLiteral("plan.manual"))->trigger();
        window.document().renameCurrent(QStringLiteral("Mine"));
        window.document().editPlan(QStringLiteral("Without steps"), Plan());
        QVERIFY(settle(window));
        QVERIFY(!window.findChild<ManualStartDialog*>());
    }

    void theBoardTellsThatBucketsAreAutomatic() {
        MainWindow window;
        QVERIFY(open(window, testGraph("llama3_debugmodel_fsdp8.prebucket")));
        auto* told = window.workspace().bucketBoard().findChild<QWidget*>(QStringLiteral("automaticBuckets"));
        QVERIFY(told->isHidden());
        run(window, "plan.automatic");
        QVERIFY(settle(window));
        QVERIFY(!told->isHidden());
        QVERIFY(told->findChild<QLabel*>()->text().contains(QStringLiteral("finds buckets by itself: it merged 132")));
        BucketCommands(window.document()).addText(QStringLiteral("layers.0"));
        window.document().selection().selectBucket(0);
        QVERIFY(settle(window));
        // The pass's buckets are none of the card's.
        QVERIFY(!plainText(inspect(window.document())).contains(QStringLiteral("merged")));
    }

    void cardsThatNoStepTakesAreTakenByAClick() {
        const auto document = openDocument();
        AutomaticCommands(*document).addAutomatic();
        QVERIFY(waitForEvaluation(*document));
        BucketBoard board(*document);
        board.show();
        const auto* untaken = board.findChild<QWidget*>(QStringLiteral("untakenCards"));
        QVERIFY(untaken->isHidden());
        BucketCommands(*document).addText(QStringLiteral("layers.0"));
        QVERIFY(untaken->isVisible());
        const auto why = [&] { return untaken->findChild<QLabel*>()->toolTip(); };
        const QString untaken_text = QStringLiteral("No step of the plan takes these buckets");
        QCOMPARE(untaken->findChild<QLabel*>()->text(), untaken_text);
        QCOMPARE(why(), QStringLiteral("schedule_overlap_bucketing finds buckets by itself"));
        auto* take = untaken->findChild<QPushButton*>();
        QVERIFY2(take->toolTip().startsWith(QStringLiteral("Adds manual_overlap_bucketing and switches "
                                                           "schedule_overlap_bucketing off")),
                 qPrintable(take->toolTip()));
        const Plan before = document->current()->plan();
        QCOMPARE(take->text(), QStringLiteral("Add manual bucketing"));
        take->click();
        QVERIFY(untaken->isHidden() && !board.automatic());
        QCOMPARE(document->undoGroup().undoText(), take->text());
        QVERIFY(waitForEvaluation(*document));
        const auto evaluation = document->evaluation();
        QVERIFY(!evaluation->refused && !evaluation->reports.front().buckets.empty());
        QVERIFY(evaluation->reports.front().buckets.front().plan_entry == 0u);
        for (const Problem& problem : evaluation->problems)
            QVERIFY2(problem.severity != Severity::error, problem.message.c_str());
        document->undoGroup().undo();
        QVERIFY(document->current()->plan() == before);
        QVERIFY(untaken->isVisible());
        // Also where no step finds buckets by itself.
        Plan bare = before;
        bare.pipeline.clear();
        document->editPlan(QStringLiteral("bare"), bare);
        QCOMPARE(why(), untaken_text);
        take->click();
        QVERIFY(untaken->isHidden());
        QCOMPARE(document->current()->plan().pipeline.front().pass, std::string(entries_pass));
        // A step that is there is switched on.
        Plan off = document->current()->plan();
        off.pipeline.front().enabled = false;
        document->editPlan(QStringLiteral("off"), off);
        QCOMPARE(take->text(), QStringLiteral("Switch manual bucketing on"));
        take->click();
        QCOMPARE(document->undoGroup().undoText(), take->text());
        QVERIFY(document->current()->plan().pipeline.front().enabled);
    }

    void theInspectorFindsWhatWouldHideACollective() {
        MainWindow window;
        QVERIFY(open(window, testGraph("llama3_8b_fsdp64_aot_fw")));
        run(window, "plan.automatic");
        QVERIFY(settle(window));
        window.document().selection().selectNode(QStringLiteral("all_gather_into_tensor_8"));
        QTRY_VERIFY(window.workspace().inspector().busy());
        QVERIFY(settle(window));
        const QString page = window.workspace().inspector().toPlainText();
        QVERIFY2(page.contains(QStringLiteral("The scheduler leaves")), qPrintable(page));
        QVERIFY2(page.contains(QStringLiteral("the scheduler keeps compute in order")), qPrintable(page));
        QVERIFY(!page.contains(QStringLiteral("Trying")));
        window.document().selection().selectNode(QStringLiteral("mm_3"));
        QTRY_VERIFY(!window.workspace().inspector().toPlainText().contains(QStringLiteral("The scheduler leaves")));
        QVERIFY(!window.workspace().inspector().busy());
    }

    void slidersSpanTheUsualValues() {
        const auto check = [](const char* name, double typical, double tolerance) {
            const auto options = require_pass(automatic_pass).options();
            const PassOption& option = *std::ranges::find(options, std::string_view(name), &PassOption::name);
            QVERIFY(NumberSlider::fits(option));
            NumberSlider slider(option);
            QCOMPARE(*number_of(slider.valueAt(slider.minimum())), option.minimum);
            QCOMPARE(*number_of(slider.valueAt(slider.maximum())), option.usual_maximum);
            slider.showValue(typical);
            QVERIFY(std::abs(*number_of(slider.valueAt(slider.value())) - typical) <= tolerance);
            slider.showValue(10 * option.usual_maximum);
            QCOMPARE(slider.value(), slider.maximum());
            slider.showValue(OptionValue());
            QCOMPARE(slider.value(), slider.minimum());
        };
        check("max_in_flight_gb", 5, 0.05);
        check("max_compute_pre_fetch", 200, 4);
        check("max_off_bucket_gb", 0.5, 0.02);
    }

    /// Prints how long a change takes to become figures; that it does at all is what is tested.
    void figuresFollowTheSlider_data() {
        QTest::addColumn<QString>("file");
        QTest::newRow("llama3_8b_fsdp64") << testGraph("llama3_8b_fsdp64.prebucket");
        const auto larger = QStringLiteral(OVERLAP_SHARED_DATA "/graphs/llama3_8b_bw_256_1d.graph.json.gz");
        if (QFile::exists(larger)) QTest::newRow("llama3_8b_bw_256_1d") << larger;
    }
    void figuresFollowTheSlider() {
        QFETCH(const QString, file);
        MainWindow window;
        QVERIFY(open(window, file));
        run(window, "plan.automatic");
        QVERIFY(settle(window));
        Document& document = window.document();
        window.workspace().passes().selectStep(static_cast<int>(document.current()->plan().pipeline.size()) - 1);
        NumberSlider* handle = slider(window, "max_in_flight_gb");
        QVERIFY(handle);
        const int steps_before = document.current()->undoStack().count();
        const Plan before = document.current()->plan();
        const double step_before_ms = document.evaluation()->simulation.step_ms;
        QSignalSpy told(window.findChild<EditEffect*>(), &EditEffect::told);

        QElapsedTimer timer;
        std::vector<double> single_ms;
        for (int position = 390; position >= 300; position -= 10) {
            timer.start();
            handle->setValue(position);
            QVERIFY(QTest::qWaitFor([&] { return !document.evaluating() && !document.current()->stale(); }, 30'000));
            single_ms.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        }
        std::ranges::sort(single_ms);
        qInfo("%d nodes: figures after one change: median %.0f ms, slowest %.0f ms",
              static_cast<int>(document.graph()->node_count()), single_ms[single_ms.size() / 2], single_ms.back());

        // A hand that does not rest, at the rate of a screen: figures must come all the same. The time between its
        // moves is what is tested, so the wait is a fixed one.
        constexpr int enough_figures = 10, longest_ms = 120'000, frame_ms = 16;
        QSignalSpy figures(&document, &Document::evaluationChanged);
        handle->setSliderDown(true);
        timer.start();
        int moves = 0;
        while (figures.count() < enough_figures && timer.elapsed() < longest_ms) {
            handle->setValue(300 - 5 * (++moves % 60));
            QTest::qWait(frame_ms);
        }
        handle->setSliderDown(false);
        qInfo("dragging: %d moves in %lld ms, new figures %d times", moves, static_cast<long long>(timer.elapsed()),
              static_cast<int>(figures.count()));
        QVERIFY(figures.count() >= enough_figures);
        QVERIFY(settle(window));
        QVERIFY(options(window).find("max_in_flight_gb"));
        QVERIFY(*options(window).find("max_in_flight_gb") == handle->valueAt(handle->value()));
        QCOMPARE(document.current()->undoStack().count(), steps_before + 1);
        // All of it is one edit, and told as one.
        const double step_ms = document.evaluation()->simulation.step_ms;
        const QString effect = told.back()[0].toString();
        QVERIFY2(effect.contains("step " + formatDifference(step_ms - step_before_ms, Unit::Time)), qPrintable(effect));
        document.current()->undoStack().undo();
        QVERIFY(document.current()->plan() == before);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::AutomaticVariantTest)
#include "automatic_variant_test.moc"
