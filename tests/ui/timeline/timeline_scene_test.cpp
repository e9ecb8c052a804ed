#include "ui/timeline/drawing/timeline_scene.h"

#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"

namespace overlap::ui {

/// Positions in a view of 1000 by 400 pixels that shows the second quarter of a known step.
class TimelineSceneTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        scene_.timeline = test::synthetic_step(16);
        scene_.geometry =
            TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline), QSize(1000, 400), 120, 0);
        const std::int64_t quarter = scene_.timeline->range().length_ns() / 4;
        scene_.range = {quarter, 2 * quarter};
    }

    void timesAreBetweenTheEndsOfTheLanes() {
        const QRect lanes = scene_.geometry.lanes;
        QCOMPARE(scene_.timeAt(lanes.left()), scene_.range.begin_ns);
        QCOMPARE(scene_.timeAt(lanes.left() + lanes.width()), scene_.range.end_ns);
        QCOMPARE(scene_.timeAt(0), scene_.range.begin_ns);
        QCOMPARE(scene_.timeAt(5000), scene_.range.end_ns);
    }

    void aTimeIsWhereItsPositionIsRead() {
        const std::int64_t time_ns = scene_.range.begin_ns + scene_.range.length_ns() / 3;
        QVERIFY(std::abs(scene_.timeAt(scene_.xOf(time_ns)) - time_ns) <= 1);
        QVERIFY(scene_.xOf(0) < scene_.geometry.lanes.left());  // not visible, but somewhere
    }

    void theOverviewShowsAllOfTheTimeline() {
        const QRect overview = scene_.geometry.overview;
        QCOMPARE(scene_.overviewTimeAt(overview.left()), scene_.timeline->range().begin_ns);
        QCOMPARE(scene_.overviewTimeAt(5000), scene_.timeline->range().end_ns);
        const QRectF visible = scene_.overviewRange();
        QVERIFY(std::abs(visible.left() - (overview.left() + overview.width() / 4.0)) <= 1.5);
        QVERIFY(std::abs(visible.width() - overview.width() / 4.0) <= 1.5);
    }

    void anEventIsFoundWhereItIsDrawn() {
        const EventLocation gather{1, 12};
        const QPointF middle = scene_.eventRect(gather).center();
        QVERIFY(scene_.geometry.lanes.contains(middle.toPoint()));
        QCOMPARE(scene_.eventAt(middle), gather);
        QVERIFY(!scene_.eventAt({10, middle.y()}).valid());  // on the lane's title
        QVERIFY(!scene_.eventAt({middle.x(), 5}).valid());   // above all lanes
    }

    void communicationIsInViewInALowWindowToo() {
        for (const int height : {140, 160, 200, 400}) {
            const auto geometry =
                TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline), QSize(400, height), 120, 0);
            std::uint32_t lane = 0;
            while (scene_.timeline->lanes()[lane].description.kind != LaneKind::process_group) ++lane;
            QVERIFY2(geometry.clip(lane).contains(geometry.bar(lane)), qPrintable(QString::number(height)));
            QVERIFY(geometry.memory.bottom() < height);
        }
    }

    void everyProcessGroupIsInViewWhereAllFit() {
        for (const int height : {190, 200, 220, 400}) {
            const auto geometry =
                TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline), QSize(400, height), 120, 0);
            for (std::uint32_t lane = 0; lane < scene_.timeline->lanes().size(); ++lane) {
                if (scene_.timeline->lanes()[lane].description.kind != LaneKind::process_group) continue;
                QVERIFY2(geometry.clip(lane).contains(geometry.bar(lane)),
                         qPrintable(QStringLiteral("lane %1 at %2").arg(lane).arg(height)));
            }
            QVERIFY(!geometry.memory.isEmpty());
        }
    }

  private:
    TimelineScene scene_;
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::TimelineSceneTest)
#include "timeline_scene_test.moc"
