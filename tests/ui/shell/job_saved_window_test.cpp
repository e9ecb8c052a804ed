// A job that is saved: the window goes on in the new file, and so do the plans of its stages.

#include <QAction>
#include <QFile>
#include <QTemporaryDir>
#include <QTreeView>

#include "tests/ui/job/job_files.h"
#include "tests/ui/shell/job_window.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/write_file.h"
#include "ui/frame/actions.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/job/tables/stages_model.h"
#include "ui/shell/files/job_controller.h"
#include "ui/shell/session_controller.h"

namespace overlap::ui {

class JobSavedWindowTest : public QObject {
    Q_OBJECT

    static QByteArray contentOf(const QString& file) {
        QFile content(file);
        return content.open(QIODevice::ReadOnly) ? content.readAll() : QByteArray();
    }
    static QString planText(MainWindow& window, int stage) {
        const auto* stages = window.findChild<QTreeView*>("jobStages");
        return stages->model()->index(stage, StagesModel::plan_column).data().toString();
    }
    static void addBuckets(MainWindow& window, const QString& modules) {
        QCOMPARE(BucketCommands(window.document()).addText(modules), QString());
        QVERIFY(waitUntilIdle(window));
    }
    static void save(MainWindow& window) {
        window.actions().find("file.save")->trigger();
        QTRY_VERIFY(!window.document().current()->modified());
        QCoreApplication::processEvents();
        QVERIFY(waitUntilIdle(window));
    }
    /// The sample with a plan of stage 3 that is in no file, and stage 0 shown.
    static void openEditedSample(MainWindow& window) {
        openSample(window);
        openStage(window, 3);
        addBuckets(window, "layers.12\nlayers.13");
        openStage(window, 0);
    }

  private slots:
    void aPlanThatIsNotShownIsOfTheNewJobsFile() {
        QTemporaryDir folder;
        MainWindow window;
        openEditedSample(window);
        const QString file = folder.filePath("mine.job.json");
        QVERIFY(window.jobs().saveAs(file));
        OpenJob& job = jobOf(window);
        QCOMPARE(job.file(), file);
        QVERIFY(!job.modified() && job.differs());
        QVERIFY2(window.windowTitle().contains("mine.job.json"), qPrintable(window.windowTitle()));
        QCOMPARE(planText(window, 3), "Stage 3");
        QCOMPARE(window.workspace().stages().stage(), 0);
        QCOMPARE(window.document().loaded().path, job.graphOf(0));
        openStage(window, 3);
        Variant& tab = *window.document().current();
        QCOMPARE(tab.filePath(), folder.filePath("mine.stage3.plan.json"));
        QVERIFY(!tab.modified() && tab.undoStack().canUndo());
        addBuckets(window, "layers.14");
        QCOMPARE(planText(window, 3), "Stage 3*");
        save(window);
        QCOMPARE(planText(window, 3), "Stage 3");
        QVERIFY(!job.modified());
        QCOMPARE(*simulatedJob(file).step_ms, job.figures()->step_ms);
    }

    void nothingIsWrittenIntoTheFirstJobsFiles() {
        QTemporaryDir folder;
        MainWindow window;
        openEditedSample(window);
        const QString first = folder.filePath("first.job.json"), second = folder.filePath("second.job.json");
        const QString first_plan = folder.filePath("first.stage3.plan.json");
        QVERIFY(window.jobs().saveAs(first));
        const double first_ms = jobOf(window).figures()->step_ms;
        const QByteArray plan = contentOf(first_plan), document = contentOf(first);
        // What was saved stays what a stage has, also where nothing of it was edited since.
        QVERIFY(window.jobs().saveAs(second));
        QCOMPARE(contentOf(folder.filePath("second.stage3.plan.json")), plan);
        openStage(window, 3);
        QCOMPARE(window.document().current()->filePath(), folder.filePath("second.stage3.plan.json"));
        addBuckets(window, "layers.14");
        save(window);
        QVERIFY(jobOf(window).figures()->step_ms != first_ms);
        QCOMPARE(*simulatedJob(second).step_ms, jobOf(window).figures()->step_ms);
        QCOMPARE(contentOf(first_plan), plan);
        QCOMPARE(contentOf(first), document);
        QCOMPARE(*simulatedJob(first).step_ms, first_ms);
    }

