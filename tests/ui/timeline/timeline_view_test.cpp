#include "ui/timeline/timeline_view.h"

#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/range_measurement.h"

namespace overlap::ui {

/// Mouse, wheel and keys as a person uses them, on a step whose events are known.
class TimelineViewTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        view_ = std::make_unique<TimelineView>();
        view_->resize(1000, 400);
        view_->setTimeline(test::synthetic_step(16), QStringLiteral("simulated"));
        view_->show();
        QVERIFY(QTest::qWaitForWindowExposed(view_.get()));
        view_->setFocus();
    }
    void cleanup() { view_.reset(); }

    void showsAllAtFirst() {
        QCOMPARE(view_->visibleRange(), whole());
        QVERIFY(view_->accessibleDescription().contains(QStringLiteral("lanes: 3")));
        QVERIFY(!view_->accessibleName().isEmpty());
    }

    void allKeysMayBePressedBeforeThereIsATimeline() {
        TimelineView empty;
        for (const char key : std::string_view("WASDF0EPRBLM[].,")) QTest::keyClick(&empty, key);
        QCOMPARE(empty.timeline()->event_count(), std::uint64_t{0});
        QVERIFY(!empty.selection().valid());
    }

    void controlWheelZoomsAtThePointer() {
        const double x = view_->geometryOfParts().lanes.left() + 400;
        const std::int64_t before = axis().time_at(400);
        turnWheel({x, middleOf(0)}, 120, Qt::ControlModifier);
        QVERIFY(length() < whole().length_ns());
        QVERIFY(std::abs(axis().x_of(before) - 400) < 1.5);
        turnWheel({x, middleOf(0)}, -120, Qt::ControlModifier);
        QCOMPARE(view_->visibleRange(), whole());
    }

    void shiftWheelPans() {
        zoomInto(0.4, 0.6);
        const TimeRange before = view_->visibleRange();
        turnWheel({500.0, middleOf(0)}, -120, Qt::ShiftModifier);
        QVERIFY(view_->visibleRange().begin_ns > before.begin_ns);
        QCOMPARE(length(), before.length_ns());
    }

    void plainWheelPansWhereAllLanesAreSeen() {
        QCOMPARE(view_->verticalScrollBar()->maximum(), 0);
        zoomInto(0.4, 0.6);
        const TimeRange before = view_->visibleRange();
        turnWheel({500.0, middleOf(0)}, -120, Qt::NoModifier);
        QVERIFY(view_->visibleRange().begin_ns > before.begin_ns);
        QCOMPARE(length(), before.length_ns());
    }

    void plainWheelScrollsLanes() {
        view_->resize(1000, 170);
        QTRY_VERIFY(view_->verticalScrollBar()->maximum() > 0);
        turnWheel({500, 100}, -120, Qt::NoModifier);
        QVERIFY(view_->verticalScrollBar()->value() > 0);
        QCOMPARE(view_->visibleRange(), whole());
    }

    void keysZoomAndPan() {
        QTest::keyClick(view_.get(), Qt::Key_W);
        const TimeRange zoomed = view_->visibleRange();
        QVERIFY(zoomed.length_ns() < whole().length_ns());
        QTest::keyClick(view_.get(), Qt::Key_D);
        QVERIFY(view_->visibleRange().begin_ns > zoomed.begin_ns);
        QTest::keyClick(view_.get(), Qt::Key_Left);
        QCOMPARE(view_->visibleRange(), zoomed);
        QTest::keyClick(view_.get(), Qt::Key_A);
        QTest::keyClick(view_.get(), Qt::Key_S);
        QVERIFY(length() > zoomed.length_ns());
        QTest::keyClick(view_.get(), Qt::Key_0);
        QCOMPARE(view_->visibleRange(), whole());
    }

    void keysGoByTheirPlaceOnTheKeyboard() {
        // On a French keyboard the key at W's place types Z. Its scan code on X11 and Wayland is 25.
        QKeyEvent press(QEvent::KeyPress, Qt::Key_Z, Qt::NoModifier, 25, 0, 0, QStringLiteral("z"));
        QKeyEvent release(QEvent::KeyRelease, Qt::Key_Z, Qt::NoModifier, 25, 0, 0, QStringLiteral("z"));
        QCoreApplication::sendEvent(view_.get(), &press);
        QCoreApplication::sendEvent(view_.get(), &release);
        QVERIFY(length() < whole().length_ns());
    }

    void heldKeysKeepMoving() {
        QTest::keyPress(view_.get(), Qt::Key_W);
        const std::int64_t afterStep = length();
        QTRY_VERIFY(length() < afterStep);
        QTest::keyRelease(view_.get(), Qt::Key_W);
        const std::int64_t released = length();
        QVERIFY(comesToRest());
        QCOMPARE(length(), released);
    }

    void clickSelectsAndTells() {
        QSignalSpy selected(view_.get(), &TimelineView::eventSelected);
        const EventLocation gather{1, 3};
        click(view_->eventRect(gather).center());
        QCOMPARE(selected.count(), 1);
        QCOMPARE(selected[0][0].value<quint32>(), test::first_gather + 3);
        QCOMPARE(selected[0][1].toInt(), 1);
        QCOMPARE(view_->selection(), gather);
        QVERIFY(view_->accessibleDescription().contains(QStringLiteral("all_gather layers.3")));
        // The title is no place beside all events.
        click(view_->geometryOfParts().header.topLeft() + QPointF(20, 10));
        QCOMPARE(view_->selection(), gather);
        QTest::keyClick(view_.get(), Qt::Key_Escape);
        QCOMPARE(selected.last()[0].value<quint32>(), no_reference);
        QVERIFY(!view_->selection().valid());
    }

    void selectingByReferenceFindsTheEventButTellsNobody() {
        QSignalSpy selected(view_.get(), &TimelineView::eventSelected);
        zoomInto(0.9, 1.0);
        view_->selectReference(test::first_gather + 2);
        QCOMPARE(view_->selection(), (EventLocation{1, 2}));
        const QRectF place = view_->eventRect(view_->selection());
        QVERIFY(place.right() > view_->geometryOfParts().lanes.left());
        QVERIFY(place.left() < view_->geometryOfParts().lanes.right());
        view_->selectReference(123456);
        QVERIFY(!view_->selection().valid());
        QCOMPARE(selected.count(), 0);
    }

    void focusFitsTheSelectionAndThenAll() {
        view_->selectReference(test::first_gather + 5);
        QTest::keyClick(view_.get(), Qt::Key_F);
        const TimeRange event = view_->timeline()->event(view_->selection());
        QVERIFY(view_->visibleRange().begin_ns <= event.begin_ns && view_->visibleRange().end_ns >= event.end_ns);
        QVERIFY(length() < 2 * event.length_ns());
        QTest::keyClick(view_.get(), Qt::Key_F);
        QCOMPARE(view_->visibleRange(), whole());
    }

    void doubleClickFits() {
        QTest::mouseDClick(view_->viewport(), Qt::LeftButton, {}, view_->eventRect({2, 4}).center().toPoint());
        const TimeRange event = view_->timeline()->event({2, 4});
        QVERIFY(length() < event.length_ns() * 6 / 5);
    }

    void theMiddleButtonPansAlsoFromAnEvent() {
        zoomInto(0.4, 0.6);
        const TimeRange before = view_->visibleRange();
        const QPointF middle(view_->geometryOfParts().lanes.center().x(), middleOf(0));
        QVERIFY(view_->eventAt(middle).valid());
        drag(Qt::MiddleButton, {}, middle, middle - QPointF(100, 0));
        QVERIFY(view_->visibleRange().begin_ns > before.begin_ns);
        QCOMPARE(length(), before.length_ns());
        QVERIFY(!view_->selection().valid());
    }

    void marqueeZoomsAndHistoryGoesBack() {
        const int left = view_->geometryOfParts().lanes.left();
        const TimeRange expected{axis().time_at(200), axis().time_at(300)};
        drag(Qt::LeftButton, Qt::AltModifier, {left + 200.0, middleOf(1)}, {left + 300.0, middleOf(1)});
        QCOMPARE(view_->visibleRange(), expected);
        QTest::keyClick(view_.get(), Qt::Key_Backspace);
        QCOMPARE(view_->visibleRange(), whole());
        QTest::keyClick(view_.get(), Qt::Key_Right, Qt::AltModifier);
        QCOMPARE(view_->visibleRange(), expected);
        QTest::keyClick(view_.get(), Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(view_->visibleRange(), whole());
    }

    void rulerMeasures() {
        const QRect ruler = view_->geometryOfParts().ruler;
        const double y = ruler.center().y();
        drag(Qt::LeftButton, {}, {ruler.left() + 100.0, y}, {ruler.left() + 250.0, y});
        QCOMPARE(*view_->measured(), (TimeRange{axis().time_at(100), axis().time_at(250)}));
        // Its right edge can be dragged on.
        drag(Qt::LeftButton, {}, {ruler.left() + 250.0, y}, {ruler.left() + 400.0, y});
        QVERIFY(std::abs(axis().x_of(view_->measured()->begin_ns) - 100) < 1.5);
        QVERIFY(std::abs(axis().x_of(view_->measured()->end_ns) - 400) < 1.5);
        QTest::keyClick(view_.get(), Qt::Key_Escape);
        QVERIFY(!view_->measured());
        QCOMPARE(view_->visibleRange(), whole());
    }

    void measurementSaysWhatLiesInIt() {
        const QString text = measurementText(RangeSums(view_->timeline()).of(whole()), whole());
        QVERIFY(text.contains(QStringLiteral("events")));
        QVERIFY(text.contains(QStringLiteral("exposed")));
        QVERIFY(text.contains(QStringLiteral("overlapped")));
    }

    void overviewMovesTheRange() {
        zoomInto(0.0, 0.2);
        const QRect overview = view_->geometryOfParts().overview;
        const double y = overview.center().y();
        drag(Qt::LeftButton, {}, {overview.left() + overview.width() * 0.1, y},
             {overview.left() + overview.width() * 0.6, y});
        const double begin = static_cast<double>(view_->visibleRange().begin_ns - whole().begin_ns);
        QVERIFY(std::abs(begin / static_cast<double>(whole().length_ns()) - 0.5) < 0.01);
        QVERIFY(std::abs(static_cast<double>(length()) / static_cast<double>(whole().length_ns()) - 0.2) < 0.01);
    }

    void dragPansAndSelectsNothing() {
        zoomInto(0.4, 0.6);
        QSignalSpy selected(view_.get(), &TimelineView::eventSelected);
        const std::int64_t before = view_->visibleRange().begin_ns;
        drag(Qt::LeftButton, {}, {600, middleOf(1)}, {500, middleOf(1)});
        QVERIFY(view_->visibleRange().begin_ns > before);
        QCOMPARE(selected.count(), 0);
    }

    /// As one that is drawn over all lanes; without a move it is a click.
    void aBandOnTheMemoryCurveChoosesASpanOfTime() {
        EventDragHandler handler;
        handler.movable = [](quint32) { return true; };
        view_->setEventDragHandler(std::move(handler));
        view_->setAliveProvider([](std::size_t) { return AliveTensors(); });
        QSignalSpy listed(view_.get(), &TimelineView::aliveListed);
        zoomInto(0.4, 0.6);
        const TimeRange before = view_->visibleRange();
        const double memory = view_->geometryOfParts().memory.center().y();
        const double top = view_->geometryOfParts().lanes.top() + 1;
        drag(Qt::LeftButton, Qt::ShiftModifier, {400, top}, {700, memory});
        const std::vector<quint32> over_lanes = view_->chosenReferences();
        QVERIFY(over_lanes.size() > 1);
        view_->chooseReferences({});
        drag(Qt::LeftButton, Qt::ShiftModifier, {400, memory}, {700, memory - 2});
        QCOMPARE(view_->chosenReferences(), over_lanes);
        QCOMPARE(view_->visibleRange(), before);
        QVERIFY(listed.isEmpty());
        QTest::mouseClick(view_->viewport(), Qt::LeftButton, Qt::ShiftModifier, QPoint(500, static_cast<int>(memory)));
        QCOMPARE(listed.count(), 1);
        QCOMPARE(view_->chosenReferences(), over_lanes);
    }

    void pointAndCommaStepThroughALane() {
        view_->selectReference(test::first_gather + 5);
        QTest::keyClick(view_.get(), Qt::Key_Period);
        QCOMPARE(view_->selection(), (EventLocation{1, 6}));
        QTest::keyClick(view_.get(), Qt::Key_Comma);
        QTest::keyClick(view_.get(), Qt::Key_Comma);
        QCOMPARE(view_->selection(), (EventLocation{1, 4}));
        QTest::keyClick(view_.get(), Qt::Key_Up);
        QCOMPARE(view_->selection().lane, 0u);
        QTest::keyClick(view_.get(), Qt::Key_Down);
        QCOMPARE(view_->selection().lane, 1u);
    }

    void hoverRasterisesNothing() {
        QVERIFY(comesToRest());
        const QImage unhovered = view_->viewport()->grab().toImage();
        const std::uint64_t before = view_->renderCount();
        QVERIFY(before > 0);
        for (int x = 200; x < 900; x += 20) {
            movePointer({static_cast<double>(x), middleOf(1)});
            QVERIFY(comesToRest());
        }
        QVERIFY(view_->viewport()->grab().toImage() != unhovered);
        view_->selectReference(test::first_gather + 5);
        view_->setArrows({{test::first_gather + 4, test::first_gather + 5}});
        QVERIFY(comesToRest());
        QCOMPARE(view_->renderCount(), before);
        QTest::keyClick(view_.get(), Qt::Key_W);
        QTRY_VERIFY(view_->renderCount() > before);
    }

    void manyChangesBecomeFewRepaints() {
        QVERIFY(comesToRest());
        const std::uint64_t before = view_->renderCount();
        for (int step = 0; step < 50; ++step) turnWheel({500, middleOf(0)}, step % 2 ? 120 : -60, Qt::ControlModifier);
        QVERIFY(comesToRest());
        QVERIFY(view_->renderCount() > before);
        QVERIFY(view_->renderCount() - before <= 5);
    }

    void anotherTimelineKeepsRangeAndSelection() {
        view_->selectReference(test::first_gather + 5);
        zoomInto(0.2, 0.4);
        const TimeRange before = view_->visibleRange();
        view_->setTimeline(test::synthetic_step(17));
        QCOMPARE(view_->visibleRange(), before);
        QCOMPARE(view_->timeline()->reference(view_->selection()), test::first_gather + 5);
        view_->setTimeline(nullptr);
        QVERIFY(!view_->selection().valid());
        view_->grab();
    }

    /// A plan may bring groups with long names, and a peak beyond the limit.
    void timesStayInTheirPlacesWhenLanesComeAndGo() {
        const QRect lanes = view_->geometryOfParts().lanes;
        TimelineBuilder builder;
        builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
        const auto group =
            builder.add_lane({"Experts' all-to-alls on a group of their own", "group expert_parallel_0, 1024 ranks",
                              LaneKind::process_group, EventRole::unbucketed});
        builder.add(group, {{0, whole().end_ns}, builder.intern("all_to_all"), EventRole::unbucketed, 1, 0});
        view_->setTimeline(builder.finish());
        view_->setMemoryNotes({QStringLiteral("123.4 GiB too much for this device")}, {});
        QCOMPARE(view_->geometryOfParts().lanes.left(), lanes.left());
        QCOMPARE(view_->geometryOfParts().lanes.width(), lanes.width());
        // What is elided is whole in the tool tip.
        QHelpEvent help(QEvent::ToolTip, view_->geometryOfParts().row(group).topLeft() + QPoint(30, 12), {40, 40});
        QCoreApplication::sendEvent(view_->viewport(), &help);
        QTRY_VERIFY2(QToolTip::text().contains("a group of their own") && QToolTip::text().contains("1024 ranks"),
                     qPrintable(QToolTip::text()));
        QToolTip::hideText();
    }

    void highlightDimsTheRest() {
        const QPoint inside = view_->eventRect({1, 6}).center().toPoint();
        const QPoint other = view_->eventRect({1, 9}).center().toPoint();
        const auto saturation = [&](QPoint point) {
            return view_->viewport()->grab().toImage().pixelColor(point).value();
        };
        ThemeManager::instance().setMode(ThemeMode::Dark);
        const int plain = saturation(inside);
        const int plainOther = saturation(other);
        view_->highlightReferences({test::first_gather + 6});
        QCOMPARE(saturation(inside), plain);
        QVERIFY(saturation(other) < plainOther);
        view_->highlightReferences({});
        QCOMPARE(saturation(other), plainOther);
    }

    void paintsAtAnySize() {
        for (const QSize size : {QSize(240, 120), QSize(480, 200), QSize(30, 20), QSize(3840, 2160)}) {
            view_->resize(size);
            QVERIFY(!view_->viewport()->grab().isNull());
        }
        view_->setMemoryLimit(1ll << 40);
        view_->setTimeline(test::synthetic_trace(2000, 40));
        view_->grab();
    }

  private:
    TimeRange whole() const { return view_->timeline()->range(); }
    std::int64_t length() const { return view_->visibleRange().length_ns(); }
    TimeAxis axis() const { return view_->geometryOfParts().axis(view_->visibleRange()); }
    double middleOf(std::uint32_t lane) const { return view_->geometryOfParts().bar(lane).center().y(); }

    /// Waits until the view moves no more and has painted what has changed.
    bool comesToRest() {
        const bool rests = QTest::qWaitFor([this] { return view_->atRest(); });
        QCoreApplication::sendPostedEvents();
        return rests;
    }

    void zoomInto(double begin, double end) {
        const auto at = [this](double share) {
            return whole().begin_ns + static_cast<std::int64_t>(share * static_cast<double>(whole().length_ns()));
        };
        view_->setVisibleRange({at(begin), at(end)});
    }
    void turnWheel(QPointF position, int eighths, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(position, view_->viewport()->mapToGlobal(position), {}, {0, eighths}, Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(view_->viewport(), &event);
    }
    void movePointer(QPointF position) {
        QMouseEvent event(QEvent::MouseMove, position, view_->viewport()->mapToGlobal(position), Qt::NoButton,
                          Qt::NoButton, Qt::NoModifier);
        QCoreApplication::sendEvent(view_->viewport(), &event);
    }
    void click(QPointF position) { QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, position.toPoint()); }
    void drag(Qt::MouseButton button, Qt::KeyboardModifiers modifiers, QPointF from, QPointF to) {
        const auto send = [&](QEvent::Type type, QPointF position, Qt::MouseButton changed, Qt::MouseButtons held) {
            QMouseEvent event(type, position, view_->viewport()->mapToGlobal(position), changed, held, modifiers);
            QCoreApplication::sendEvent(view_->viewport(), &event);
        };
        send(QEvent::MouseButtonPress, from, button, button);
        send(QEvent::MouseMove, (from + to) / 2, Qt::NoButton, button);
        send(QEvent::MouseMove, to, Qt::NoButton, button);
        send(QEvent::MouseButtonRelease, to, button, Qt::NoButton);
    }

    std::unique_ptr<TimelineView> view_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TimelineViewTest)
#include "timeline_view_test.moc"
