#include <QAccessible>
#include <QClipboard>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QXmlStreamReader>
#include <QtTest>
#include <numeric>

#include "core/timeline/range_statistics.h"
#include "core/timeline/timeline_builder.h"
#include "tests/timeline/synthetic_timeline.h"
#include "tests/ui/timeline/shown_timeline.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/drawing/duration_histogram.h"
#include "ui/timeline/drawing/timeline_labels.h"
#include "ui/timeline/drawing/timeline_picture.h"
#include "ui/timeline/find_bar.h"
#include "ui/timeline/range_measurement.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// Working with a timeline beyond looking at it: lanes arranged, events found, noted, copied and exported.
class TimelineWorkTest : public QObject {
    Q_OBJECT

  private slots:
    void init() { view_ = shownTimeline(); }
    void cleanup() { view_.reset(); }

    void aDeepLaneKeepsItsTitleInView() {
        TimelineBuilder builder;
        builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
        const std::uint32_t thread = builder.add_lane({"Thread", "", LaneKind::other, EventRole::compute});
        for (std::int64_t depth = 0; depth < 60; ++depth)
            builder.add(thread, {{depth, 1000 - depth}, 0, EventRole::compute, 0, 0});
        view_->setTimeline(builder.finish(), QStringLiteral("deep"));
        QTRY_VERIFY(view_->verticalScrollBar()->maximum() > 0);
        const Timeline& timeline = *view_->timeline();
        for (const int scroll : {0, 50, 200, view_->verticalScrollBar()->maximum()}) {
            view_->verticalScrollBar()->setValue(scroll);
            const TimelineGeometry& geometry = view_->geometryOfParts();
            QList<int> titled;
            for (std::uint32_t lane = 1; lane < timeline.lanes().size(); ++lane)
                if (carriesTitle(geometry, timeline, lane)) titled.append(geometry.row(lane).center().y());
            QCOMPARE(titled.size(), 1);
            QVERIFY2(titled.front() >= geometry.lanes.top() && titled.front() < geometry.lanes.bottom(),
                     qPrintable(QString::number(titled.front())));
        }
    }

