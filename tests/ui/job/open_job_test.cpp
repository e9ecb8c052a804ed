// The job that is open: what is read, tried, undone, saved and kept.

#include "ui/job/open/open_job.h"

#include <QFile>
#include <QJsonArray>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/job/job_files.h"
#include "ui/files/resources.h"

namespace overlap::ui {

class OpenJobTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static QString samples() { return QStringLiteral(OVERLAP_TEST_DATA "/../../resources/samples/"); }
    static QString sampleFile() { return samples() + QStringLiteral("llama3_8b_pp8.job.json"); }

    static void open(OpenJob& job, const QString& file) {
        QSignalSpy opened(&job, &OpenJob::opened);
        job.open(file);
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !job.busy(); }, 60'000));
    }
    static bool idle(OpenJob& job) {
        return QTest::qWaitFor([&] { return !job.busy(); }, 60'000);
    }

  private slots:
    void initTestCase() { loadResources(); }

    void figuresAreThoseOfTheCommandLine() {
        for (const QString& file : {sampleFile(), sampleJob()}) {
            OpenJob job;
            open(job, file);
            QCOMPARE(job.refusal(), QString());
            const job::JobResult expected = simulatedJob(sampleFile());
            QCOMPARE(job.figures()->step_ms, *expected.step_ms);
            QCOMPARE(job.figures()->ranks, 512);
            const auto& found = job.picture()->evaluation->result;
            QCOMPARE(found.classes.size(), expected.classes.size());
            for (std::size_t i = 0; i < expected.classes.size(); ++i) {
                QCOMPARE(found.classes[i].busy_ms, expected.classes[i].busy_ms);
                QCOMPARE(found.classes[i].waiting_for_peers_ms, expected.classes[i].waiting_for_peers_ms);
            }
            QCOMPARE(job.openedFigures()->step_ms, job.figures()->step_ms);
            QVERIFY(job.schedules().size() >= 6);
        }
    }

    /// As where an edit comes while schedules are compared for the job before it.
    void plansThatAreAskedForInTurnAreEvaluatedOnce() {
        const job::JobDocument document = job::read_job_file(QFile::encodeName(sampleFile()).toStdString());
        const auto times = std::make_shared<StageTimes>(QFile::encodeName(samples()).toStdString());
        const std::size_t stage = 3;
        const auto withPlan = [&](const std::string& module) {
            StagePlans plans(document.stages.size());
            Plan plan;
            plan.buckets = {{{module}, false, {}}};
            plans[stage] = std::make_shared<const Plan>(plan);
            return StageTimes::evaluator(times, plans);
        };
        const job::StageEvaluator before = withPlan("layers.12"), after = withPlan("layers.13");
        const auto first = before(document.stages[stage], stage);
        const auto second = after(document.stages[stage], stage);
        QCOMPARE(times->evaluations(), 2u);
        QCOMPARE(before(document.stages[stage], stage).forward.compute_ms, first.forward.compute_ms);
        QCOMPARE(after(document.stages[stage], stage).forward.compute_ms, second.forward.compute_ms);
        QCOMPARE(times->evaluations(), 2u);
    }

    void whatIsWrongIsASentenceWithFileAndPlace() {
        OpenJob job;
        QSignalSpy failed(&job, &OpenJob::failed);
        const QString broken = written(folder_, "broken.job.json",
                                       R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": -1}}],
            "schedule": {"name": "GPipe", "microbatches": 1}})");
        job.open(broken);
        QVERIFY(failed.wait());
        const QString reason = failed.back()[0].toString();
        QVERIFY2(reason.contains(broken) && reason.contains("stages[0].ms.F"), qPrintable(reason));
        QVERIFY(!job.isOpen());
        // A document that can be read and not be meant is open, and says why there is no step.
        const QString refused = written(folder_, "refused.job.json",
                                        R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1}}],
            "schedule": {"name": "GPipe", "microbatches": 1}})");
        open(job, refused);
        QVERIFY(!job.figures());
        QVERIFY2(job.refusal().contains(refused) && job.refusal().contains("has no B"), qPrintable(job.refusal()));
    }

    void whatIsTriedIsUndoneAndRedone() {
        OpenJob job;
        open(job, sampleJob());
        const double opened_ms = job.figures()->step_ms;
        job::JobChanges changes;
        changes.schedule = "GPipe";
        job.change("Use GPipe", changes);
        changes.slow = job::SlowRanks{8, 8, 1.05};
        job.change("Slow host 1", changes);
        QVERIFY(idle(job));
        const double slow_ms = job.figures()->step_ms;
        QVERIFY(slow_ms > opened_ms);
        QVERIFY(job.differs() && job.modified());
        QCOMPARE(job.openedFigures()->step_ms, opened_ms);
        job.undoStack().undo();
        job.undoStack().undo();
        QVERIFY(idle(job));
        QCOMPARE(job.figures()->step_ms, opened_ms);
        QVERIFY(!job.differs());
        job.undoStack().redo();
        job.undoStack().redo();
        QVERIFY(idle(job));
        QCOMPARE(job.figures()->step_ms, slow_ms);
    }

    void aChangeBeforeTheFirstEvaluationIsComparedWithTheOpenedJob() {
        OpenJob job;
        job::JobChanges changes;
        changes.microbatches = 24;
        connect(&job, &OpenJob::opened, &job, [&] { job.change("24 microbatches", changes); });
        open(job, sampleJob());
        QVERIFY(job.differs() && job.figures() && job.openedFigures());
        QCOMPARE(job.openedFigures()->step_ms, *simulatedJob(sampleFile()).step_ms);
        QVERIFY(job.figures()->step_ms > job.openedFigures()->step_ms);
    }

    void cancellingLeavesNoFiguresOfOtherControls() {
        OpenJob job;
        open(job, sampleJob());
        const double opened_ms = job.figures()->step_ms;
        job::JobChanges changes;
        changes.microbatches = 24;
        job.change("24 microbatches", changes);
        job.cancel();
        QVERIFY(idle(job));
        QVERIFY(job.figures()->step_ms > opened_ms);
    }

    void changesInARowAreOneEdit() {
        OpenJob job;
        open(job, sampleJob());
        job::JobChanges changes;
        for (const int count : {17, 18, 19}) {
            changes.microbatches = count;
            job.change("microbatches", changes, 1);
        }
        QCOMPARE(job.undoStack().count(), 1);
        job.undoStack().undo();
        QVERIFY(!job.changes().microbatches);
    }

    void aScheduleThatPyTorchDoesNotMakeIsRefusedWithTheReason() {
        OpenJob job;
        open(job, sampleJob());
        job::JobChanges changes;
        changes.microbatches = 3;  // 1F1B needs as many as stages
        job.change("3 microbatches", changes);
        QVERIFY(idle(job));
        QVERIFY(!job.figures());
        QVERIFY2(job.refusal().contains("at least as many microbatches as stages"), qPrintable(job.refusal()));
        QVERIFY(job.openedFigures());
    }

    void aPlanOfOneStageEvaluatesNoOther() {
        OpenJob job;
        open(job, sampleFile());
        const double opened_ms = job.figures()->step_ms;
        const std::size_t before = job.stageEvaluations();
        QCOMPARE(before, 4);  // five of the eight stages are one graph
        const auto graph = readGraphOfStage(QFile::encodeName(job.graphOf(3)).toStdString());
        Plan plan = make_plan(*graph, "Stage 3");
        plan.buckets = {BucketEntry{{"layers.12"}}, BucketEntry{{"layers.13"}}, BucketEntry{{"layers.14"}},
                        BucketEntry{{"layers.15"}}};
        job.setPlan(3, std::make_shared<const Plan>(plan));
        QVERIFY(idle(job));
        QCOMPARE(job.refusal(), QString());
        QCOMPARE(job.stageEvaluations(), before + 1);
        QVERIFY(job.figures()->step_ms != opened_ms);
        job.setPlan(3, nullptr);
        QVERIFY(idle(job));
        QCOMPARE(job.stageEvaluations(), before + 1);
        QCOMPARE(job.figures()->step_ms, opened_ms);
    }

    void whatIsSavedIsWhatWasShown() {
        OpenJob job;
        open(job, sampleJob());
        job::JobChanges changes;
        changes.schedule = "GPipe";
        changes.microbatches = 12;
        changes.slow = job::SlowRanks{3, 1, 1.2};
        job.change("all", changes);
        const auto graph = readGraphOfStage(job.graphOf(3).toStdString());
        Plan plan = make_plan(*graph, "Stage 3");
        plan.buckets = {BucketEntry{{"layers.12"}}};
        job.setPlan(3, std::make_shared<const Plan>(plan));
        QVERIFY(idle(job));
        const QString file = folder_.filePath("saved.job.json");
        QCOMPARE(job.save(file), QString());
        QVERIFY(!job.modified() && job.differs());
        QVERIFY(QFile::exists(folder_.filePath("saved.stage3.plan.json")));
        QVERIFY(QFile::exists(folder_.filePath("llama3_8b_pp8_middle.graph.json.gz")));
        QCOMPARE(*simulatedJob(file).step_ms, job.figures()->step_ms);
        OpenJob again;
        open(again, file);
        QCOMPARE(again.figures()->step_ms, job.figures()->step_ms);
        // Differences are to what was opened, and undo leads back there: that is in no file then.
        QCOMPARE(job.file(), file);
        QVERIFY(job.openedFigures()->step_ms != job.figures()->step_ms);
        job.undoStack().undo();
        QVERIFY(job.modified());
        OpenJob later;
        QSignalSpy opened(&later, &OpenJob::opened);
        later.restore(job.state());
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !later.busy() && later.openedFigures(); }, 60'000));
        QCOMPARE(later.file(), file);
        QVERIFY(later.modified() && later.isPlanInFile(3) && later.changes() == job::JobChanges());
        QCOMPARE(later.graphOf(3), folder_.filePath("llama3_8b_pp8_wide.graph.json.gz"));
        QCOMPARE(later.openedFigures()->step_ms, job.openedFigures()->step_ms);
        job.undoStack().redo();
        QVERIFY(!job.modified());
        // A file that the job reads is not replaced.
        QVERIFY(again.save(again.graphOf(0)).contains("is a file that the job reads"));
    }

    void anotherGraphOfThatNameStays() {
        QTemporaryDir other;
        QFile taken(other.filePath("llama3_8b_pp8_middle.graph.json.gz"));
        QVERIFY(taken.open(QIODevice::WriteOnly));
        taken.write("mine");
        taken.close();
        OpenJob job;
        open(job, sampleJob());
        const QString problem = job.save(other.filePath("x.job.json"));
        QVERIFY2(problem.contains("is there already"), qPrintable(problem));
        QVERIFY(!QFile::exists(other.filePath("x.job.json")));
        QVERIFY(taken.open(QIODevice::ReadOnly));
        QCOMPARE(taken.readAll(), QByteArray("mine"));
    }

    void anotherJobLosesNoChanges() {
        const QString other = written(folder_, "other.job.json", R"({"format": "overlap-job", "version": 1,
            "stages": [{"ms": {"F": 1, "B": 2}}], "schedule": {"name": "GPipe", "microbatches": 1}})");
        OpenJob job;
        open(job, sampleJob());
        job::JobChanges changes;
        changes.microbatches = 24;
        job.change("24 microbatches", changes);
        open(job, sampleJob());
        QVERIFY(job.changes() == changes && job.undoStack().canUndo());
        open(job, other);
        QVERIFY(!job.differs() && !job.modified() && job.keepsChanges());
        // Neither a session in between nor opening the file twice loses them.
        OpenJob later;
        QSignalSpy opened(&later, &OpenJob::opened);
        later.restore(job.state());
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !later.busy(); }, 60'000));
        QCOMPARE(later.file(), other);
        for (int times = 0; times < 2; ++times) {
            open(later, sampleJob());
            QVERIFY(later.changes() == changes && later.modified());
        }
        // Once they are in a file, that file's job opens as it is.
        QCOMPARE(later.save(folder_.filePath("kept.job.json")), QString());
        open(later, sampleJob());
        QVERIFY(!later.differs() && !later.keepsChanges());
    }

    void aSessionThatIsStoredBeforeTheJobCameBackKeepsIt() {
        OpenJob job;
        open(job, sampleJob());
        job::JobChanges changes;
        changes.microbatches = 24;
        job.change("24 microbatches", changes);
        const QJsonObject state = job.state();
        OpenJob later;
        later.restore(state);
        QCOMPARE(later.state(), state);
        later.cancel();
        QCOMPARE(later.state(), state);
        // Also where it cannot be read, and where another is opened instead.
        QJsonObject broken = state;
        broken["document"] = "{";
        OpenJob failing;
        QSignalSpy failed(&failing, &OpenJob::failed);
        failing.restore(broken);
        QVERIFY(failed.wait());
        QCOMPARE(failing.state(), broken);
        open(failing, written(folder_, "one.job.json", R"({"format": "overlap-job", "version": 1,
            "stages": [{"ms": {"F": 1, "B": 2}}], "schedule": {"name": "GPipe", "microbatches": 1}})"));
        QVERIFY(failing.keepsChanges());
        QCOMPARE(failing.state()["others"].toArray(), QJsonArray{broken});
    }

    void whatWasChangedComesBack() {
        OpenJob job;
        open(job, sampleJob());
        const double opened_ms = job.figures()->step_ms;
        QVERIFY(!job.state().contains("document"));
        job::JobChanges changes;
        changes.slow = job::SlowRanks{0, 8, 1.5};
        job.change("slow", changes);
        const auto graph = readGraphOfStage(job.graphOf(3).toStdString());
        Plan plan = make_plan(*graph, "Mine");
        plan.buckets = {BucketEntry{{"layers.12"}}, BucketEntry{{"layers.13"}}};
        job.setPlan(3, std::make_shared<const Plan>(plan));
        QVERIFY(idle(job));
        OpenJob later;
        QSignalSpy opened(&later, &OpenJob::opened);
        later.restore(job.state());
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !later.busy() && later.openedFigures(); }, 60'000));
        QVERIFY(later.changes() == changes);
        QCOMPARE(QString::fromStdString(later.planOf(3)->name), "Mine");
        QCOMPARE(later.figures()->step_ms, job.figures()->step_ms);
        QCOMPARE(later.openedFigures()->step_ms, opened_ms);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::OpenJobTest)
#include "open_job_test.moc"
