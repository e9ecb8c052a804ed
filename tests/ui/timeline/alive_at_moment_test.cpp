#include "ui/timeline/alive_at_moment.h"

#include <QSignalSpy>
#include <QTreeWidget>
#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"

namespace overlap::ui {

/// What is alive in a known step, on a plain widget that scrolls.
class AliveAtMomentTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        view_ = std::make_unique<QAbstractScrollArea>();
        view_->setFrameShape(QFrame::NoFrame);
        view_->resize(1400, 600);
        view_->show();
        QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
        show(test::synthetic_step(16));
        alive_ = std::make_unique<AliveAtMoment>(scene_, *view_);
        points_.clear();
        alive_->setProvider([this](std::size_t point) {
            points_.push_back(point);
            return AliveTensors{1 << 20, 1, QStringLiteral("estimate"), {{4, QStringLiteral("mm"), {}, 1 << 20, {}}}};
        });
    }
    void cleanup() {
        alive_.reset();
        view_.reset();
    }

    void thePointThatHoldsAtTheMomentIsAskedFor() {
        const std::vector<std::int64_t>& times_ns = scene_.timeline->memory().time_ns;
        alive_->show(times_ns[7]);
        QCOMPARE(points_.back(), std::size_t{7});
        alive_->show(times_ns[7] - 1);
        QVERIFY(times_ns[points_.back()] < times_ns[7]);
        alive_->show(0);  // before the first point, that one
        QCOMPARE(points_.back(), std::size_t{0});
        QCOMPARE(alive_->time_ns(), std::optional<std::int64_t>(0));
    }

    void withoutProviderOrMemoryNothingIsListed() {
        show(test::synthetic_trace(100, 2));
        QVERIFY(!alive_->canShow());
        alive_->show(1000);
        QVERIFY(points_.empty() && !panel() && !alive_->time_ns());
        show(test::synthetic_step(16));
        QVERIFY(alive_->canShow());
        alive_->setProvider({});
        QVERIFY(!alive_->canShow());
    }

    void theListLiesBesideTheMoment() {
        const TimeRange whole = scene_.range;
        alive_->show(whole.begin_ns + whole.length_ns() / 10);
        QVERIFY(panel()->geometry().left() > scene_.xOf(*alive_->time_ns()));
        alive_->show(whole.end_ns - whole.length_ns() / 10);
        QVERIFY(panel()->geometry().right() < scene_.xOf(*alive_->time_ns()));
        QVERIFY(view_->viewport()->rect().contains(panel()->geometry()));
        QVERIFY(panel()->geometry().top() > scene_.geometry.ruler.bottom());
    }

    void aTensorIsChosen() {
        QSignalSpy chosen(alive_.get(), &AliveAtMoment::chosen);
        alive_->show(1'000'000'000);
        QTest::keyClick(&panel()->list(), Qt::Key_Return);
        QCOMPARE(chosen.count(), 1);
        QCOMPARE(chosen[0][0].value<quint32>(), 4u);
    }

    void closedByTheUserThereIsNoMoment() {
        alive_->show(1'000'000);
        QSignalSpy closed(alive_.get(), &AliveAtMoment::closed);
        QTest::keyClick(&panel()->list(), Qt::Key_Escape);
        QCOMPARE(closed.count(), 1);
        QVERIFY(!alive_->time_ns());
    }

    void theMomentGoesWithItsTimeline() {
        alive_->show(1'000'000);
        QSignalSpy closed(alive_.get(), &AliveAtMoment::closed);
        alive_->forget();
        QVERIFY(!alive_->time_ns());
        QVERIFY(!panel()->isVisible());
        QCOMPARE(closed.count(), 0);  // not the user's doing: the focus stays where it is
    }

  private:
    void show(std::shared_ptr<const Timeline> timeline) {
        scene_.timeline = std::move(timeline);
        scene_.geometry =
            TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline), QSize(1400, 600), 120, 0);
        scene_.range = scene_.timeline->range();
    }
    AlivePanel* panel() { return view_->findChild<AlivePanel*>(); }

    TimelineScene scene_;
    std::unique_ptr<QAbstractScrollArea> view_;
    std::unique_ptr<AliveAtMoment> alive_;
    std::vector<std::size_t> points_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::AliveAtMomentTest)
#include "alive_at_moment_test.moc"
