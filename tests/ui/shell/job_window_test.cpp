// A job in the window: opening, saving, undo, the session, small windows.

#include "tests/ui/shell/job_window.h"

#include <QDir>
#include <QDropEvent>
#include <QFileDialog>
#include <QLabel>
#include <QMimeData>
#include <QTemporaryDir>

#include "tests/job/traces_of_job.h"
#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/write_file.h"
#include "ui/frame/actions.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/job/job_view.h"
#include "ui/job/step/job_step_view.h"
#include "ui/measure/measurements.h"
#include "ui/shell/files/export_controller.h"
#include "ui/shell/files/job_controller.h"
#include "ui/shell/session_controller.h"
#include "ui/shell/times_controller.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

class JobWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void aJobOpensInFrontWithItsFirstStage() {
        MainWindow window;
        openSample(window);
        QCOMPARE(window.workspace().centre().current(), "job");
        QVERIFY(jobOf(window).figures());
        QCOMPARE(window.document().name(), "llama3_8b_pp8_first");
        QCOMPARE(window.workspace().notice().text(), QString());
    }

    void whatIsNoJobIsSaidWithFileAndPlace() {
        QTemporaryDir folder;
        QFile file(folder.filePath("bad.job.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"format": "overlap-job", "version": 7})");
        file.close();
        MainWindow window;
        window.openFiles({file.fileName()});
        QTRY_VERIFY(window.workspace().notice().text().contains("bad.job.json"));
        QVERIFY(window.workspace().notice().text().contains("version"));
    }

    void aJobIsSavedUnderTheNameThatTheDialogAskedAbout() {
        QTemporaryDir folder;
        MainWindow window;
        openSample(window);
        window.actions().find("file.saveJobAs")->trigger();
        auto* dialog = window.findChild<QFileDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        dialog->selectFile(folder.filePath("run"));
        const QString file = folder.filePath("run.job.json");
        QCOMPARE(dialog->selectedFiles(), QStringList{file});
        emit dialog->fileSelected(file);
        dialog->close();
        QVERIFY(QFile::exists(file));
        // What it replaces is kept.
        job::JobChanges changes;
        changes.microbatches = 20;
        jobOf(window).change("20 microbatches", changes);
        QVERIFY(window.jobs().saveAs(file));
        QVERIFY(QFile::exists(olderVersionPath(file)));
        QVERIFY(!window.jobs().saveAs(folder.filePath("run.json.gz")));
        QVERIFY(window.workspace().notice().text().contains("not compressed"));
        QCOMPARE(QDir(folder.path()).entryList({"run.json*"}), QStringList());
    }

    void theTimelineThatIsInFrontIsExported() {
        MainWindow window;
        openSample(window);
        QSignalSpy of_job(&window.workspace().jobView().step().timeline(), &TimelineView::exportWanted);
        QSignalSpy of_plan(&window.workspace().timeline(), &TimelineView::exportWanted);
        // Neither opens its dialog here.
        for (TimelineView* view : {&window.workspace().jobView().step().timeline(), &window.workspace().timeline()})
            for (QObject* other : std::initializer_list<QObject*>{&window.jobs(), &window.exports()})
                QObject::disconnect(view, &TimelineView::exportWanted, other, nullptr);
        window.actions().find("file.exportTimeline")->trigger();
        QCOMPARE(of_job.count(), 1);
        QCOMPARE(of_plan.count(), 0);
        window.workspace().showMiddle("graph");
        window.actions().find("file.exportTimeline")->trigger();
        QCOMPARE(of_job.count(), 1);
        QCOMPARE(of_plan.count(), 1);
    }

    void undoTakesBackTheJobsControls() {
        MainWindow window;
        openSample(window);
        OpenJob& job = jobOf(window);
        job::JobChanges changes;
        changes.schedule = "GPipe";
        job.change("Use schedule GPipe", changes);
        QVERIFY(window.actions().find("edit.undo")->text().contains("Use schedule GPipe"));
        window.actions().find("edit.undo")->trigger();
        QCOMPARE(QString::fromStdString(job.changes().schedule), QString());
        window.actions().find("edit.redo")->trigger();
        QCOMPARE(QString::fromStdString(job.changes().schedule), "GPipe");
    }

    /// What is undone belongs to what is shown.
    void aJobThatIsNotShownIsNotUndone() {
        MainWindow window;
        openSample(window);
        OpenJob& job = jobOf(window);
        QAction *undo = window.actions().find("edit.undo"), *redo = window.actions().find("edit.redo");
        job::JobChanges changes;
        changes.schedule = "GPipe";
        job.change("Use schedule GPipe", changes);
        undo->trigger();
        QCOMPARE(redo->text(), "Redo Use schedule GPipe");
        // A graph that is no stage of it.
        window.openFiles({smallGraphFile()});
        QTRY_COMPARE(window.workspace().stages().stage(), -1);
        QVERIFY(waitUntilIdle(window));
        window.workspace().showMiddle("graph");
        QVERIFY2(!redo->isEnabled(), qPrintable(redo->text()));
        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(QString::fromStdString(job.changes().schedule), QString());
        // Its own page, and its stages, have it.
        window.workspace().showMiddle("job");
        QCOMPARE(redo->text(), "Redo Use schedule GPipe");
        redo->trigger();
        QCOMPARE(QString::fromStdString(job.changes().schedule), "GPipe");
        window.workspace().showMiddle("graph");
        QVERIFY2(!undo->isEnabled(), qPrintable(undo->text()));
        QCOMPARE(BucketCommands(window.document()).addText("layers.0"), QString());
        QCOMPARE(undo->text(), "Undo Add layers.0");
        undo->trigger();
        openStage(window, 3);
        window.workspace().showMiddle("graph");
        QCOMPARE(undo->text(), "Undo Use schedule GPipe");
        undo->trigger();
        QCOMPARE(QString::fromStdString(job.changes().schedule), QString());
        QCOMPARE(window.workspace().centre().current(), "job");
        QCOMPARE(redo->text(), "Redo Use schedule GPipe");
    }

    void theSessionBringsItBack() {
        QTemporaryDir folder;
        double changed_ms = 0;
        {
            MainWindow window(folder.path());
            openSample(window);
            OpenJob& job = jobOf(window);
            job::JobChanges changes;
            changes.slow = job::SlowRanks{8, 8, 1.05};
            job.change("Slow host 1", changes);
            openStage(window, 3);
            QCOMPARE(BucketCommands(window.document()).addText("layers.12\nlayers.13"), QString());
            QVERIFY(waitUntilIdle(window));
            changed_ms = job.figures()->step_ms;
            QCOMPARE(window.session().store(), QString());
        }
        MainWindow window(folder.path());
        window.openSessionOrSample();
        OpenJob& job = jobOf(window);
        QTRY_VERIFY_WITH_TIMEOUT(job.isOpen() && !job.busy(), 60'000);
        QVERIFY(waitUntilIdle(window));
        QVERIFY(job.changes().slow);
        QCOMPARE(job.figures()->step_ms, changed_ms);
        // The stage has the plan that came back, and its edits are the job's again, without a click on the stage.
        QCOMPARE(window.workspace().stages().stage(), 3);
        QCOMPARE(window.document().current()->plan().buckets.size(), 2u);
        QVERIFY(!BucketCommands(window.document()).addText("layers.14").size());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(job.figures()->step_ms != changed_ms);
    }

    void whatTheOtherViewsShowIsSaidWhereItIsNoStage() {
        MainWindow window;
        open(window, {smallGraphFile()});
        openSample(window);
        auto* label = window.findChild<QLabel*>("jobUnrelated");
        QVERIFY(label->isVisible());
        QVERIFY2(label->text().contains(window.document().name()), qPrintable(label->text()));
        emit label->linkActivated("0");
        QVERIFY(QTest::qWaitFor([&] { return window.workspace().stages().stage() == 0; }, 60'000));
        QVERIFY(!label->isVisible());
        QVERIFY(waitUntilIdle(window));
    }

    void readingCanBeCancelledWhileAnythingIsRead() {
        MainWindow window;
        const QAction& cancel = *window.actions().find("file.cancel");
        QVERIFY(!cancel.isEnabled());
        QCOMPARE(cancel.toolTip(), "Nothing is being read");
        window.openFiles({smallGraphFile()});
        QVERIFY(cancel.isEnabled());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!cancel.isEnabled());
        window.openFiles({sampleJob()});
        QVERIFY(cancel.isEnabled());
        QVERIFY(QTest::qWaitFor([&] { return jobOf(window).isOpen(); }, 60'000));
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!cancel.isEnabled());
    }

    void theStatusLineTellsWhatAJobsUndoDoes() {
        MainWindow window;
        openSample(window);
        QStringList told;
        connect(&window.workspace(), &Workspace::told, this, [&](const QString& sentence) { told.append(sentence); });
        openStage(window, 3);
        QCOMPARE(BucketCommands(window.document()).addText("layers.12\nlayers.13"), QString());
        QVERIFY(waitUntilIdle(window));
        job::JobChanges changes;
        changes.schedule = "GPipe";
        jobOf(window).change("Use schedule GPipe", changes);
        QVERIFY(waitUntilIdle(window));
        QVERIFY2(told.back().startsWith("Use schedule GPipe: step "), qPrintable(told.back()));
        window.actions().find("edit.undo")->trigger();
        QVERIFY(waitUntilIdle(window));
        QVERIFY2(told.back().startsWith("Undone: Use schedule GPipe: step "), qPrintable(told.back()));
    }

    void inALowWindowTheJobHasTheMiddle() {
        MainWindow window;
        openSample(window);
        TimelineView& below = window.workspace().timeline();
        QVERIFY(below.isVisible());
        window.resize(800, 500);
        QTRY_VERIFY(!below.isVisible());
        QVERIFY(window.findChild<TimelineView*>("jobTimeline")->height() >= 60);
        window.workspace().showMiddle("graph");
        QTRY_VERIFY(below.isVisible());
    }

    /// A trace alone is opened in a session that has a job: its stages are not.
    void whatASessionBringsBackOpensNoGraph() {
        QTemporaryDir folder;
        {
            MainWindow window(folder.path());
            openSample(window);
            QCOMPARE(window.session().store(), QString());
        }
        MainWindow window(folder.path());
        window.openFiles({QStringLiteral(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz")});
        QTRY_VERIFY_WITH_TIMEOUT(jobOf(window).isOpen() && !jobOf(window).busy(), 60'000);
        QCoreApplication::sendPostedEvents();
        QVERIFY(!window.document().isOpen() && !window.document().loading());
    }

    void itFitsSmallWindows() {
        MainWindow window;
        openSample(window);
        for (const QSize size : {QSize(1600, 1000), QSize(1280, 800), QSize(1024, 640), QSize(800, 500)}) {
            window.resize(size);
            QCoreApplication::processEvents();
            QCOMPARE(window.size(), size);
            const JobView& view = window.workspace().jobView();
            QVERIFY(view.isVisible());
            QVERIFY(view.findChild<TimelineView*>("jobTimeline")->isVisible());
        }
    }

    void withoutASessionClosingIsRefusedOnceWhereTheJobWasChanged() {
        MainWindow window;
        openSample(window);
        job::JobChanges changes;
        changes.microbatches = 20;
        jobOf(window).change("20 microbatches", changes);
        QVERIFY(window.session().refusesClosing());
        QVERIFY(!window.session().refusesClosing());
    }

    /// Without a job they are of the open graph.
    void measuredTracesOpenBesideAGraphToo() {
        QTemporaryDir folder;
        MainWindow window(folder.path());
        const QAction& action = *window.actions().find("file.openMeasured");
        QVERIFY(!action.isEnabled());
        QVERIFY2(action.toolTip().contains("open a graph or a job first"), qPrintable(action.toolTip()));
        open(window, {smallGraphFile()});
        QVERIFY(action.isEnabled());
        window.jobs().openMeasured({QStringLiteral(OVERLAP_TEST_DATA "/traces/hta_nccl_data.json.gz")});
        QVERIFY(waitUntilIdle(window));
        QTRY_COMPARE(window.times().measurements().count(), 1);
    }

    void tracesThatAreDroppedOnTheJobLieOverIt() {
        QTemporaryDir folder;
        MainWindow window(folder.path());
        openSample(window);
        OpenJob& job = jobOf(window);
        const QString file = folder.filePath("rank3.json");
        QVERIFY(
            writeFile(file, QByteArray::fromStdString(test::trace_of_rank(*job.picture()->evaluation, 3))).isEmpty());
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(file)});
        const JobView& view = window.workspace().jobView();
        const QPoint middle = view.mapTo(&window, view.rect().center());
        QDragEnterEvent enter(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &enter);
        QDropEvent drop(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&window, &drop);
        QVERIFY(QTest::qWaitFor([&] { return job.picture() && job.picture()->measured; }, 60'000));
        QCOMPARE(job.measured().files, QStringList{file});
        window.actions().find("file.closeMeasured")->trigger();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!job.picture()->measured);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::JobWindowTest)
#include "job_window_test.moc"
