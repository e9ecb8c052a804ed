// What can be tried with a job, in its fields.

#include "ui/job/job_controls.h"

#include <QComboBox>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/ui/job/job_files.h"
#include "ui/files/resources.h"
#include "ui/job/step/job_step_view.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/number_field.h"

namespace overlap::ui {

class JobControlsTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static bool idle(OpenJob& job) {
        return QTest::qWaitFor([&] { return !job.busy(); }, 60'000);
    }
    static void open(OpenJob& job, const QString& file) {
        QSignalSpy opened(&job, &OpenJob::opened);
        job.open(file);
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !job.busy(); }, 60'000));
    }
    /// Fewer microbatches than the schedule takes.
    static void refuse(OpenJob& job) {
        job::JobChanges changes;
        changes.microbatches = 7;
        job.change("7 microbatches", changes);
        QVERIFY(idle(job));
        QVERIFY(!job.figures() && !job.refusal().isEmpty());
    }

  private slots:
    void initTestCase() { loadResources(); }

    void tokensOfExpertsAreTriedWhereTheJobHasThem() {
        OpenJob job;
        JobControls controls(job);
        open(job, sampleJob());
        QVERIFY(!controls.routing().isEnabled() && controls.routing().toolTip().contains("no routing"));
        const QString experts = written(folder_, "experts.job.json", R"({"format": "overlap-job", "version": 1,
            "stages": [{"segments": {"F": [{"compute_ms": 4, "experts": true}], "B": [{"compute_ms": 1}]}}],
            "schedule": {"name": "GPipe", "microbatches": 1}, "mesh": {"dims": [["ep", 4]]},
            "routing": {"group": "ep", "share": [0.5, 0.25, 0.25, 0]}})");
        open(job, experts);
        QVERIFY(controls.routing().isEnabled());
        QCOMPARE(job.figures()->step_ms, 9.0);
        controls.routing().setCurrentIndex(1);
        emit controls.routing().activated(1);
        QVERIFY(idle(job));
        QCOMPARE(job.figures()->step_ms, 5.0);
        OpenJob later;
        later.restore(job.state());
        QVERIFY(QTest::qWaitFor([&] { return later.figures() && !later.busy(); }, 60'000));
        QCOMPARE(later.figures()->step_ms, 5.0);
        job.undoStack().undo();
        QVERIFY(idle(job));
        QCOMPARE(job.figures()->step_ms, 9.0);
        QCOMPARE(controls.routing().currentIndex(), 0);
    }

    void whoIsSlowInTheDocumentIsShownAndReplaced() {
        OpenJob job;
        JobControls controls(job);
        open(job, sampleJob());
        const double even_ms = job.figures()->step_ms;
        const auto choose = [&](const QString& text) {
            const int index = controls.slow().findText(text);
            QVERIFY2(index >= 0, qPrintable(text));
            controls.slow().setCurrentIndex(index);
            emit controls.slow().activated(index);
            QVERIFY(idle(job));
        };
        choose("Slow host");
        const double slow_ms = job.figures()->step_ms;
        QVERIFY(slow_ms > even_ms);
        const QString file = folder_.filePath("slow.job.json");
        QCOMPARE(job.save(file), QString());
        open(job, file);
        QCOMPARE(controls.slow().currentText(), "As the job has it");
        QVERIFY(!controls.slowNumber().isEnabled());
        QCOMPARE(job.figures()->step_ms, slow_ms);
        // The same host again is as slow as it was, and not slower still.
        choose("Slow host");
        QCOMPARE(job.figures()->step_ms, slow_ms);
        choose("Nobody slow");
        QCOMPARE(job.figures()->step_ms, even_ms);
        QVERIFY(job.differs());
        OpenJob later;
        JobControls shown(later);
        later.restore(job.state());
        QVERIFY(QTest::qWaitFor([&] { return later.figures() && !later.busy(); }, 60'000));
        QCOMPARE(later.figures()->step_ms, even_ms);
        QCOMPARE(shown.slow().currentText(), "Nobody slow");
        choose("As the job has it");
        QVERIFY(!job.differs());
        open(job, sampleJob());
        QCOMPARE(controls.slow().currentText(), "Nobody slow");
        QCOMPARE(controls.slow().count(), 3);
    }

    void anyRankOfARefusedJobIsTaken() {
        OpenJob job;
        JobControls controls(job);
        open(job, sampleJob());
        refuse(job);
        controls.slow().setCurrentIndex(controls.slow().findText("Slow rank"));
        emit controls.slow().activated(controls.slow().currentIndex());
        QVERIFY(idle(job));
        QCOMPARE(controls.slowNumber().maximum(), 511.0);
        controls.slowNumber().setValue(100);
        QVERIFY(job.changes().slow);
        QCOMPARE(job.changes().slow->first, 100);
        controls.slow().setCurrentIndex(controls.slow().findText("Slow host"));
        emit controls.slow().activated(controls.slow().currentIndex());
        QCOMPARE(controls.slowNumber().maximum(), 63.0);
    }

    /// It said the schedule of the step that was shown before.
    void aRefusedJobsTimelineIsOfNoSchedule() {
        OpenJob job;
        JobStepView step(job);
        step.resize(800, 400);
        const auto header = [&] { return step.timeline().grab(QRect(0, 0, 800, 40)).toImage(); };
        const QImage nothing = header();
        open(job, sampleJob());
        QVERIFY(header() != nothing);
        refuse(job);
        QCOMPARE(header(), nothing);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::JobControlsTest)
#include "job_controls_test.moc"
