#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>

#include "core/memory/memory_profile.h"
#include "core/simulate/chrome_trace.h"
#include "tests/ui/shell/opened_window.h"
#include "tests/ui/shell/slow_trace.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/figures_bar.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/frame/variant_bar.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/compared_sides.h"
#include "ui/measure/comparison_model.h"
#include "ui/measure/measurement_connection.h"
#include "ui/measure/measurements.h"
#include "ui/measure/statistics_model.h"
#include "ui/measure/statistics_panel.h"
#include "ui/measure/trace_times.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/shell/main_window.h"
#include "ui/shell/times_controller.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// Measurements in the whole window.
class MeasuredWindowTest : public QObject {
    Q_OBJECT

    const QString trace_ = QStringLiteral(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz");

    /// A collective of what the timeline shows.
    static EventLocation collectiveOf(const Timeline& timeline) {
        for (std::uint32_t lane = 0; lane < timeline.lanes().size(); ++lane)
            for (std::uint32_t event = 0; event < timeline.lanes()[lane].size(); ++event)
                if (timeline.event_name({lane, event}).starts_with("nccl")) return {lane, event};
        return {};
    }

    static QAction* menuAction(QMenu& menu, const QString& text) {
        for (QAction* action : menu.actions())
            if (action->text().remove(u'&') == text) return action;
        return nullptr;
    }

    static bool saysInStatus(const MainWindow& window, const QString& wanted) {
        for (const QLabel* label : window.findChildren<QLabel*>())
            if (label->text().contains(wanted)) return true;
        return false;
    }

  private slots:
    void figuresAreOfATracesTimesUntilTheGraphsAreWantedAgain() {
        QTemporaryDir folder;
        const QString trace = writeSlowTrace(folder);
        double own_ms = 0, slow_ms = 0;
        {
            MainWindow window(folder.filePath("session"));
            window.resize(1400, 900);
            window.show();
            window.openFiles({smallGraphFile(), trace});
            QVERIFY(waitUntilIdle(window));
            own_ms = window.document().baseline().simulation.step_ms;
            QVERIFY(!window.actions().find("plan.graphTimes")->isEnabled());
            QMenu menu;
            window.workspace().variants().fillMenu(menu, 2);
            QVERIFY(menuAction(menu, "Use these times"));
            menuAction(menu, "Use these times")->trigger();
            QVERIFY(waitUntilIdle(window));
            QVERIFY(window.document().times());
            QCOMPARE(window.document().times()->files, QStringList{trace});
            QVERIFY(saysInStatus(window, "times: trace slow.json"));
            QVERIFY2(saysInStatus(window, "before, ±"), "the error before and after");
            slow_ms = window.document().baseline().simulation.step_ms;
            QVERIFY(slow_ms > own_ms + 0.05);

            window.workspace().variants().tabs()->setCurrentIndex(1);
            QVERIFY(waitUntilIdle(window));
            QCOMPARE(window.document().evaluation()->simulation.step_ms, slow_ms);  // an empty plan
            QCOMPARE(window.workspace().figures().figures().front().label, "step · trace's times");
            QVERIFY(window.workspace().figures().figures().front().help.contains("slow.json"));
            window.actions().find("view.go.compare")->trigger();
            QVERIFY(waitUntilIdle(window));
            QVERIFY(window.workspace().compare().times()->isChecked());
            QVERIFY2(window.workspace().compare().sums().contains("with times of slow.json"),
                     qPrintable(window.workspace().compare().sums()));
            window.close();
        }
        MainWindow window(folder.filePath("session"));
        window.openSessionOrSample();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().baseline().simulation.step_ms, slow_ms);
        window.actions().find("plan.graphTimes")->trigger();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.document().times());
        QCOMPARE(window.document().baseline().simulation.step_ms, own_ms);
        QCOMPARE(window.document().evaluation()->simulation.step_ms, own_ms);
        QCOMPARE(window.workspace().figures().figures().front().label, "step · graph's times");
        QVERIFY(!saysInStatus(window, "times: trace"));
        // By the button of the comparison, too, and another graph has its own times.
        window.show();
        window.actions().find("view.go.compare")->trigger();
        QVERIFY(waitUntilIdle(window));
        window.workspace().compare().times()->click();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.document().times());
        QVERIFY(window.workspace().compare().times()->isChecked());
        window.workspace().compare().times()->click();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.document().times());
        // What is traced is not in effect meanwhile, and can be chosen.
        QAction* as_traced = window.actions().find("plan.asTraced");
        QVERIFY(as_traced->isChecked());
        window.workspace().compare().times()->click();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.document().times() && !as_traced->isChecked());
        as_traced->trigger();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.document().times() && as_traced->isChecked());
        QCOMPARE(window.document().evaluation()->simulation.step_ms, own_ms);
    }

    void timesOfAnotherJobAreRefused() {
        MainWindow window;
        window.openFiles({smallGraphFile(), trace_});
        QVERIFY(waitUntilIdle(window));
        const double own_ms = window.document().baseline().simulation.step_ms;
        const QAction* use = window.actions().find("plan.traceTimes");
        QVERIFY(!use->isEnabled());
        QVERIFY2(use->toolTip().contains("of another job"), qPrintable(use->toolTip()));
        window.show();
        window.actions().find("view.go.compare")->trigger();
        QTRY_VERIFY(!window.workspace().compare().times()->isEnabled());
        QVERIFY(window.workspace().compare().times()->toolTip().contains("of another job"));
        emit window.workspace().variants().timesWanted(window.times().measurements().at(0));
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.document().times());
        QVERIFY2(window.workspace().notice().text().contains("times stay as they were"),
                 qPrintable(window.workspace().notice().text()));
        QCOMPARE(window.document().baseline().simulation.step_ms, own_ms);
        QVERIFY(!window.actions().find("plan.graphTimes")->isEnabled());
    }

    void anotherGraphLeavesNothingOfTheOldOne() {
        const QString other = QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8_aot_fw.graph.json.gz");
        const QTemporaryDir folder;
        QTabBar* tabs = nullptr;
        {
            MainWindow window(folder.path());
            window.openFiles({smallGraphFile(), trace_});
            QVERIFY(waitUntilIdle(window));
            tabs = window.workspace().variants().tabs();
            QCOMPARE(tabs->currentIndex(), 2);
            QLineEdit& entry = *window.workspace().bucketBoard().entryField();
            entry.setText("layers.0");
            window.openFiles({other});
            QVERIFY(waitUntilIdle(window));
            QCOMPARE(entry.text(), QString());
            QCOMPARE(window.times().measurements().currentIndex(), -1);
            QCOMPARE(tabs->tabText(2), "Measured (other graph)");
            QVERIFY2(tabs->tabToolTip(2).contains("llama3_debugmodel_fsdp8.prebucket"),
                     qPrintable(tabs->tabToolTip(2)));
            window.close();
        }
        // The session knows it, too, and the graph's own tab is as it was.
        MainWindow window(folder.path());
        window.openSessionOrSample();
        QVERIFY(waitUntilIdle(window));
        tabs = window.workspace().variants().tabs();
        QCOMPARE(tabs->tabText(2), "Measured (other graph)");
        // All of it is seen where there is room.
        const VariantBar& bar = window.workspace().variants();
        window.resize(2400, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QTRY_COMPARE(bar.drawnTitle(2), "Measured (other graph)");
        // It leaves the room to the plans' names until it is looked at.
        for (const char* name : {"one bucket for each block", "one bucket for each layer"}) {
            window.document().addCopyOfCurrent();
            window.document().renameCurrent(QString::fromLatin1(name));
        }
        const int last = tabs->count() - 1;
        window.resize(1400, 900);
        QTRY_VERIFY2(bar.drawnTitle(last) != tabs->tabText(last), qPrintable(bar.drawnTitle(last)));
        QVERIFY2(bar.drawnTitle(last).startsWith("Measured"), qPrintable(bar.drawnTitle(last)));
        const int narrow = tabs->tabRect(last).width();
        tabs->setCurrentIndex(last);
        QTRY_VERIFY2(tabs->tabRect(last).width() > narrow + 20, qPrintable(QString::number(narrow)));
        window.openFiles({smallGraphFile()});
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(tabs->tabText(2), "Measured");
    }

    void aTraceOpensBesideThePlansAndGoesAgain() {
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        window.openFiles({smallGraphFile(), trace_});
        QVERIFY(waitUntilIdle(window));
        QTabBar* tabs = window.workspace().variants().tabs();
        QCOMPARE(tabs->count(), 3);
        QCOMPARE(tabs->tabText(2), "Measured");
        QCOMPARE(tabs->currentIndex(), 2);
        QCOMPARE(window.workspace().timeline().timeline(), window.times().measurements().current()->timeline);
        QCOMPARE(window.workspace().figures().figures().front().label, "mean of 2 steps");

        const EventLocation collective = collectiveOf(*window.workspace().timeline().timeline());
        QVERIFY(collective.valid());
        window.workspace().timeline().selectEvent(collective);
        QVERIFY(waitUntilIdle(window));
        const QString inspected = plainText(window.workspace().inspector().content());
        QVERIFY2(inspected.contains("Process group"), qPrintable(inspected));
        QVERIFY2(inspected.contains("Arguments in the trace"), qPrintable(inspected));

        tabs->setCurrentIndex(1);
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.workspace().timeline().timeline() != window.times().measurements().at(0)->timeline);
        QCOMPARE(window.workspace().figures().figures().front().label, "step · graph's times");
        QVERIFY(!plainText(window.workspace().inspector().content()).contains("Arguments in the trace"));

        window.actions().find("plan.next")->trigger();
        QCOMPARE(tabs->currentIndex(), 2);
        window.actions().find("plan.close")->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(tabs->count(), 2);
        QCOMPARE(window.document().variantCount(), 2);
        QVERIFY(window.workspace().timeline().timeline());
    }

    void problemsAreThoseOfTheMeasurementWhileItIsShown() {
        MainWindow window;
        window.show();
        window.openFiles({smallGraphFile(), trace_});
        QVERIFY(waitUntilIdle(window));
        ProblemsModel& problems = *window.workspace().problems().problems();
        const auto kinds = [&] {
            QStringList found;
            for (const Problem& problem : problems.problems())
                found.append(QString::fromStdString(std::string(problem_kind_name(problem.kind))));
            return found;
        };
        QVERIFY2(kinds().contains("launches_without_gpu_event"), qPrintable(kinds().join(u' ')));
        QCOMPARE(problems.problems().front().title, "Another job?");
        QVERIFY(problems.problems().front().message.find("is of another job or another plan") != std::string::npos);
        window.workspace().variants().tabs()->setCurrentIndex(1);
        QVERIFY(!kinds().contains("launches_without_gpu_event"));

        // A row of the statistics shows its step in the timeline.
        StatisticsPanel& statistics = window.workspace().statistics();
        window.findChild<QDockWidget*>(QStringLiteral("statistics"))->raise();
        QTRY_VERIFY(statistics.model()->rowCount() > 2);
        emit statistics.view()->activated(statistics.model()->index(2, 0));
        QCOMPARE(window.workspace().timeline().timeline(), window.times().measurements().at(0)->timeline);
        QCOMPARE(window.workspace().timeline().visibleRange(), statistics.model()->range(2));
    }

    void aSimulatedStepIsNeverCalledMeasured() {
        QTemporaryDir folder;
        const auto step = loadGraph(smallGraphFile()).baseline;
        QFile file(folder.filePath("step.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(
            chrome_trace_json(*step->graph, step->simulation, memory_profile(*step->graph, StorageRule::corrected))));
        file.close();
        MainWindow window;
        window.show();
        window.openFiles({smallGraphFile(), file.fileName()});
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.times().measurements().at(0)->title, QStringLiteral("Simulated"));
        const auto& problems = window.workspace().problems().problems()->problems();
        QCOMPARE(problems.front().kind, ProblemKind::simulated_times_as_measured);
        QVERIFY(std::ranges::none_of(problems, [](const Problem& of) { return of.title == "Another job?"; }));
        QCOMPARE(window.workspace().figures().figures().front().label, "simulated step");

        // Nor are its times another's process groups or sizes: it has no shapes to look for.
        const QString reason = "The trace is a simulated step: it has no shapes";
        const QAction* use = window.actions().find("plan.traceTimes");
        QVERIFY(!use->isEnabled());
        QVERIFY2(use->toolTip().contains(reason), qPrintable(use->toolTip()));
        window.actions().find("view.go.compare")->trigger();
        QTRY_VERIFY(!window.workspace().compare().busy());
        ComparisonModel* rows = window.workspace().compare().model();
        QVERIFY(rows->steps() && rows->steps()->measured);
        QCOMPARE(rows->headerData(ComparisonModel::after_column, Qt::Horizontal, Qt::DisplayRole), "Simulated");
        window.workspace().timeline().selectEvent({0, 0});
        QCOMPARE(window.workspace().inspector().content().rows.front().label, "Simulated");
        const QToolButton* button = window.workspace().compare().times();
        QVERIFY(button->isVisible() && !button->isEnabled());
        QVERIFY2(button->toolTip().contains(reason), qPrintable(button->toolTip()));
        QMenu menu;
        window.workspace().variants().fillMenu(menu, 2);
        QVERIFY(!menuAction(menu, "Use these times")->isEnabled());
        emit window.workspace().variants().timesWanted(window.times().measurements().at(0));
        QVERIFY(waitUntilIdle(window));
        QVERIFY2(window.workspace().notice().text().contains("it is a simulated step: it has no shapes"),
                 qPrintable(window.workspace().notice().text()));
    }

    /// The range that is shown while nothing is open is that of no plan.
    void aTraceBeforeAnyGraphLeavesThePlansWholeTimeline() {
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        window.openFiles({trace_});
        QTRY_VERIFY_WITH_TIMEOUT(window.times().measurements().current(), 60'000);
        window.openFiles({smallGraphFile()});
        QVERIFY(waitUntilIdle(window));
        window.times().measurements().setCurrentIndex(-1);
        QVERIFY(waitUntilIdle(window));
        const TimelineView& timeline = window.workspace().timeline();
        QTRY_COMPARE(timeline.visibleRange(), timeline.timeline()->range());
    }

    void aBadTraceLeavesTheWindowAsItWas() {
        QTemporaryDir folder;
        QFile file(folder.filePath("bad.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"traceEvents": [{"ph": "X", "ts": "never"}]})");
        file.close();
        MainWindow window;
        window.openFiles({smallGraphFile()});
        QVERIFY(waitUntilIdle(window));
        window.openFiles({file.fileName()});
        QVERIFY(waitUntilIdle(window));
        QVERIFY2(window.workspace().notice().text().contains("bad.json"),
                 qPrintable(window.workspace().notice().text()));
        QCOMPARE(window.workspace().variants().tabs()->count(), 2);
        QCOMPARE(window.workspace().figures().figures().front().label, "step · graph's times");
    }

    /// A picture that is taken then has them.
    void theWindowIsBusyUntilATraceHasItsColours() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).startFrom(BucketCommands::Template::block);
        QVERIFY(waitUntilIdle(window));
        const QTemporaryDir folder;
        QFile file(folder.filePath("bucketed.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(test::SimulatedTrace(*window.document().evaluation()).json()));
        file.close();
        window.openFiles({file.fileName()});
        QVERIFY(waitUntilIdle(window));
        const auto measurement = window.times().measurements().current();
        QVERIFY(measurement);
        const auto shown = window.workspace().timeline().timeline();
        QVERIFY(shown != measurement->timeline);
        QVERIFY(shown->has_role(bucket_role(0)));
    }

    void comparedStepsShareTheTimeline() {
        const QTemporaryDir folder;
        const QString trace = writeSlowTrace(folder);
        QVERIFY(!trace.isEmpty());
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        window.openFiles({smallGraphFile(), trace});
        QVERIFY(waitUntilIdle(window));
        window.actions().find("view.go.compare")->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.workspace().compare().sides().after()->currentText(), "Measured");
        window.workspace().compare().both()->setChecked(true);
        const auto shown = window.workspace().measurementConnection().shown();
        QVERIFY(shown && shown->parts.size() == 2);
        QCOMPARE(window.workspace().timeline().timeline(), shown->timeline);
        window.workspace().compare().both()->setChecked(false);
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.workspace().timeline().timeline(), window.times().measurements().at(0)->timeline);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MeasuredWindowTest)
#include "measured_window_test.moc"
