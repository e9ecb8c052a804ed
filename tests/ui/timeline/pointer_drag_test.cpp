#include "ui/timeline/pointer_drag.h"

#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"

namespace overlap::ui {

using Kind = PointerDrag::Kind;

/// Drags in a view of 1000 by 400 pixels that shows the second quarter of a known step.
class PointerDragTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        drag_ = PointerDrag();
        scene_.timeline = test::synthetic_step(16);
        scene_.geometry =
            TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline), QSize(1000, 400), 120, 0);
        const std::int64_t quarter = scene_.timeline->range().length_ns() / 4;
        scene_.range = {quarter, 2 * quarter};
    }

    void aPressIsNoDragUntilThePointerIsFar() {
        drag_.press(scene_, {500, 200});
        QVERIFY(drag_.active());
        drag_.move({501, 200});
        QVERIFY(!drag_.isFar());
        drag_.move({540, 200});
        QVERIFY(drag_.isFar());
        QCOMPARE(drag_.kind(), Kind::Press);  // only the view knows what it becomes
        drag_.end();
        QVERIFY(!drag_.active());
    }

    void panningMovesWhatIsVisibleWithThePointer() {
        drag_.press(scene_, {500, 200});
        drag_.become(Kind::Pan);
        const std::int64_t pressed_ns = scene_.timeAt(500);
        drag_.move({600, 200});
        TimelineScene panned = scene_;
        panned.range = drag_.range(scene_);
        QVERIFY(std::abs(panned.xOf(pressed_ns) - 600) < 1);
        // All moves count from where it began, however far the view has followed.
        QCOMPARE(drag_.range(panned), panned.range);
        QVERIFY(drag_.movesView());
        QCOMPARE(drag_.rangeBefore(), scene_.range);
    }

    void aMarqueeMarksFromLeftToRight() {
        drag_.pressMarquee(scene_, {500, 200});
        drag_.move({400, 200});
        QCOMPARE(drag_.span(scene_), (TimeRange{scene_.timeAt(400), scene_.timeAt(500)}));
        QCOMPARE(drag_.width_px(), 100.0);
        QVERIFY(!drag_.movesView());
    }

    void theRulerBeginsASpan() {
        QVERIFY(!drag_.pressRuler(scene_, std::nullopt, {400, 60}));
        drag_.move({600, 60});
        QCOMPARE(drag_.kind(), Kind::Measure);
        QCOMPARE(drag_.span(scene_), (TimeRange{scene_.timeAt(400), scene_.timeAt(600)}));
    }

    void anEdgeOfWhatIsMeasuredIsTakenAndTheOtherStays() {
        const TimeRange measured{scene_.timeAt(400), scene_.timeAt(600)};
        QVERIFY(drag_.pressRuler(scene_, measured, {402, 60}));
        drag_.move({300, 60});
        QCOMPARE(drag_.span(scene_), (TimeRange{scene_.timeAt(300), measured.end_ns}));
        QVERIFY(drag_.pressRuler(scene_, measured, {598, 60}));
        drag_.move({700, 60});
        QCOMPARE(drag_.span(scene_), (TimeRange{measured.begin_ns, scene_.timeAt(700)}));
        QVERIFY(!drag_.pressRuler(scene_, measured, {500, 60}));
    }

    void theOverviewMovesTheRange() {
        const QRectF visible = scene_.overviewRange();
        const double width = scene_.geometry.overview.width();
        drag_.pressOverview(scene_, visible.center());
        QCOMPARE(drag_.kind(), Kind::Overview);
        drag_.move(visible.center() + QPointF(width / 4, 0));
        const TimeRange moved = drag_.range(scene_);
        QCOMPARE(moved.length_ns(), scene_.range.length_ns());
        const std::int64_t by = moved.begin_ns - scene_.range.begin_ns;
        QVERIFY(std::abs(static_cast<double>(by) / static_cast<double>(scene_.timeline->range().length_ns()) - 0.25) <
                0.01);
        drag_.move(visible.center() + QPointF(10 * width, 0));  // no further than to the end
        QCOMPARE(drag_.range(scene_).end_ns, scene_.timeline->range().end_ns);
    }

    void anEdgeInTheOverviewMovesOneEnd() {
        const QRectF visible = scene_.overviewRange();
        const double y = visible.center().y();
        QCOMPARE(overviewEdgeAt(scene_, {visible.right() - 2, y}), OverviewEdge::End);
        drag_.pressOverview(scene_, {visible.right() - 2, y});
        QCOMPARE(drag_.kind(), Kind::OverviewEdge);
        drag_.move({visible.right() + 50, y});
        QCOMPARE(drag_.range(scene_), (TimeRange{scene_.range.begin_ns, scene_.overviewTimeAt(visible.right() + 50)}));
        drag_.pressOverview(scene_, {visible.left() + 2, y});
        drag_.move({visible.left() - 50, y});
        QCOMPARE(drag_.range(scene_), (TimeRange{scene_.overviewTimeAt(visible.left() - 50), scene_.range.end_ns}));
        // What is a few pixels wide there can only be moved.
        scene_.range.end_ns = scene_.range.begin_ns + scene_.timeline->range().length_ns() / 500;
        QCOMPARE(overviewEdgeAt(scene_, scene_.overviewRange().topLeft()), OverviewEdge::None);
    }

    void thePointerSaysWhatAPressWouldBegin() {
        const QRectF visible = scene_.overviewRange();
        QCOMPARE(cursorAt(scene_, Kind::None, visible.center()), Qt::PointingHandCursor);
        QCOMPARE(cursorAt(scene_, Kind::None, {visible.left(), visible.center().y()}), Qt::SizeHorCursor);
        QCOMPARE(cursorAt(scene_, Kind::None, scene_.geometry.ruler.center()), Qt::IBeamCursor);
        QCOMPARE(cursorAt(scene_, Kind::None, scene_.geometry.lanes.center()), Qt::ArrowCursor);
        QCOMPARE(cursorAt(scene_, Kind::Pan, scene_.geometry.lanes.center()), Qt::ClosedHandCursor);
    }

    void aLaneLandsBeforeTheOneWhoseUpperHalfIsPointedAt() {
        drag_.pressLane(scene_, 2, {20, 200});
        QCOMPARE(drag_.lane(), 2u);
        const QRect first = scene_.geometry.row(0), second = scene_.geometry.row(1), last = scene_.geometry.row(2);
        QCOMPARE(laneDropPlaceAt(scene_, {20, first.top() + 2.0}).before, std::optional(0u));
        const LaneDropPlace middle = laneDropPlaceAt(scene_, {20, first.bottom() - 2.0});
        QCOMPARE(middle.before, std::optional(1u));
        QCOMPARE(middle.line_y, second.top());
        const LaneDropPlace end = laneDropPlaceAt(scene_, {20, last.bottom() + 20.0});
        QVERIFY(!end.before);
        QCOMPARE(end.line_y, last.bottom());
    }

  private:
    TimelineScene scene_;
    PointerDrag drag_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PointerDragTest)
#include "pointer_drag_test.moc"
