#include "ui/timeline/event_steps.h"

#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"

namespace overlap::ui {

/// Where keys lead in a known step: compute in lane 0, gathers in lane 1, scatters in lane 2.
class EventStepsTest : public QObject {
    Q_OBJECT

  private slots:
    void aLaneIsWalkedUpToItsEnds() {
        QCOMPARE(steppedInLane(*timeline_, {1, 3}, +1), (EventLocation{1, 4}));
        QCOMPARE(steppedInLane(*timeline_, {1, 3}, -1), (EventLocation{1, 2}));
        QVERIFY(!steppedInLane(*timeline_, {1, 0}, -1).valid());
        QVERIFY(!steppedInLane(*timeline_, {1, timeline_->lanes()[1].size() - 1}, +1).valid());
    }

    void theNextLaneIsEnteredAtTheSameTime() {
        const EventLocation gather{1, 3};
        const EventLocation above = steppedAcrossLanes(*timeline_, rows_, timeline_->range(), gather, -1);
        QCOMPARE(above.lane, 0u);
        const TimeRange from = timeline_->event(gather);
        const std::int64_t middle_ns = from.begin_ns + from.length_ns() / 2;
        const auto distance = [&](std::uint32_t event) {
            const TimeRange to = timeline_->event({0, event});
            return std::max({to.begin_ns - middle_ns, middle_ns - to.end_ns, std::int64_t{0}});
        };
        for (std::uint32_t event = 0; event < timeline_->lanes()[0].size(); ++event)
            QVERIFY(distance(above.event) <= distance(event));
        QVERIFY(!steppedAcrossLanes(*timeline_, rows_, timeline_->range(), above, -1).valid());
    }

    void emptyLanesAreSteppedOver() {
        TimelineBuilder builder;
        const std::uint32_t first = builder.add_lane({"first", "", LaneKind::other, EventRole::compute});
        builder.add_lane({"empty", "", LaneKind::other, EventRole::compute});
        const std::uint32_t last = builder.add_lane({"last", "", LaneKind::other, EventRole::compute});
        builder.add(first, {{0, 10}, builder.intern("a"), EventRole::compute, 1, 0});
        builder.add(last, {{0, 10}, builder.intern("b"), EventRole::compute, 2, 0});
        const auto timeline = builder.finish();
        QCOMPARE(steppedAcrossLanes(*timeline, LaneRows::of(*timeline), timeline->range(), {0, 0}, +1).lane, 2u);
    }

    void withoutASelectionTheMiddleOfTheUppermostLaneIsEntered() {
        const TimeRange visible = timeline_->event({0, 9});
        QCOMPARE(steppedAcrossLanes(*timeline_, rows_, visible, {}, 0), (EventLocation{0, 9}));
    }

    void exposedCollectivesAreWalkedFromTheWorst() {
        const auto exposed = [this](EventLocation at) { return timeline_->exposed_ns(at); };
        const EventLocation worst = steppedByExposure(*timeline_, {}, +1);
        const EventLocation next = steppedByExposure(*timeline_, worst, +1);
        QVERIFY(exposed(worst) >= exposed(next) && exposed(next) > 0);
        QCOMPARE(steppedByExposure(*timeline_, next, -1), worst);
        const EventLocation least = steppedByExposure(*timeline_, worst, -1);  // around the end
        QVERIFY(exposed(least) <= exposed(next));
        QCOMPARE(steppedByExposure(*timeline_, least, +1), worst);
    }

    void flowLeadsToWhatTheTimelineHas() {
        const std::vector<TimelineArrow> arrows{{7, 123456}, {7, 24}, {5, 7}};
        QCOMPARE(timeline_->reference(steppedAlongFlow(*timeline_, arrows, 7, +1)), 24u);
        QCOMPARE(timeline_->reference(steppedAlongFlow(*timeline_, arrows, 7, -1)), 5u);
        QVERIFY(!steppedAlongFlow(*timeline_, arrows, 24, +1).valid());
    }

  private:
    const std::shared_ptr<const Timeline> timeline_ = test::synthetic_step(16);
    const LaneRows rows_ = LaneRows::of(*timeline_);
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::EventStepsTest)
#include "event_steps_test.moc"
