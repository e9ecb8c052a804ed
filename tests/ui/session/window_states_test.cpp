// The small objects that remember what the window waits for and what it has said.

#include <QtTest>

#include "ui/session/pending_plans.h"
#include "ui/session/range_restore.h"
#include "ui/session/refused_once.h"
#include "ui/session/session_state.h"

namespace overlap::ui {

class WindowStatesTest : public QObject {
    Q_OBJECT

    static SessionDocument keptRange(double start_ms, double end_ms) {
        SessionDocument kept;
        kept.range_start_ms = start_ms;
        kept.range_end_ms = end_ms;
        return kept;
    }

  private slots:
    void closingIsRefusedOnceForTheSameReasons() {
        RefusedOnce<QStringList> refused;
        QVERIFY(!refused.refuses({}));
        QVERIFY(refused.refuses({"a"}));
        QVERIFY(!refused.refuses({"a"}));
    }

    void otherReasonsAreRefusedAnew() {
        RefusedOnce<QStringList> refused;
        QVERIFY(refused.refuses({"a"}));
        QVERIFY(refused.refuses({"a", "b"}));
        QVERIFY(!refused.refuses({}));
        QVERIFY(!refused.refuses({"a", "b"}));
        QVERIFY(refused.refuses({"a"}));
    }

    void plansWaitInOrderAndOnce() {
        PendingPlans plans;
        QVERIFY(plans.empty());
        plans.add("b");
        plans.add("a");
        QCOMPARE(plans.first(), QStringLiteral("b"));
        QCOMPARE(plans.take(), (QStringList{"b", "a"}));
        QVERIFY(plans.empty() && plans.take().isEmpty());
    }

    void plansWithoutAGraphAreForgotten() {
        PendingPlans plans;
        plans.add("a");
        plans.clear();
        QVERIFY(plans.take().isEmpty());
    }

    void aKeptRangeIsShownOnceForEachGraph() {
        const SessionDocument kept = keptRange(1, 2.5);
        RangeRestore range;
        QVERIFY(!range.timelineShown(&kept));
        range.graphOpened();
        const auto shown = range.timelineShown(&kept);
        QVERIFY(shown && shown->begin_ns == 1'000'000 && shown->end_ns == 2'500'000);
        QVERIFY(!range.timelineShown(&kept));
        range.graphOpened();
        QVERIFY(range.timelineShown(&kept));
    }

    void nothingIsShownOfNoRange() {
        const SessionDocument empty = keptRange(0, 0);
        RangeRestore range;
        range.graphOpened();
        QVERIFY(!range.timelineShown(nullptr));
        range.graphOpened();
        QVERIFY(!range.timelineShown(&empty));
        QVERIFY(!range.timelineShown(&empty));
    }

    void whileTheTimelineIsAwaitedTheOlderRangeIsKept() {
        const SessionDocument older = keptRange(1, 2);
        const TimeRange shown{3'000'000, 4'000'000};
        RangeRestore range;
        range.graphOpened();
        SessionDocument kept;
        range.fill(kept, &older, shown);
        QCOMPARE(kept.range_start_ms, 1.0);
        QCOMPARE(kept.range_end_ms, 2.0);
        SessionDocument of_new_graph;
        range.fill(of_new_graph, nullptr, shown);
        QCOMPARE(of_new_graph.range_end_ms, 0.0);

        range.timelineShown(&older);
        range.fill(kept, &older, shown);
        QCOMPARE(kept.range_start_ms, 3.0);
        QCOMPARE(kept.range_end_ms, 4.0);
    }
};

}  // namespace overlap::ui

QTEST_APPLESS_MAIN(overlap::ui::WindowStatesTest)
#include "window_states_test.moc"
