#include "ui/shell/workspace/workspace.h"

#include <QComboBox>
#include <QDockWidget>
#include <QLineEdit>
#include <QSignalSpy>
#include <algorithm>

#include "core/graph/editing/graph_editor.h"
#include "core/pipeline/evaluation.h"
#include "tests/ui/shell/workspace_fixture.h"
#include "tests/ui/ui_test_support.h"
#include "ui/collectives/collectives_model.h"
#include "ui/collectives/collectives_panel.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/frame/docks/enlarged_part.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/memory/memory_panel.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/search/search_controls.h"
#include "ui/search/search_panel.h"
#include "ui/session/session_state.h"
#include "ui/timeline/drawing/timeline_picture.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/limit_field.h"

namespace overlap::ui {

/// The views and docks in a window of Qt's, without actions and controllers.
class WorkspaceTest : public QObject {
    Q_OBJECT

    struct Fixture : WorkspaceFixture {
        QDockWidget* dock(const char* id) { return workspace.docks().find(QString::fromLatin1(id)); }
    };

  private slots:
    void everyPanelIsInItsDock() {
        Fixture fixture;
        QCOMPARE(fixture.workspace.docks().all().size(), 17);
        QCOMPARE(fixture.window.dockWidgetArea(fixture.dock("modules")), Qt::LeftDockWidgetArea);
        QCOMPARE(fixture.window.dockWidgetArea(fixture.dock("inspector")), Qt::RightDockWidgetArea);
        const auto tabs = fixture.window.tabifiedDockWidgets(fixture.dock("problems"));
        for (const char* id : {"log", "groups", "passes", "compare", "statistics", "run", "alive", "memory", "history",
                               "collectives", "advice", "plans", "search"})
            QVERIFY2(tabs.contains(fixture.dock(id)), id);
    }

