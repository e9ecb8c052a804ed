// A job's stages in the window: shown in all other views, whose edits change the job's step, are undone and saved.

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>

#include "core/io/plan/plan_file.h"
#include "tests/ui/job/job_files.h"
#include "tests/ui/shell/job_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/actions/cost_actions.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/write_file.h"
#include "ui/frame/actions.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/job/tables/stages_model.h"
#include "ui/shell/files/job_controller.h"
#include "ui/shell/times_controller.h"

namespace overlap::ui {

class JobStagesWindowTest : public QObject {
    Q_OBJECT

    /// Undoes the last edit, after which the job is as it was opened.
    static void undoToWhatWasOpened(MainWindow& window, double opened_ms) {
        window.actions().find("edit.undo")->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(jobOf(window).figures()->step_ms, opened_ms);
        QVERIFY(!jobOf(window).differs());
    }

    /// The sample with a copy of stage 3's plan in a tab of its own, which is edited there.
    static void openEditedCopyOfStage(MainWindow& window) {
        openSample(window);
        openStage(window, 3);
        window.document().addCopyOfCurrent();
        QCOMPARE(BucketCommands(window.document()).addText("layers.12\nlayers.13"), QString());
    }

  private slots:
    void anEditOfAStageChangesTheStepAsTheCommandLineSays() {
        QTemporaryDir folder;
        MainWindow window;
        openSample(window);
        OpenJob& job = jobOf(window);
        const double opened_ms = job.figures()->step_ms;
        openStage(window, 3);
        QCOMPARE(window.document().name(), "llama3_8b_pp8_wide");
        QCOMPARE(window.document().current()->title(), "Stage 3");
        QVERIFY(!job.differs());
        const std::size_t evaluations = job.stageEvaluations();
        QCOMPARE(BucketCommands(window.document()).addText("layers.12\nlayers.13\nlayers.14\nlayers.15\nlayers.16"),
                 QString());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(job.differs());
        QCOMPARE(job.stageEvaluations(), evaluations + 1);
        const double edited_ms = job.figures()->step_ms;
        QVERIFY(edited_ms != opened_ms);
        // Stages with one graph have plans of their own.
        openStage(window, 4);
        QCOMPARE(window.document().name(), "llama3_8b_pp8_middle");
        openStage(window, 5);
        QCOMPARE(window.document().name(), "llama3_8b_pp8_middle");
        QCOMPARE(window.document().current()->title(), "Stage 5");
        QCOMPARE(job.figures()->step_ms, edited_ms);
        QVERIFY(!job.planOf(4) && job.planOf(3));
        QVERIFY(window.jobs().saveAs(folder.filePath("edited.job.json")));
        QCOMPARE(*simulatedJob(folder.filePath("edited.job.json")).step_ms, edited_ms);
        openStage(window, 3);
        QCOMPARE(window.document().current()->title(), "Stage 3");
        undoToWhatWasOpened(window, opened_ms);
    }

    void openingAStageIsNoEditToUndo() {
        MainWindow window;
        openSample(window);
        openStage(window, 4);  // whose plan is in no file
        const int tabs = window.document().variantCount();
        QAction* undo = window.actions().find("edit.undo");
        QVERIFY2(!undo->isEnabled(), qPrintable(undo->text()));
        QCOMPARE(BucketCommands(window.document()).addText("layers.18"), QString());
        QCOMPARE(undo->text(), "Undo Add layers.18");
        undo->trigger();
        QVERIFY2(!undo->isEnabled(), qPrintable(undo->text()));
        QCOMPARE(window.document().variantCount(), tabs);
    }

    void aTabOfAnotherPlanChangesNothingUntilItIsUsed() {
        MainWindow window;
        openEditedCopyOfStage(window);
        OpenJob& job = jobOf(window);
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!job.differs());
        window.workspace().stages().useShownPlan();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(job.planOf(3));
        window.actions().find("edit.undo")->trigger();
        QVERIFY(!job.planOf(3));
    }

    void undoOfAPlanThatIsUsedLeavesJobAndTabTogether() {
        MainWindow window;
        openEditedCopyOfStage(window);
        OpenJob& job = jobOf(window);
        window.workspace().stages().useShownPlan();
        QVERIFY(job.planOf(3));
        auto* use = window.findChild<QPushButton*>("jobUsePlan");
        QVERIFY(use->isHidden());
        job.undoStack().undo();
        QVERIFY(!job.planOf(3));
        // The tab is another one again: it is offered, and its edits are not the job's.
        QVERIFY(!use->isHidden());
        QCOMPARE(BucketCommands(window.document()).addText("layers.14"), QString());
        QVERIFY(!job.planOf(3));
        job.undoStack().redo();
        QVERIFY(job.planOf(3) && *job.planOf(3) == window.document().current()->plan());
        QVERIFY(use->isHidden());
        QVERIFY(waitUntilIdle(window));
    }

