#include <QComboBox>
#include <QDockWidget>
#include <QItemSelectionModel>
#include <QLabel>
#include <QTabBar>
#include <QTreeView>

#include "core/measure/variant_comparison.h"
#include "core/timeline/timeline.h"
#include "tests/ui/shell/opened_window.h"
#include "tests/ui/shell/slow_trace.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/frame/variant_bar.h"
#include "ui/measure/compare_panel.h"
#include "ui/measure/compared_sides.h"
#include "ui/measure/comparison_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// What panels say and mark while a trace is in the timeline.
class BesideTraceWindowTest : public QObject {
    Q_OBJECT

    /// The first event that is no collective.
    static EventLocation computeOf(const Timeline& timeline) {
        for (std::uint32_t lane = 0; lane < timeline.lanes().size(); ++lane)
            if (timeline.lanes()[lane].description.kind == LaneKind::compute) return {lane, 0};
        return {};
    }

  private slots:
    void panelsOfThePlanSayWhoseFiguresTheyHaveBesideATrace() {
        QTemporaryDir folder;
        const QString trace = writeSlowTrace(folder);
        MainWindow window(folder.filePath("session"));
        window.resize(1600, 1000);
        window.show();
        window.openFiles({smallGraphFile(), trace});
        QVERIFY(waitUntilIdle(window));
        const auto headingNote = [&](const char* dock) {
            return window.findChild<QDockWidget*>(dock)->titleBarWidget()->findChild<QLabel*>("dockNote")->text();
        };
        const auto noteBesideTabs = [&](const char* dock) {
            window.workspace().docks().bringToFront({QString::fromLatin1(dock)});
            QTest::qWait(0);
            for (const QTabBar* tabs : window.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
                if (const auto* note = tabs->findChild<QLabel*>("dockNote"); note && note->isVisible())
                    return note->text();
            return QString();
        };
        for (const char* dock : {"modules", "buckets"}) QCOMPARE(headingNote(dock), "of Plan A");
        for (const char* dock : {"collectives", "advice", "memory", "passes", "groups"})
            QCOMPARE(noteBesideTabs(dock), "of Plan A");
        for (const char* dock : {"compare", "statistics", "problems"}) QCOMPARE(noteBesideTabs(dock), QString());

        // The inspector has either.
        QCOMPARE(headingNote("inspector"), QString());
        window.document().selection().selectModule(QStringLiteral("layers.0"));
        QTRY_COMPARE(headingNote("inspector"), "of Plan A");
        window.workspace().timeline().selectEvent({0, 0});
        QTRY_COMPARE(headingNote("inspector"), QString());

        window.workspace().variants().tabs()->setCurrentIndex(1);
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(headingNote("modules"), QString());
        QCOMPARE(noteBesideTabs("collectives"), QString());
    }

    void whatIsChosenInCompareIsMarkedInTheTimelineAndBack() {
        const QTemporaryDir folder;
        const QString trace = writeSlowTrace(folder);
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        window.openFiles({smallGraphFile(), trace});
        QVERIFY(waitUntilIdle(window));
        window.actions().find("view.go.compare")->trigger();
        QVERIFY(waitUntilIdle(window));
        ComparePanel& compare = window.workspace().compare();
        TimelineView& timeline = window.workspace().timeline();
        const auto steps = compare.model()->steps();
        QVERIFY(steps && steps->comparison.rows.size() > 2);
        const auto lengthOf = [&](int row) {
            const StepCollective& at =
                steps->measured->step.collectives[steps->comparison.rows[static_cast<std::size_t>(row)].after->index];
            return at.length_ns();
        };
        const auto markedRow = [&] {
            const QModelIndexList marked = compare.view()->selectionModel()->selectedRows();
            return marked.size() == 1 ? marked.front().row() : -1;
        };
        for (const int row : {1, 0}) {
            compare.view()->setCurrentIndex(compare.view()->model()->index(row, 0));
            emit compare.view()->activated(compare.view()->model()->index(row, 0));
            QVERIFY(timeline.selection().valid());
            QCOMPARE(timeline.timeline()->event(timeline.selection()).length_ns(), lengthOf(row));
            QCOMPARE(markedRow(), row);
        }
        const EventLocation first = timeline.selection();
        emit compare.view()->activated(compare.view()->model()->index(2, 0));
        QVERIFY(timeline.selection() != first);

        // What the timeline selects is marked in Compare, and what is no collective there marks nothing.
        timeline.selectEvent(first);
        QCOMPARE(markedRow(), 0);
        timeline.selectEvent(computeOf(*timeline.timeline()));
        QCOMPARE(markedRow(), -1);

        // The same beside the plan's own timeline.
        window.workspace().variants().tabs()->setCurrentIndex(1);
        QVERIFY(waitUntilIdle(window));
        compare.sides().after()->setCurrentIndex(compare.sides().after()->findText("Measured"));
        QVERIFY(waitUntilIdle(window));
        QVERIFY(compare.model()->steps() && compare.model()->steps()->measured);
        const std::string node = compare.model()->steps()->comparison.rows[1].before->name;
        window.document().selection().selectNode(QString::fromStdString(node));
        QCOMPARE(markedRow(), 1);
        window.document().selection().clear();
        QCOMPARE(markedRow(), -1);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::BesideTraceWindowTest)
#include "beside_trace_window_test.moc"
