#include "ui/timeline/chosen_events.h"

#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"

namespace overlap::ui {

/// Collectives that are chosen in a view of 1000 by 400 pixels.
class ChosenEventsTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        scene_.timeline = test::synthetic_step(4);
        scene_.geometry =
            TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline), QSize(1000, 400), 120, 0);
        scene_.range = {0, scene_.timeline->range().end_ns / 2};
        chosen_ = {};
        chosen_.setMovable([this](quint32 reference) { return reference != fixed_; });
        fixed_ = no_reference;
    }

    void theSelectedOneIsTheFirst() {
        chosen_.toggle(timeline(), {1, 2}, {1, 1});
        QCOMPARE(chosen_.references(), references({1, 2}));
        chosen_.toggle(timeline(), {1, 0}, {1, 3});
        QCOMPARE(chosen_.references(), references({1, 2, 0}));
        chosen_.toggle(timeline(), {1, 2}, {});
        QCOMPARE(chosen_.references(), references({1, 0}));
    }

    void onlyWhatCanBeMovedIsChosen() {
        chosen_.toggle(timeline(), {0, 2}, {0, 1});
        QVERIFY(chosen_.references().empty());
        chosen_.toggle(timeline(), {0, 2}, {1, 1});  // nor does it choose what is selected
        QVERIFY(chosen_.references().empty());
        fixed_ = test::first_gather + 1;
        chosen_.toggle(timeline(), {1, 1}, {});
        QVERIFY(chosen_.references().empty());
        chosen_.setMovable({});
        chosen_.toggle(timeline(), {1, 2}, {});
        QVERIFY(chosen_.references().empty());
    }

    void aChoiceOutlastsThatNothingCanBeMoved() {
        chosen_.setMovable([](quint32) { return false; });
        chosen_.set(timeline(), references({0, 2, 2}));
        QCOMPARE(chosen_.references(), references({0, 2}));
        chosen_.set(timeline(), {no_reference});
        QVERIFY(chosen_.references().empty());
    }

    void oneAloneIsMovedAlone() {
        chosen_.set(timeline(), references({1}));
        QVERIFY(!chosen_.moveTogether(test::first_gather + 1));
        chosen_.set(timeline(), references({1, 2}));
        QVERIFY(chosen_.moveTogether(test::first_gather + 1));
        QVERIFY(!chosen_.moveTogether(test::first_gather + 3));
    }

    void aBandChoosesWhatItTouches() {
        const QRectF first = scene_.eventRect({1, 1}), last = scene_.eventRect({1, 3});
        chosen_.set(timeline(), references({3}));
        chosen_.beginBand();
        // From within one to within another, over all lanes: compute is left out.
        chosen_.chooseIn(scene_, QRectF(QPointF(first.center().x(), 0), QPointF(last.left() - 4, 400)));
        QCOMPARE(chosen_.references(), references({3, 1, 2}));
        // It shrinks again with the pointer.
        chosen_.chooseIn(scene_, QRectF(first.center(), QSizeF(1, 1)));
        QCOMPARE(chosen_.references(), references({3, 1}));
        // Beside the lane there is nothing.
        chosen_.chooseIn(scene_, QRectF(QPointF(first.left(), 0), QPointF(last.right(), first.top() - 8)));
        QCOMPARE(chosen_.references(), references({3}));
        chosen_.chooseIn(scene_, first);
        chosen_.cancelBand();
        QCOMPARE(chosen_.references(), references({3}));
    }

    void aTimeChoosesOutOfViewToo() {
        const QRectF first = scene_.eventRect({1, 1}), last = scene_.eventRect({1, 3});
        const TimeRange times{scene_.timeAt(first.center().x()), scene_.timeAt(last.left() - 4)};
        // So low that no lane of a process group has room.
        scene_.geometry =
            TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline), QSize(1000, 60), 120, 0);
        QVERIFY(scene_.geometry.bar(1).intersected(scene_.geometry.clip(1)).isEmpty());
        chosen_.set(timeline(), references({3}));
        chosen_.beginBand();
        chosen_.chooseDuring(scene_, times);
        QCOMPARE(chosen_.references(), references({3, 1, 2}));
    }

  private:
    const Timeline& timeline() const { return *scene_.timeline; }
    static std::vector<quint32> references(std::vector<quint32> gathers) {
        for (quint32& gather : gathers) gather += test::first_gather;
        return gathers;
    }

    TimelineScene scene_;
    ChosenEvents chosen_;
    quint32 fixed_ = no_reference;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ChosenEventsTest)
#include "chosen_events_test.moc"