    void aPlanThatIsSavedIntoTheStagesFileIsWhatIsShown() {
        QTemporaryDir folder;
        const QString file = folder.filePath("mine.job.json");
        {
            MainWindow window;
            openSample(window);
            openStage(window, 3);
            QCOMPARE(BucketCommands(window.document()).addText("layers.12\nlayers.13"), QString());
            QVERIFY(waitUntilIdle(window));
            QVERIFY(window.jobs().saveAs(file));
        }
        MainWindow window;
        window.show();
        window.openFiles({file});
        OpenJob& job = jobOf(window);
        QVERIFY(QTest::qWaitFor([&] { return job.isOpen(); }, 60'000));
        QVERIFY(waitUntilIdle(window));
        openStage(window, 3);
        QVERIFY(!job.differs());
        const double opened_ms = job.figures()->step_ms;
        QCOMPARE(BucketCommands(window.document()).addText("layers.14\nlayers.15\nlayers.16"), QString());
        QVERIFY(waitUntilIdle(window));
        const double edited_ms = job.figures()->step_ms;
        QVERIFY(edited_ms != opened_ms);
        const auto* stages = window.findChild<QTreeView*>("jobStages");
        const QModelIndex plan = stages->model()->index(3, StagesModel::plan_column);
        QVERIFY(plan.data().toString().endsWith(u'*'));
        Variant& tab = *window.document().current();
        const std::string text = write_plan_text(tab.plan());
        QCOMPARE(writeFile(job.planFileOf(3), QByteArray(text.data(), qsizetype(text.size()))), QString());
        tab.setSaved(job.planFileOf(3));
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(job.figures()->step_ms, edited_ms);
        QCOMPARE(*simulatedJob(file).step_ms, edited_ms);
        QTRY_VERIFY(job.differs() && !job.modified());
        QVERIFY(!plan.data().toString().endsWith(u'*'));
        undoToWhatWasOpened(window, opened_ms);
    }

    /// The plan that is written beside a saved job is the tab's file: later edits are saved into it, and so reach the
    /// job.
    void theTabOfAPlanThatIsSavedWithTheJobIsOfItsFile() {
        QTemporaryDir folder;
        MainWindow window;
        openSample(window);
        OpenJob& job = jobOf(window);
        openStage(window, 3);
        QCOMPARE(BucketCommands(window.document()).addText("layers.12\nlayers.13"), QString());
        QVERIFY(waitUntilIdle(window));
        const QString file = folder.filePath("mine.job.json"), plan_file = folder.filePath("mine.stage3.plan.json");
        QVERIFY(window.jobs().saveAs(file));
        const Variant& tab = *window.document().current();
        QCOMPARE(tab.filePath(), plan_file);
        QVERIFY(!tab.modified() && job.differs() && !job.modified());
        const auto* stages = window.findChild<QTreeView*>("jobStages");
        const QModelIndex plan = stages->model()->index(3, StagesModel::plan_column);
        QVERIFY2(!plan.data().toString().endsWith(u'*'), qPrintable(plan.data().toString()));
        QCOMPARE(BucketCommands(window.document()).addText("layers.14\nlayers.15"), QString());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(tab.modified() && job.modified());
        QVERIFY(plan.data().toString().endsWith(u'*'));
        window.actions().find("file.save")->trigger();
        QVERIFY(waitUntilIdle(window));
        QTRY_VERIFY(!tab.modified());
        QTRY_VERIFY(!job.modified());
        QCOMPARE(*simulatedJob(file).step_ms, job.figures()->step_ms);
    }

    /// What is shown are that job's stages: the same graphs, and tabs with exactly their plans.
    void aJobThatIsSavedAndOpenedAgainKeepsItsStage() {
        QTemporaryDir folder;
        const QString first = folder.filePath("first.job.json"), second = folder.filePath("second.job.json");
        MainWindow window;
        openSample(window);
        QVERIFY(window.jobs().saveAs(first));
        OpenJob& job = jobOf(window);
        QSignalSpy opened(&job, &OpenJob::opened);
        window.openFiles({first});
        QVERIFY(QTest::qWaitFor([&] { return opened.size() == 1; }, 60'000));
        QVERIFY(waitUntilIdle(window));
        openStage(window, 1);
        openStage(window, 4);  // of the same graph
        QCOMPARE(BucketCommands(window.document()).addText("layers.18"), QString());
        QVERIFY(waitUntilIdle(window));
        QVERIFY(window.jobs().saveAs(second));
        window.openFiles({second});
        QVERIFY(QTest::qWaitFor([&] { return opened.size() == 2; }, 60'000));
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.workspace().stages().stage(), 4);
        QVERIFY(window.findChild<QLabel*>("jobUnrelated")->isHidden());
        QVERIFY(!job.differs());
        // Its edits are the job's.
        QCOMPARE(BucketCommands(window.document()).addText("layers.19"), QString());
        QVERIFY(job.planOf(4) && !job.planOf(1));
        QVERIFY(waitUntilIdle(window));
    }

    void aGraphOfAStageThatIsShownWithOtherPlansIsCalledThat() {
        QTemporaryDir folder;
        const QString file = folder.filePath("mine.job.json");
        {
            MainWindow window;
            openSample(window);
            QVERIFY(window.jobs().saveAs(file));
        }
        MainWindow window;
        window.resize(1400, 900);
        window.show();
        open(window, {folder.filePath("llama3_8b_pp8_wide.graph.json.gz")});
        window.openFiles({file});
        QVERIFY(QTest::qWaitFor([&] { return jobOf(window).isOpen(); }, 60'000));
        QVERIFY(waitUntilIdle(window));
        const auto* label = window.findChild<QLabel*>("jobUnrelated");
        QVERIFY(label->isVisible());
        QVERIFY2(label->text().startsWith("All other views show llama3_8b_pp8_wide, the graph of stage 3, with plans "
                                          "that are not the job's"),
                 qPrintable(label->text()));
        emit const_cast<QLabel*>(label)->linkActivated("3");
        QCOMPARE(window.workspace().stages().stage(), 3);
        QVERIFY(label->isHidden());
        QVERIFY(waitUntilIdle(window));
    }

    void aStageWhoseGraphIsMissingIsShownWhenItIsReadAgain() {
        QTemporaryDir folder;
        const QString file = folder.filePath("mine.job.json");
        const QString wide = folder.filePath("llama3_8b_pp8_wide.graph.json.gz");
        MainWindow window;
        openSample(window);
        QVERIFY(window.jobs().saveAs(file));
        QVERIFY(QFile::rename(wide, wide + ".away"));
        OpenJob& job = jobOf(window);
        window.openFiles({file});
        QVERIFY(QTest::qWaitFor([&] { return job.file() == file && !job.busy(); }, 60'000));
        QVERIFY2(job.refusal().contains(wide), qPrintable(job.refusal()));
        window.workspace().stages().openStage(3);
        NoticeBar& notice = window.workspace().notice();
        QTRY_VERIFY(notice.text().contains(wide) && notice.button("Read again"));
        QVERIFY(QFile::rename(wide + ".away", wide));
        // The job is evaluated when the window is used again, the graph is read when the user says so.
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QEvent activated(QEvent::ActivationChange);
        QCoreApplication::sendEvent(&window, &activated);
        QTRY_VERIFY_WITH_TIMEOUT(job.figures(), 60'000);
        notice.button("Read again")->click();
        QTRY_COMPARE_WITH_TIMEOUT(window.workspace().stages().stage(), 3, 60'000);
        QCOMPARE(window.document().current()->title(), "Stage 3");
        QCOMPARE(notice.text(), QString());
        QVERIFY(waitUntilIdle(window));
    }

    void whatIsToBeKnownOfAStagesGraphIsSaid() {
        MainWindow window;
        openSample(window);
        openStage(window, 2);
        const auto* notes = window.findChild<QLabel*>("jobNotes");
        const QString shared =
            "Stages 1, 2, 4, 5 and 6 share this graph: its modules are layers.4 to layers.7, whatever the "
            "stage's name says";
        QVERIFY2(notes->isVisible() && notes->text().contains(shared), qPrintable(notes->text()));
        const auto* stages = window.findChild<QTreeView*>("jobStages");
        const auto help = [&](int row) {
            return stages->model()->index(row, StagesModel::forward_column).data(Qt::ToolTipRole).toString();
        };
        QVERIFY(help(4).contains(shared) && !help(3).contains("share this graph"));
        // The job keeps the times of its files, and says so.
        const double step_ms = jobOf(window).figures()->step_ms;
        window.times().cost().model().use(QStringLiteral("h100-sxm"));
        QVERIFY(waitUntilIdle(window));
        QTRY_VERIFY2(
            notes->text().contains("h100-sxm, which all other views show figures of, changes nothing of its step"),
            qPrintable(notes->text()));
        QCOMPARE(jobOf(window).figures()->step_ms, step_ms);
        QVERIFY(help(2).contains("h100-sxm"));
        openStage(window, 3);
        QVERIFY2(!notes->text().contains("share this graph"), qPrintable(notes->text()));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::JobStagesWindowTest)
#include "job_stages_window_test.moc"
