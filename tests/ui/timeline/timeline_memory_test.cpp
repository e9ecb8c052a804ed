#include <QSignalSpy>
#include <QtTest>
#include <cmath>

#include "tests/timeline/synthetic_timeline.h"
#include "tests/ui/timeline/shown_timeline.h"
#include "ui/timeline/drawing/timeline_labels.h"
#include "ui/timeline/memory_limit_editor.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// The timeline's memory area: its peak, and the limit that is typed there.
class TimelineMemoryTest : public QObject {
    Q_OBJECT

    std::unique_ptr<TimelineView> view_;

    qint64 peakBytes() const { return view_->timeline()->memory().bytes[view_->timeline()->memory_peak()]; }
    void click(QPointF place) { QTest::mouseClick(view_->viewport(), Qt::LeftButton, {}, place.toPoint()); }
    QRectF plate() const {
        return memoryLimitPlate(view_->geometryOfParts(), *view_->timeline(), view_->memoryLimit()).value_or(QRectF());
    }
    MemoryLimitEditor& editor() const { return *view_->findChild<MemoryLimitEditor*>(); }

  private slots:
    void init() { view_ = shownTimeline(); }
    void cleanup() { view_.reset(); }

    void aClickOnTheDotListsThePeak() {
        std::vector<std::size_t> asked;
        view_->setAliveProvider([&](std::size_t point) {
            asked.push_back(point);
            return AliveTensors();
        });
        const std::size_t peak = view_->timeline()->memory_peak();
        const auto clickBeside = [&](QPointF from_dot) {
            const auto dot = memoryPeakPlace(view_->geometryOfParts(), *view_->timeline(), view_->visibleRange(),
                                             view_->memoryLimit());
            click(*dot + from_dot);
        };
        for (const qint64 limit : {qint64{0}, peakBytes() * 2}) {
            view_->setMemoryLimit(limit);
            for (const QPointF beside : {QPointF(0, 0), QPointF(-4, 0), QPointF(3, 3)}) {
                asked.clear();
                clickBeside(beside);
                QCOMPARE(asked, std::vector{peak});
            }
        }
        clickBeside({40, 0});
        QVERIFY(asked.back() != peak);
        view_->selectReference(no_reference);
        QTest::keyClick(view_.get(), Qt::Key_M);
        QCOMPARE(asked.back(), peak);
    }

    void aLimitIsTypedWhereItStands() {
        view_->setMemoryLimit(peakBytes() * 2);
        QSignalSpy typed(view_.get(), &TimelineView::memoryLimitTyped), told(view_.get(), &TimelineView::told);
        click(plate().center());
        QVERIFY(!editor().isVisible());  // nobody takes another limit
        const double gib = 1 << 30;
        view_->setLimitNames([] { return std::vector<NamedBytes>{{QStringLiteral("baseline"), 40ll << 30}}; });
        click(plate().center());
        QVERIFY(editor().isVisible() && editor().hasFocus());
        QVERIFY(view_->viewport()->rect().contains(editor().geometry()));
        QCOMPARE(editor().selectedText(), QString::number(static_cast<double>(peakBytes()) * 2 / gib, 'f', 2));
        QTest::keyClicks(&editor(), QStringLiteral("baseline + six"));
        QTest::keyClick(&editor(), Qt::Key_Return);
        QVERIFY(typed.isEmpty() && editor().isVisible());  // it stays, to be mended
        QCOMPARE(told.count(), 1);
        QVERIFY(told[0][0].toString().contains(QStringLiteral("six")));
        editor().selectAll();
        QTest::keyClicks(&editor(), QStringLiteral("baseline + 6 GiB"));
        QTest::keyClick(&editor(), Qt::Key_Return);
        QCOMPARE(typed.count(), 1);
        QCOMPARE(typed[0][0].toString(), "baseline + 6 GiB");
        QVERIFY(!editor().isVisible() && view_->hasFocus());
    }

    void aLimitIsChangedAsItWasTyped() {
        QString typed = QStringLiteral("baseline + 10%");
        const std::int64_t baseline = peakBytes();
        view_->setLimitNames(
            [&] {
                return std::vector<NamedBytes>{{QStringLiteral("baseline"), baseline}};
            },
            [&] { return typed; });
        view_->setMemoryLimit(std::llround(static_cast<double>(baseline) * 1.1));
        view_->editMemoryLimit();
        QCOMPARE(editor().selectedText(), typed);
        QTest::keyClick(&editor(), Qt::Key_Escape);
        view_->setMemoryLimit(baseline * 2);  // the sum comes to something else now
        view_->editMemoryLimit();
        QCOMPARE(editor().selectedText(), QString::number(static_cast<double>(baseline) * 2 / (1 << 30), 'f', 2));
    }

    void aLimitThatIsNotKeptIsDropped() {
        view_->setLimitNames([] { return std::vector<NamedBytes>(); });
        QSignalSpy typed(view_.get(), &TimelineView::memoryLimitTyped);
        view_->editMemoryLimit();  // also where there is none yet
        QVERIFY(editor().isVisible());
        QTest::keyClicks(&editor(), QStringLiteral("12"));
        QTest::keyClick(&editor(), Qt::Key_Escape);
        QVERIFY(!editor().isVisible() && typed.isEmpty());
        view_->editMemoryLimit();
        QTest::keyClick(&editor(), Qt::Key_Return);  // empty: what the device holds
        QCOMPARE(typed.count(), 1);
        QVERIFY(typed[0][0].toString().isEmpty());
    }

    void keysThatLeadNowhereSayWhy() {
        TimelineBuilder builder;
        const auto lane = builder.add_lane({"Compute", "", LaneKind::compute, EventRole::compute});
        builder.add(lane, {{0, 4000}, builder.intern("mm")});
        view_->setTimeline(builder.finish());
        QSignalSpy told(view_.get(), &TimelineView::told);
        for (const int key : {Qt::Key_E, Qt::Key_BracketRight, Qt::Key_BracketLeft, Qt::Key_M, Qt::Key_C, Qt::Key_B}) {
            told.clear();
            QTest::keyClick(view_.get(), static_cast<Qt::Key>(key));
            QCOMPARE(told.count(), 1);
            QVERIFY(!told[0][0].toString().isEmpty() && !told[0][0].toString().endsWith(u'.'));
        }
        view_->setTimeline(test::synthetic_step(16));
        told.clear();
        QTest::keyClick(view_.get(), Qt::Key_E);
        QVERIFY(view_->selection().valid() && told.isEmpty());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TimelineMemoryTest)
#include "timeline_memory_test.moc"
