#include "ui/shell/run_controller.h"

#include <QSignalSpy>

#include "tests/ui/ui_test_support.h"
#include "ui/frame/actions.h"
#include "ui/measure/measurements.h"
#include "ui/run/run_panel.h"

namespace overlap::ui {

/// What becomes of a run's result; no run is started.
class RunControllerTest : public QObject {
    Q_OBJECT

    struct Fixture {
        std::unique_ptr<Document> document = openDocument();
        Measurements measurements;
        QWidget window;
        QWidget* dock = new QWidget(&window);
        RunPanel* panel = new RunPanel(*document, "/nowhere/overlap-runner", dock);
        RunController run{*document, measurements, *panel};
    };

    static QString trace() { return QStringLiteral(OVERLAP_TEST_DATA "/traces/hta_no_distributed_info.json.gz"); }

  private slots:
    void aResultOpensBesideThePlanThatRan() {
        Fixture fixture;
        const quint64 ran = fixture.document->current()->key();
        fixture.document->addCopyOfCurrent();
        QSignalSpy told(&fixture.run, &NoticeSource::told);
        emit fixture.panel->measured(ran, {trace()}, "/runs/1.run.json");
        QCOMPARE(fixture.document->current()->key(), ran);
        QCOMPARE(told.count(), 1);
        QCOMPARE(told[0][1].toString(), "/runs/1.run.json");
        QTRY_COMPARE_WITH_TIMEOUT(fixture.measurements.count(), 1, 30'000);
        QCOMPARE(fixture.measurements.at(0)->files, QStringList{trace()});
    }

    void theResultOfAClosedPlanOpensBesideTheOneThatIsShown() {
        Fixture fixture;
        const quint64 closed = fixture.document->addCopyOfCurrent().key();
        fixture.document->closeVariant(fixture.document->currentIndex());
        const quint64 shown = fixture.document->current()->key();
        emit fixture.panel->measured(closed, {trace()}, "/runs/1.run.json");
        QCOMPARE(fixture.document->current()->key(), shown);
        QTRY_COMPARE_WITH_TIMEOUT(fixture.measurements.count(), 1, 30'000);
    }

    void sentencesOfThePanelReachTheUser() {
        Fixture fixture;
        QSignalSpy told(&fixture.run, &NoticeSource::told), warned(&fixture.run, &NoticeSource::warned);
        QSignalSpy calibrate(&fixture.run, &RunController::calibrateWanted);
        emit fixture.panel->told("The run has ended");
        emit fixture.panel->failed("There is no device");
        emit fixture.panel->calibrateWanted();
        QCOMPARE(told.value(0).value(0).toString(), "The run has ended");
        QCOMPARE(warned.value(0).value(0).toString(), "There is no device");
        QCOMPARE(calibrate.count(), 1);
    }

    void theActionShowsThePanelInItsDock() {
        Fixture fixture;
        Actions actions(&fixture.window);
        fixture.run.registerActions(actions);
        fixture.window.show();
        fixture.dock->hide();
        actions.find("run.show")->trigger();
        QVERIFY(fixture.panel->isVisible());
        QCOMPARE(actions.find("run.dry"), fixture.panel->dryAction());
        QCOMPARE(actions.find("run.start"), fixture.panel->runAction());
        QCOMPARE(actions.find("run.cancel"), fixture.panel->cancelAction());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::RunControllerTest)
#include "run_controller_test.moc"
