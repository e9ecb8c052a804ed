#include "ui/timeline/event_drag.h"

#include <QWidget>
#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"

namespace overlap::ui {

/// Events that are dragged in a view of 1000 by 400 pixels, with a handler that notes what it is asked.
class EventDragTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        scene_.timeline = test::synthetic_step(4);
        scene_.geometry =
            TimelineGeometry::of(*scene_.timeline, LaneRows::of(*scene_.timeline), QSize(1000, 400), 120, 0);
        scene_.range = {0, scene_.timeline->range().end_ns / 2};
        places_.clear();
        begun_.clear();
        dropped_ = cancelled_ = false;
        chosen_ = {};
        chosen_.setMovable([](quint32) { return true; });
        drag_ = std::make_unique<EventDrag>(scene_, viewport_);
    }

    void withoutAHandlerNothingIsTaken() { QVERIFY(!drag_->begin(middleOf(gather_), chosen_)); }

    void onlyEventsOfProcessGroupsAreTaken() {
        handle();
        QVERIFY(!drag_->begin(middleOf({0, 3}), chosen_));
        QVERIFY(!drag_->begin({10, 10}, chosen_));
        QVERIFY(begun_.empty());
        QVERIFY(drag_->begin(middleOf(gather_), chosen_));
        QCOMPARE(begun_, std::vector<quint32>{test::first_gather + 1});
    }

    void theHandlerMayRefuse() {
        handle(false);
        QVERIFY(!drag_->begin(middleOf(gather_), chosen_));
    }

    void chosenEventsAreTakenTogether() {
        handle();
        chosen_.toggle(*scene_.timeline, {1, 2}, gather_);
        chosen_.toggle(*scene_.timeline, {1, 0}, {});
        QVERIFY(drag_->begin(middleOf({1, 2}), chosen_));
        QCOMPARE(begun_, (std::vector<quint32>{test::first_gather + 2, test::first_gather + 1, test::first_gather}));
        QCOMPARE(drag_->grip().others.size(), 2u);
        // Another one is taken alone.
        QVERIFY(drag_->begin(middleOf({1, 3}), chosen_));
        QCOMPARE(begun_, std::vector<quint32>{test::first_gather + 3});
        QVERIFY(drag_->grip().others.empty());
    }

    void theEventKeepsItsPlaceUnderThePointer() {
        handle();
        const QPointF middle = middleOf(gather_);
        drag_->begin(middle, chosen_);
        QVERIFY(!drag_->grip().byEnd);
        drag_->move(middle + QPointF(50, 0));
        const double moved = scene_.xOf(places_.back().time_ns) - scene_.xOf(scene_.timeline->event(gather_).begin_ns);
        QVERIFY(std::abs(moved - 50) < 1);
    }

    void takenByItsEndTheEndMoves() {
        handle();
        const QRectF drawn = scene_.eventRect(gather_);
        drag_->begin({drawn.right() - 2, drawn.center().y()}, chosen_);
        QVERIFY(drag_->grip().byEnd);
        drag_->move({drawn.right() + 48, drawn.center().y()});
        const double moved = scene_.xOf(places_.back().time_ns) - scene_.xOf(scene_.timeline->event(gather_).end_ns);
        QVERIFY(std::abs(moved - 50) < 1);
    }

    void whatLiesUnderThePointerIsAskedForButNotTheEventItself() {
        handle();
        drag_->begin(middleOf(gather_), chosen_);
        drag_->move(middleOf(gather_));
        QCOMPARE(places_.back().under, no_reference);
        drag_->move(middleOf({1, 2}));
        QCOMPARE(places_.back().under, test::first_gather + 2);
    }

    void theAnswerIsASentence() {
        handle();
        drag_->begin(middleOf(gather_), chosen_);
        drag_->move(middleOf({1, 2}));
        QCOMPARE(drag_->words(), QStringLiteral("is issued before mm. . step faster, peak higher"));
    }

    void itEndsWithADropOrIsCancelled() {
        handle();
        drag_->begin(middleOf(gather_), chosen_);
        drag_->move(middleOf({1, 2}));
        drag_->cancel();
        QVERIFY(cancelled_ && !dropped_);
        drag_->begin(middleOf(gather_), chosen_);
        drag_->move(middleOf({1, 2}));
        drag_->drop();
        QVERIFY(dropped_);
        QCOMPARE(places_.back().under, test::first_gather + 2);
    }

  private:
    QPointF middleOf(EventLocation location) const { return scene_.eventRect(location).center(); }
    void handle(bool accepted = true) {
        drag_->setHandler({[](quint32) { return true; },
                           [this, accepted](const std::vector<quint32>& references, bool) {
                               begun_ = references;
                               return accepted;
                           },
                           [this](const EventDragPlace& place) {
                               places_.push_back(place);
                               return EventDragAnswer{QStringLiteral("is issued before mm"),
                                                      {},
                                                      {},
                                                      {QStringLiteral("step faster"), QStringLiteral("peak higher")},
                                                      true};
                           },
                           [this](const EventDragPlace& place) {
                               places_.push_back(place);
                               dropped_ = true;
                           },
                           [this] { cancelled_ = true; }});
    }

    const EventLocation gather_{1, 1};
    TimelineScene scene_;
    ChosenEvents chosen_;
    QWidget viewport_;
    std::unique_ptr<EventDrag> drag_;
    std::vector<quint32> begun_;
    std::vector<EventDragPlace> places_;
    bool dropped_ = false, cancelled_ = false;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::EventDragTest)
#include "event_drag_test.moc"