    void plansOfAJobThatWasOpenedAreTheNewJobsToo() {
        QTemporaryDir folder;
        const QString first = folder.filePath("first.job.json"), second = folder.filePath("second.job.json");
        {
            MainWindow window;
            openEditedSample(window);
            QVERIFY(window.jobs().saveAs(first));
        }
        const QByteArray plan = contentOf(folder.filePath("first.stage3.plan.json"));
        MainWindow window;
        window.show();
        window.openFiles({first});
        OpenJob& job = jobOf(window);
        QVERIFY(QTest::qWaitFor([&] { return job.isOpen(); }, 60'000));
        QVERIFY(waitUntilIdle(window));
        openStage(window, 3);
        openStage(window, 0);
        QVERIFY(window.jobs().saveAs(second));
        QVERIFY(!job.modified());
        // Called the same as before the restart.
        QCOMPARE(planText(window, 3), "Stage 3");
        openStage(window, 3);
        QCOMPARE(window.document().current()->filePath(), folder.filePath("second.stage3.plan.json"));
        addBuckets(window, "layers.14");
        save(window);
        QCOMPARE(contentOf(folder.filePath("first.stage3.plan.json")), plan);
        QCOMPARE(*simulatedJob(second).step_ms, job.figures()->step_ms);
        // What was opened comes back by undo, and is in no file then.
        window.actions().find("edit.undo")->trigger();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!job.differs() && job.modified());
        QCOMPARE(planText(window, 3), "Stage 3*");
        save(window);
        QVERIFY(!job.modified());
        QCOMPARE(*simulatedJob(second).step_ms, *simulatedJob(first).step_ms);
    }

    void aStagesGraphThatChangesIsToldOfAndReadAgain() {
        QTemporaryDir folder;
        const QString file = folder.filePath("mine.job.json");
        {
            MainWindow window;
            openSample(window);
            QVERIFY(window.jobs().saveAs(file));
        }
        MainWindow window;
        open(window, {file});
        QVERIFY(QTest::qWaitFor([&] { return jobOf(window).isOpen() && !jobOf(window).busy(); }, 60'000));
        QVERIFY(waitUntilIdle(window));
        const double before_ms = jobOf(window).figures()->step_ms;
        const QString last = jobOf(window).graphOf(7);
        QVERIFY(QFile::remove(last) && QFile::copy(jobOf(window).graphOf(0), last));
        std::vector<NoticeAction> actions;
        connect(&window.jobs(), &NoticeSource::warnedAlso, this,
                [&](const QString&, const QStringList&, const std::vector<NoticeAction>& given) { actions = given; });
        const QString sentence = last + " was changed on disk since the job read it: the job's step is that of before";
        QTRY_VERIFY(window.workspace().notice().shows(sentence));
        // Told once, but again where the job is saved.
        actions.clear();
        window.jobs().lookAtFiles();
        QTest::qWait(200);
        QVERIFY(actions.empty());
        QVERIFY(window.jobs().saveAs(folder.filePath("other.job.json")));
        QCOMPARE(jobOf(window).figures()->step_ms, before_ms);
        QTRY_COMPARE(actions.size(), 1u);
        actions.front().run();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.workspace().notice().shows(sentence));
        QCOMPARE(jobOf(window).figures()->step_ms, *simulatedJob(jobOf(window).file()).step_ms);
        QVERIFY(jobOf(window).figures()->step_ms != before_ms);
    }

    void aJobsFileThatChangesIsToldOfAndOpenedAgain() {
        QTemporaryDir folder;
        const QString file = folder.filePath("mine.job.json");
        MainWindow window;
        openSample(window);
        QVERIFY(window.jobs().saveAs(file));
        QVERIFY(waitUntilIdle(window));
        const double before_ms = jobOf(window).figures()->step_ms;
        std::vector<NoticeAction> actions;
        connect(&window.jobs(), &NoticeSource::warnedAlso, this,
                [&](const QString&, const QStringList&, const std::vector<NoticeAction>& given) { actions = given; });
        QByteArray content = contentOf(file);
        content.replace("1F1B", "GPipe");
        QCOMPARE(writeFile(file, content), QString());
        const QString sentence = file + " was changed on disk since the job was read from it";
        QTRY_VERIFY(window.workspace().notice().shows(sentence));
        QCOMPARE(actions.size(), 1u);
        QCOMPARE(actions.front().text, "Read again");
        actions.front().run();
        QTRY_COMPARE(jobOf(window).document().schedule.name, std::string("GPipe"));
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.workspace().notice().shows(sentence));
        QVERIFY(jobOf(window).figures()->step_ms != before_ms);
        // Whoever has changes is told that they would be lost.
        actions.clear();
        jobOf(window).change("24 microbatches", [] {
            job::JobChanges changes;
            changes.microbatches = 24;
            return changes;
        }());
        content.replace("GPipe", "1F1B");
        QCOMPARE(writeFile(file, content), QString());
        QTRY_COMPARE(actions.size(), 1u);
        QCOMPARE(actions.front().text, "Read again, without my changes");
    }

    void aRestartOpensTheNewJob() {
        QTemporaryDir folder, jobs;
        const QString file = jobs.filePath("mine.job.json");
        double saved_ms = 0, edited_ms = 0;
        const auto comesBack = [&](MainWindow& window) {
            window.show();
            window.openSessionOrSample();
            QVERIFY(QTest::qWaitFor([&] { return jobOf(window).isOpen(); }, 60'000));
            QVERIFY(waitUntilIdle(window));
            QCOMPARE(jobOf(window).file(), file);
        };
        {
            MainWindow window(folder.path());
            openEditedSample(window);
            QVERIFY(window.jobs().saveAs(file));
            saved_ms = jobOf(window).figures()->step_ms;
            QCOMPARE(window.session().store(), QString());
        }
        {
            MainWindow window(folder.path());
            comesBack(window);
            QVERIFY(!jobOf(window).modified());
            QCOMPARE(jobOf(window).figures()->step_ms, saved_ms);
            openStage(window, 3);
            QCOMPARE(window.document().current()->filePath(), jobs.filePath("mine.stage3.plan.json"));
            QVERIFY(!window.document().current()->modified());
            // Saved again, what is edited then is in no file.
            QVERIFY(window.jobs().saveAs(file));
            addBuckets(window, "layers.14");
            edited_ms = jobOf(window).figures()->step_ms;
            QVERIFY(edited_ms != saved_ms);
            QCOMPARE(window.session().store(), QString());
        }
        MainWindow window(folder.path());
        comesBack(window);
        QVERIFY(jobOf(window).modified());
        QCOMPARE(jobOf(window).figures()->step_ms, edited_ms);
        openStage(window, 3);
        QCOMPARE(window.document().current()->filePath(), jobs.filePath("mine.stage3.plan.json"));
        save(window);
        QVERIFY(!jobOf(window).modified());
        QCOMPARE(*simulatedJob(file).step_ms, edited_ms);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::JobSavedWindowTest)
#include "job_saved_window_test.moc"
