#include "ui/shell/times_controller.h"

#include <QSignalSpy>

#include "tests/ui/shell/session_fixture.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/figures_bar.h"

namespace overlap::ui {

/// Measurements beside the plans, and the times that figures are of.
class TimesControllerTest : public QObject {
    Q_OBJECT

    struct Fixture : SessionFixture {
        void openGraph() {
            document.setGraph(loadGraph(smallGraphFile()));
            QVERIFY(waitForEvaluation(document));
        }
        void openTrace() {
            measurements.open({trace()});
            QTRY_COMPARE_WITH_TIMEOUT(measurements.count(), 1, 30'000);
        }
        bool isEnabled(const char* id) const { return actions.find(QString::fromLatin1(id))->isEnabled(); }
        QString firstFigure() { return workspace.figures().figures().front().label; }
    };

    static QString trace() { return QStringLiteral(OVERLAP_TEST_DATA "/traces/hta_sampled_rank0.json.gz"); }

  private slots:
    void aMeasurementIsToldAndRecent() {
        Fixture fixture;
        QSignalSpy told(&fixture.times, &NoticeSource::told);
        QSignalSpy opened(&fixture.times, &TimesController::filesOpened);
        QSignalSpy changed(&fixture.times, &TimesController::changed);
        fixture.openTrace();
        QCOMPARE(opened.count(), 1);
        QCOMPARE(opened[0][0].toStringList(), QStringList{trace()});
        QVERIFY(told.value(0).value(0).toString().startsWith("Read hta_sampled_rank0.json.gz: "));
        QVERIFY2(!changed.isEmpty(), "the session is to keep it");
    }

    void aTraceThatCannotBeReadIsWarnedOf() {
        Fixture fixture;
        QSignalSpy warned(&fixture.times, &NoticeSource::warned);
        fixture.measurements.open({"/nowhere/trace.json"});
        QTRY_COMPARE(warned.count(), 1);
        QVERIFY(warned[0][0].toString().contains("/nowhere/trace.json"));
    }

    void theFiguresAreThoseOfWhatIsShown() {
        Fixture fixture;
        fixture.openGraph();
        const QString of_plan = fixture.firstFigure();
        fixture.openTrace();
        QCOMPARE(fixture.measurements.currentIndex(), 0);
        QVERIFY(fixture.firstFigure() != of_plan);
        fixture.measurements.setCurrentIndex(-1);
        QCOMPARE(fixture.firstFigure(), of_plan);
    }

    void anEditShowsThePlanAgain() {
        Fixture fixture;
        fixture.openGraph();
        fixture.openTrace();
        BucketCommands(fixture.document).addText("layers.0");
        QCOMPARE(fixture.measurements.currentIndex(), -1);
    }

    void timesOfATraceNeedAGraphAndATrace() {
        Fixture fixture;
        QVERIFY(!fixture.isEnabled("plan.traceTimes"));
        fixture.openTrace();
        QVERIFY(!fixture.isEnabled("plan.traceTimes"));
        fixture.openGraph();
        QVERIFY(fixture.isEnabled("plan.traceTimes"));
        QVERIFY2(!fixture.isEnabled("plan.graphTimes"), "figures are of the graph's times already");
        fixture.measurements.close(0);
        QVERIFY(!fixture.isEnabled("plan.traceTimes"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::TimesControllerTest)
#include "times_controller_test.moc"
