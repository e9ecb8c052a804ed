#include "ui/timeline/range_measurement.h"

#include <QtTest>

#include "tests/timeline/synthetic_timeline.h"

namespace overlap::ui {

/// The span that is measured, in a step whose events are known.
class RangeMeasurementTest : public QObject {
    Q_OBJECT

  private slots:
    void init() {
        timeline_ = test::synthetic_step(16);
        measurement_.setTimeline(timeline_);
    }

    void nothingIsMeasuredAtFirst() {
        QVERIFY(!measurement_.range());
        QVERIFY(measurement_.text().isEmpty());
        QVERIFY(measurement_.figures().isEmpty());
        QVERIFY(measurement_.table().isEmpty());
    }

    void aSpanHasATextFiguresOfEachLaneAndATable() {
        const TimeRange gather = timeline_->event({1, 3});
        measurement_.measure(gather);
        QCOMPARE(*measurement_.range(), gather);
        const RangeStatistics sums = RangeSums(timeline_).of(gather);
        QCOMPARE(measurement_.text(), measurementText(sums, gather));
        QCOMPARE(measurement_.figures().size(), qsizetype{3});
        QCOMPARE(measurement_.table(), measurementTable(*timeline_, sums, gather));
    }

    void anotherSpanReplacesTheFirst() {
        measurement_.measure(timeline_->event({1, 3}));
        const QString first = measurement_.text();
        measurement_.measure(timeline_->range());
        QVERIFY(measurement_.text() != first);
        measurement_.measure(std::nullopt);
        QVERIFY(!measurement_.range());
        QVERIFY(measurement_.text().isEmpty() && measurement_.figures().isEmpty());
    }

    void sumsAreOfTheTimelineThatIsMeasured() {
        const TimeRange whole = timeline_->range();
        measurement_.measure(whole);
        const QString before = measurement_.table();
        measurement_.setTimeline(test::synthetic_step(4));
        QVERIFY(!measurement_.range());
        measurement_.measure(whole);
        QVERIFY(measurement_.table() != before);
    }

  private:
    std::shared_ptr<const Timeline> timeline_;
    RangeMeasurement measurement_;
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::RangeMeasurementTest)
#include "range_measurement_test.moc"