    void theTimelineShowsTheEvaluation() {
        Fixture fixture;
        QSignalSpy shown(&fixture.workspace, &Workspace::timelineShown);
        fixture.document.setGraph(loadGraph(smallGraphFile()));
        QTRY_VERIFY_WITH_TIMEOUT(shown.count() > 0, 60'000);
        QTRY_VERIFY_WITH_TIMEOUT(!fixture.document.evaluating() && !fixture.workspace.busy(), 60'000);
        QVERIFY(fixture.workspace.timeline().timeline()->event_count() > 0);
        QSignalSpy moved(&fixture.workspace, &Workspace::viewMoved);
        fixture.workspace.timeline().setVisibleRange({1'000, 2'000'000});
        QVERIFY(moved.count() > 0);
        QCOMPARE(fixture.workspace.planRange(), fixture.workspace.timeline().visibleRange());
    }

    /// Problems list the longest few; the table has the others.
    void whatElseIsExposedIsListed() {
        Fixture fixture;
        fixture.document.setGraph(loadGraph(smallGraphFile()));
        QVERIFY(waitForEvaluation(fixture.document));
        ProblemsModel& problems = *fixture.workspace.problems().problems();
        const auto rest = std::ranges::find_if(problems.problems(), [](const Problem& problem) {
            return problem.kind == ProblemKind::exposed && problem.nodes.empty();
        });
        QVERIFY(rest != problems.problems().end());
        CollectivesPanel& collectives = fixture.workspace.collectives();
        collectives.filterField()->setText("nothing is called so");
        QVERIFY(problems.applyFix(static_cast<std::size_t>(rest - problems.problems().begin())));
        QTRY_VERIFY(collectives.isVisible());
        const auto& timings = fixture.document.evaluation()->simulation.collectives;
        const auto exposed =
            std::ranges::count_if(timings, [](const CollectiveTiming& timing) { return timing.exposed_ms > 0; });
        QTRY_COMPARE(collectives.shown()->rowCount(), static_cast<int>(exposed));
    }

    /// Chosen in either panel, it is that of both, and of who follows Memory.
    void theLimitOfThePeakIsOne() {
        Fixture fixture;
        fixture.document.setGraph(loadGraph(smallGraphFile()));
        QVERIFY(waitForEvaluation(fixture.document));
        SearchControls& search = fixture.workspace.search().controls();
        MemoryPanel& memory = fixture.workspace.memory();
        const auto choose = [&](SearchControls::Limit limit) {
            search.limit()->setCurrentIndex(static_cast<int>(limit));
        };
        memory.setLimit(31.2);
        QCOMPARE(search.limitBytes(), std::optional(limitBytes(31.2)));
        QCOMPARE(search.otherLimit()->value(), 31.2);
        choose(SearchControls::Limit::baseline);
        const std::int64_t peak = fixture.document.baseline().corrected_memory.peak_bytes;
        QCOMPARE(memory.limit()->bytes(), peak);
        QCOMPARE(memory.limit()->typed(), QStringLiteral("baseline"));
        QCOMPARE(search.limit()->currentIndex(), static_cast<int>(SearchControls::Limit::baseline));
        QTRY_COMPARE(fixture.workspace.timeline().memoryLimit(), peak);
        memory.takeLimit(QStringLiteral("baseline+10%"));
        QCOMPARE(search.limitBytes(), std::optional(memory.limit()->bytes()));
        QCOMPARE(search.otherLimit()->typed(), QStringLiteral("baseline+10%"));
        search.setLimit(peak + 12345);  // as the chart's slider does
        QVERIFY(memory.limit()->bytes() >= peak + 12345);
        QCOMPARE(search.limitBytes(), std::optional(peak + 12345));
        choose(SearchControls::Limit::none);
        QCOMPARE(memory.limit()->bytes(), 0);
        // That of the plan follows the plan.
        choose(SearchControls::Limit::current);
        const std::int64_t before = memory.limit()->bytes();
        BucketCommands(fixture.document).putIntoNew({QStringLiteral("layers.0"), QStringLiteral("layers.1")});
        QVERIFY(waitForEvaluation(fixture.document));
        QCOMPARE(memory.limit()->bytes(), fixture.document.evaluation()->corrected_memory.peak_bytes);
        QVERIFY(memory.limit()->bytes() != before);
    }

    /// A limit that is typed gives the device no memory.
    void aPeakBeyondTheDeviceIsTooMuchWithinAnyLimit() {
        Fixture fixture;
        LoadedGraph loaded = loadGraph(smallGraphFile());
        GraphHeader header = loaded.graph->header();
        header.cost->memory_bytes = 1ll << 20;
        GraphEditor editor(loaded.graph);
        editor.set_header(std::move(header));
        std::vector<NodeId> origin;
        loaded.graph = editor.finish(origin);
        loaded.baseline = evaluate_baseline(loaded.graph);
        fixture.document.setGraph(loaded);
        const TimelineView& timeline = fixture.workspace.timeline();
        const auto notes = [&] { return timeline.picture(false).memoryNotes.join(u'|'); };
        QTRY_VERIFY_WITH_TIMEOUT(notes().endsWith("too much"), 60'000);
        const QString beyond_device = notes();
        QCOMPARE(timeline.memoryLimit(), 1ll << 20);
        fixture.workspace.memory().setLimit(1000);
        QTRY_COMPARE(timeline.memoryLimit(), 1000ll << 30);
        QCOMPARE(notes(), beyond_device);
    }

    void aNoticeIsSeenWhileAPanelHasTheWindow() {
        Fixture fixture;
        fixture.workspace.enlarged().enlarge(fixture.dock("modules"));
        QVERIFY(!fixture.workspace.notice().isVisible());
        fixture.workspace.notice().showNotice("It exists");
        QVERIFY(fixture.workspace.notice().isVisible());
        fixture.workspace.enlarged().enlarge(fixture.dock("modules"));
        fixture.workspace.notice().addSentence("So does the other");
        QVERIFY(fixture.workspace.notice().isVisible());
    }

    void resetBringsDocksAndViewsBack() {
        Fixture fixture;
        fixture.dock("modules")->hide();
        fixture.workspace.centre().showView("mesh");
        fixture.workspace.resetLayout();
        QVERIFY(fixture.dock("modules")->isVisible());
        QCOMPARE(fixture.workspace.centre().current(), "graph");
    }

    void whatIsKeptComesBack() {
        SessionState state;
        {
            Fixture fixture;
            fixture.dock("modules")->hide();
            fixture.workspace.centre().showView("mesh");
            fixture.workspace.keep(state);
        }
        Fixture fixture;
        fixture.workspace.restore(state);
        QVERIFY(fixture.dock("modules")->isHidden());
        QCOMPARE(fixture.workspace.centre().current(), "mesh");
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::WorkspaceTest)
#include "workspace_test.moc"