    void lanesMoveByKeysAndUndo() {
        view_->selectReference(test::first_gather + 3);
        const int before = rowTop(1);
        QTest::keyClick(view_.get(), Qt::Key_Up, Qt::AltModifier);
        QVERIFY(rowTop(1) < before);
        QVERIFY(rowTop(1) < rowTop(0));
        QVERIFY(view_->edits().undoStack().undoText().contains(QStringLiteral("FSDP gathers")));
        // At the top it goes no further, and that is no edit.
        QTest::keyClick(view_.get(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(view_->edits().undoStack().count(), 1);
        QTest::keyClick(view_.get(), Qt::Key_Down, Qt::AltModifier);
        QTest::keyClick(view_.get(), Qt::Key_Down, Qt::AltModifier);
        QVERIFY(rowTop(1) > rowTop(2));
        while (view_->edits().undoStack().canUndo()) view_->edits().undoStack().undo();
        QCOMPARE(rowTop(1), before);
    }

    void titlesAreDragged() {
        const auto middle = [&](std::uint32_t lane) {
            return QPointF(20, view_->geometryOfParts().row(lane).center().y());
        };
        drag(middle(2), QPointF(20, view_->geometryOfParts().row(0).top() + 3));
        QVERIFY(rowTop(2) < rowTop(0));
        QVERIFY(rowTop(0) < rowTop(1));
        drag(middle(2), QPointF(20, view_->geometryOfParts().row(1).bottom() - 2));
        QVERIFY(rowTop(2) > rowTop(1));
        // The order of rows holds for clicks too.
        QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, view_->eventRect({1, 3}).center().toPoint());
        QCOMPARE(view_->selection(), (EventLocation{1, 3}));
    }

    void pinnedLanesStayWhileOthersScroll() {
        view_->setTimeline(test::synthetic_trace(2000, 40));
        const std::uint32_t lane = 30;
        view_->selectEvent({lane, 0});
        QTest::keyClick(view_.get(), Qt::Key_P);
        QCOMPARE(rowTop(lane), view_->geometryOfParts().lanes.top());
        view_->verticalScrollBar()->setValue(100);
        QCOMPARE(rowTop(lane), view_->geometryOfParts().lanes.top());
        QVERIFY(rowTop(0) < rowTop(lane));
        // Where both lie, the pinned one is meant.
        QCOMPARE(view_->geometryOfParts().laneAt(rowTop(lane) + 2), static_cast<int>(lane));
        QTest::keyClick(view_.get(), Qt::Key_P);
        view_->verticalScrollBar()->setValue(0);
        QVERIFY(rowTop(lane) > rowTop(lane - 1));
    }

    void collapsedLanesAreThinAndKeepTheirRows() {
        TimelineBuilder builder;
        const std::uint32_t lane = builder.add_lane({"stream", "", LaneKind::compute, EventRole::compute});
        builder.add(lane, {{0, 1000}, builder.intern("outer"), EventRole::compute, 1, 0});
        builder.add(lane, {{200, 400}, builder.intern("inner"), EventRole::bucket_0, 2, 0});
        view_->setTimeline(builder.finish());
        QCOMPARE(view_->timeline()->lanes().size(), std::size_t{2});
        QVERIFY(rowTop(1) > rowTop(0));
        view_->selectEvent({0, 0});
        QTest::keyClick(view_.get(), Qt::Key_Space);
        QCOMPARE(rowTop(1), rowTop(0));
        QVERIFY(view_->geometryOfParts().row(0).height() < 20);
        view_->viewport()->grab();
        QTest::keyClick(view_.get(), Qt::Key_Space);
        QVERIFY(rowTop(1) > rowTop(0));
    }

    void buttonsOfATitlePinAndCollapse() {
        const QPoint pin = laneButton(view_->geometryOfParts(), 2, LaneButton::Pin).center();
        QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, pin);
        QCOMPARE(view_->edits().lanes().pinned, QStringList{QStringLiteral("FSDP")});
        const QPoint chevron = laneButton(view_->geometryOfParts(), 0, LaneButton::Collapse).center();
        QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, chevron);
        QCOMPARE(view_->edits().lanes().collapsed, QStringList{QStringLiteral("Compute")});
    }

    void arrangementsKeepLanesThatAreAway() {
        const LaneArrangement kept{{QStringLiteral("FSDP"), QStringLiteral("gone"), QStringLiteral("Compute")}, {}, {}};
        const Timeline& timeline = *view_->timeline();
        const LaneRows rows = LaneRows::of(timeline, kept);
        // What the order does not name follows what it follows in the timeline.
        QCOMPARE(rows.laneOfRow, (std::vector<std::uint32_t>{2, 0, 1}));
        const LaneArrangement moved = withLaneMoved(kept, timeline, 1, 2u);
        QCOMPARE(LaneRows::of(timeline, moved).laneOfRow, (std::vector<std::uint32_t>{1, 2, 0}));
        QVERIFY(moved.order.contains(QStringLiteral("gone")));
    }

    void measuringFillsTheTitlesAndIsCopied() {
        view_->selectReference(test::first_gather + 3);
        QTest::keyClick(view_.get(), Qt::Key_R);
        QCOMPARE(*view_->measured(), view_->timeline()->event(view_->selection()));
        const RangeStatistics sums = RangeSums(view_->timeline()).of(*view_->measured());
        const QStringList figures = laneFigures(*view_->timeline(), sums, *view_->measured());
        QCOMPARE(figures.size(), 3);
        QVERIFY(figures[1].contains(QStringLiteral("hidden")));
        QTest::keyClick(view_.get(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 6);  // heading, three lanes, all communication, the range
        QVERIFY(lines[2].startsWith(QStringLiteral("FSDP gathers\t1\t")));
        view_->clearMeasurement();
        QVERIFY(view_->copyText().contains(QStringLiteral("all_gather layers.3\tFSDP gathers\t")));
    }

    void findingDimsCountsAndSteps() {
        ThemeManager::instance().setMode(ThemeMode::Dark);
        QTest::keyClick(view_.get(), Qt::Key_F, Qt::ControlModifier);
        auto* bar = view_->findChild<FindBar*>();
        QVERIFY(bar->isVisible());
        const QPoint other = view_->eventRect({2, 4}).center().toPoint();
        const int plain = view_->viewport()->grab().toImage().pixelColor(other).value();
        auto* field = bar->findChild<QLineEdit*>();
        QTest::keyClicks(field, QStringLiteral("gather LAYERS.3"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(view_->finder().matches().events.size(), std::size_t{2});  // forward and backward
        QVERIFY(view_->viewport()->grab().toImage().pixelColor(other).value() < plain);
        const EventLocation first = view_->selection();
        QVERIFY(view_->finder().summary(first).startsWith(QStringLiteral("1 of 2")));
        QTest::keyClick(field, Qt::Key_Return);
        QVERIFY(view_->selection() != first);
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(view_->selection(), first);
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QVERIFY(view_->selection() != first);
        // The density strip stands where the matches are.
        EventFinder finder = view_->finder();
        const std::vector<std::uint32_t> density = finder.density(100);
        QCOMPARE(std::accumulate(density.begin(), density.end(), 0u), 2u);
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!bar->isVisible());
        QVERIFY(!view_->finder().active());
        QCOMPARE(view_->viewport()->grab().toImage().pixelColor(other).value(), plain);
    }

    /// None of them is cut within a word.
    void figuresOfALaneAreWholeOrLeftOut() {
        const QString time = QStringLiteral("66.32 ms"), hidden = QStringLiteral("100.0 % hidden");
        const QString both = time + QStringLiteral(" · ") + hidden;
        const int wide = QFontMetrics(textFont(smallTextPx)).horizontalAdvance(both);
        QCOMPARE(laneFigureLines(both, wide, 32), QStringList(both));
        QCOMPARE(laneFigureLines(both, wide - 1, 32), QStringList(time));
        QCOMPARE(laneFigureLines(both, wide - 1, 48), QStringList({time, hidden}));
        QVERIFY(laneFigureLines({}, wide, 32).join(QString()).isEmpty());
    }

    /// What the header says ends before the field that lies on it.
    void theCaptionEndsBeforeTheSearch() {
        view_->setTimeline(view_->timeline(), QString(400, u'm'));
        view_->find(QStringLiteral("gather"));
        auto* bar = view_->findChild<FindBar*>();
        bar->hide();  // what it lies on
        view_->viewport()->repaint();
        const QRect covered = bar->geometry().adjusted(0, 1, -12, -2);
        const QImage header = view_->viewport()->grab(covered).toImage();
        const QRgb ground = header.pixel(0, 0);
        for (int y = 0; y < header.height(); ++y)
            for (int x = 0; x < header.width(); ++x) QCOMPARE(header.pixel(x, y), ground);
        QVERIFY(bar->width() > 100);
        // Without it the caption has the room.
        bar->setVisible(true);
        QTest::keyClick(bar->findChild<QLineEdit*>(), Qt::Key_Escape);
        const QImage whole = view_->viewport()->grab(covered).toImage();
        QVERIFY(whole != header);
    }

    void durationsLeaveOutliers() {
        view_->find(QStringLiteral("gather"));
        auto* bar = view_->findChild<FindBar*>();
        const std::vector<DurationBin> bins = view_->finder().durations();
        QVERIFY(bins.size() > 1);
        const std::size_t all = view_->finder().matches().events.size();
        QVERIFY(bins.back().count > 0 && bins.back().count < all);
        bar->histogramButton().click();
        DurationHistogram& histogram = bar->histogram();
        QVERIFY(histogram.isVisible() && histogram.hasFocus());
        QVERIFY(view_->viewport()->rect().contains(histogram.geometry()));

        QTest::mouseClick(&histogram, Qt::LeftButton, {}, histogram.barArea(bins.size() - 1).center());
        QCOMPARE(view_->finder().matches().events.size(), std::size_t{bins.back().count});
        for (const EventLocation location : view_->finder().matches().events)
            QVERIFY(view_->timeline()->event(location).length_ns() >= bins.back().from_ns);
        QVERIFY(view_->selection().valid());  // the first of them
        QVERIFY(view_->finder().summary({}).contains(QStringLiteral("only ")));
        QTest::mouseClick(&histogram, Qt::LeftButton, {}, histogram.barArea(bins.size() - 1).center());
        QCOMPARE(view_->finder().matches().events.size(), all);

        QTest::keyClick(&histogram, Qt::Key_Left);  // from the right: the longest
        QCOMPARE(view_->finder().duration(), std::optional(bins.size() - 1));
        QTest::keyClick(&histogram, Qt::Key_Escape);
        QVERIFY(!histogram.isVisible() && bar->isVisible());
        QCOMPARE(view_->finder().matches().events.size(), all);
    }

    void manyEventsAreSearchedInTheBackground() {
        view_->setTimeline(test::synthetic_trace(300'000, 4));
        const QString name = QString::fromStdString(std::string(view_->timeline()->event_name({0, 0})));
        QTest::keyClick(view_.get(), Qt::Key_F, Qt::ControlModifier);
        auto* field = view_->findChild<FindBar*>()->findChild<QLineEdit*>();
        QTest::keyClicks(field, name);
        QTest::keyClick(field, Qt::Key_Return);  // before anything can have been found
        QVERIFY(view_->finder().searching());
        QCOMPARE(view_->finder().summary({}), QStringLiteral("searching…"));
        QTRY_VERIFY(!view_->finder().searching());
        QVERIFY(!view_->finder().matches().events.empty());
        QVERIFY(view_->selection().valid());
        // Another timeline does not get what was searched for in this one.
        view_->find(QStringLiteral("nothing like it"));
        view_->setTimeline(test::synthetic_step(16));
        QVERIFY(!view_->finder().searching());
    }

    void searchGoesOnInAnotherTimeline() {
        view_->find(QStringLiteral("reduce_scatter"));
        QCOMPARE(view_->finder().matches().events.size(), std::size_t{16});
        view_->setTimeline(test::synthetic_step(20));
        QCOMPARE(view_->finder().matches().events.size(), std::size_t{20});
        view_->setSearchTextProvider([](std::uint32_t reference) { return reference == 5 ? "head" : ""; });
        view_->find(QStringLiteral("head"));
        QCOMPARE(view_->finder().matches().events.size(), std::size_t{1});
    }

    void exposedCollectivesAreWalkedFromTheWorst() {
        QTest::keyClick(view_.get(), Qt::Key_E);
        const auto exposed = [&] {
            const EventLocation at = view_->selection();
            return view_->timeline()->exposed_ns(at);
        };
        const std::int64_t worst = exposed();
        for (const Lane& lane : view_->timeline()->lanes())
            for (const std::int64_t other : lane.exposed_ns) QVERIFY(other <= worst);
        QTest::keyClick(view_.get(), Qt::Key_E);
        QVERIFY(exposed() <= worst && exposed() > 0);
        QTest::keyClick(view_.get(), Qt::Key_E, Qt::ShiftModifier);
        QCOMPARE(exposed(), worst);
        // Whatever else was selected meanwhile, it begins with the worst.
        QTest::keyClick(view_.get(), Qt::Key_E);
        QTest::keyClick(view_.get(), Qt::Key_Period);
        QTest::keyClick(view_.get(), Qt::Key_E);
        QCOMPARE(exposed(), worst);
    }

    void flowIsWalkedByKeys() {
        view_->selectReference(test::first_gather + 3);
        view_->setArrows({{7, test::first_gather + 3}, {test::first_gather + 3, 24}});
        QTest::keyClick(view_.get(), Qt::Key_BracketRight);
        QCOMPARE(view_->timeline()->reference(view_->selection()), 24u);
        QTest::keyClick(view_.get(), Qt::Key_BracketLeft);
        QCOMPARE(view_->timeline()->reference(view_->selection()), test::first_gather + 3);
        QTest::keyClick(view_.get(), Qt::Key_BracketLeft);
        QCOMPARE(view_->timeline()->reference(view_->selection()), 7u);
    }

    void memoryCurveTellsWhatIsAlive() {
        std::size_t asked = 0;
        view_->setAliveProvider([&](std::size_t point) {
            asked = point;
            return AliveTensors{3 << 20,
                                2,
                                {},
                                QStringLiteral("estimate"),
                                {{4, QStringLiteral("mm"), QStringLiteral("layers.0"), 2 << 20, QStringLiteral("add")},
                                 {5, QStringLiteral("add"), {}, 1 << 20, {}}}};
        });
        QSignalSpy listed(view_.get(), &TimelineView::aliveListed);
        QSignalSpy forgotten(view_.get(), &TimelineView::aliveForgotten);
        const QRect memory = view_->geometryOfParts().memory;
        const double x = memory.left() + memory.width() * 0.4;
        QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, QPoint(static_cast<int>(x), memory.center().y()));
        QCOMPARE(listed.count(), 1);
        const MemoryCurve& curve = view_->timeline()->memory();
        const std::int64_t time =
            view_->geometryOfParts().axis(view_->visibleRange()).time_at(std::floor(x) - memory.left());
        QVERIFY(curve.time_ns[asked] <= time && time < curve.time_ns[asked + 1]);
        QCOMPARE(listed[0][0].value<AliveTensors>().largest.size(), std::size_t{2});
        view_->selectAllocator(5);
        QCOMPARE(view_->timeline()->reference(view_->selection()), 5u);
        QTest::keyClick(view_.get(), Qt::Key_Escape);  // lets go of the moment, then of the selection
        QCOMPARE(forgotten.count(), 1);
        QVERIFY(view_->selection().valid());
    }

    void picturesShowLanesAndText() {
        const TimelinePicture picture = view_->picture(false);
        const QImage image = timelineImage(picture, darkTheme(), 2);
        QCOMPARE(image.width(), 2 * view_->viewport()->width());
        const QByteArray svg = timelineSvg(picture, lightTheme());
        QXmlStreamReader reader(svg);
        int shapes = 0;
        while (!reader.atEnd()) {
            reader.readNext();
            if (reader.isStartElement() && (reader.name() == u"rect" || reader.name() == u"path")) ++shapes;
            QVERIFY(reader.name() != u"image");
        }
        QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
        QVERIFY(shapes > 100);
        QVERIFY(svg.contains("FSDP gathers"));
        QVERIFY(svg.size() < 4'000'000);
    }

    void assistiveProgramsSeeLanesAndEvents() {
        QAccessibleInterface* root = QAccessible::queryAccessibleInterface(view_.get());
        QVERIFY(root);
        std::vector<QAccessibleInterface*> lanes;
        for (int index = 0; index < root->childCount(); ++index)
            if (root->child(index)->role() == QAccessible::List) lanes.push_back(root->child(index));
        QCOMPARE(lanes.size(), std::size_t{3});
        QVERIFY(lanes[1]->text(QAccessible::Name).startsWith(QStringLiteral("FSDP gathers, own group, 64 ranks, 32")));
        QCOMPARE(lanes[1]->childCount(), 32);
        QAccessibleInterface* gather = lanes[1]->child(3);
        QCOMPARE(gather->text(QAccessible::Name), QStringLiteral("all_gather layers.3"));
        QVERIFY(!gather->text(QAccessible::Description).isEmpty());
        QCOMPARE(gather->parent(), lanes[1]);
        QCOMPARE(lanes[1]->indexOfChild(gather), 3);
        QVERIFY(view_->rect().contains(view_->mapFromGlobal(gather->rect().center())));
        QVERIFY(!gather->state().selected);
        QSignalSpy selected(view_.get(), &TimelineView::eventSelected);
        gather->actionInterface()->doAction(QAccessibleActionInterface::pressAction());
        QCOMPARE(view_->selection(), (EventLocation{1, 3}));
        QCOMPARE(selected.count(), 1);
        QVERIFY(gather->state().selected);
        // What is gone says so rather than naming something else.
        view_->setTimeline(test::synthetic_step(4));
        QVERIFY(!gather->isValid());
    }

  private:
    int rowTop(std::uint32_t lane) const { return view_->geometryOfParts().row(lane).top(); }
    void drag(QPointF from, QPointF to) {
        const auto send = [&](QEvent::Type type, QPointF position, Qt::MouseButton changed, Qt::MouseButtons held) {
            QMouseEvent event(type, position, view_->viewport()->mapToGlobal(position), changed, held, {});
            QCoreApplication::sendEvent(view_->viewport(), &event);
        };
        send(QEvent::MouseButtonPress, from, Qt::LeftButton, Qt::LeftButton);
        send(QEvent::MouseMove, (from + to) / 2, Qt::NoButton, Qt::LeftButton);
        send(QEvent::MouseMove, to, Qt::NoButton, Qt::LeftButton);
        view_->viewport()->grab();
        send(QEvent::MouseButtonRelease, to, Qt::LeftButton, Qt::NoButton);
    }

    std::unique_ptr<TimelineView> view_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TimelineWorkTest)
#include "timeline_work_test.moc"
