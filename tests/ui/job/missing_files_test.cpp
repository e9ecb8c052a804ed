// Files of a job that are missing when it is opened and come back, and those that change while it is open.

#include <QFile>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "core/io/plan/plan_file.h"
#include "ui/files/resources.h"
#include "ui/job/open/job_source.h"
#include "ui/job/open/open_job.h"

namespace overlap::ui {

class MissingFilesTest : public QObject {
    Q_OBJECT

    static bool idle(OpenJob& job) {
        return QTest::qWaitFor([&] { return !job.busy(); }, 60'000);
    }

    static void restore(OpenJob& job, const QJsonObject& state) {
        QSignalSpy opened(&job, &OpenJob::opened);
        job.restore(state);
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !job.busy(); }, 60'000));
    }

    /// The sample in a folder of its own, with 20 microbatches and another plan of stage 3.
    static QJsonObject changedCopy(const QString& file) {
        OpenJob sample;
        QSignalSpy opened(&sample, &OpenJob::opened);
        sample.open(sampleJob());
        if (!QTest::qWaitFor([&] { return !opened.isEmpty(); }, 60'000)) qFatal("no job");
        if (!sample.save(file).isEmpty()) qFatal("not saved");
        OpenJob job;
        QSignalSpy copy_opened(&job, &OpenJob::opened);
        job.open(file);
        if (!QTest::qWaitFor([&] { return !copy_opened.isEmpty() && idle(job); }, 60'000)) qFatal("no copy");
        job::JobChanges changes;
        changes.microbatches = 20;
        job.change("20 microbatches", changes);
        return job.state();
    }

    QTemporaryDir folder_;
    QString job_file_, planned_file_, last_;
    QJsonObject state_;

    static void writePlan(const QString& file, const Plan& plan) {
        const std::string text = write_plan_text(plan);
        QFile written(file);
        if (!written.open(QIODevice::WriteOnly) || written.write(text.data(), qint64(text.size())) < 0)
            qFatal("no plan");
    }

    /// As it is opened while the last stage's graph is missing.
    void openWithout(OpenJob& job, const QJsonObject& state) {
        QVERIFY(QFile::rename(last_, last_ + ".away"));
        restore(job, state);
        QVERIFY2(job.refusal().contains(last_), qPrintable(job.refusal()));
    }

    void bringBack() { QVERIFY(QFile::rename(last_ + ".away", last_)); }

  private slots:
    void initTestCase() {
        loadResources();
        job_file_ = folder_.filePath("mine.job.json");
        last_ = folder_.filePath("llama3_8b_pp8_last.graph.json.gz");
        state_ = changedCopy(job_file_);
        QVERIFY(QFile::exists(last_));
        // The same with a plan of stage 3 in a file.
        planned_file_ = folder_.filePath("planned.job.json");
        OpenJob job;
        restore(job, {{"file", job_file_}});
        Plan plan = make_plan(*readGraphOfStage(QFile::encodeName(job.graphOf(3)).toStdString()), "Buckets");
        plan.buckets = {{{"layers.12", "layers.13"}}};
        job.setPlan(3, std::make_shared<const Plan>(plan));
        QVERIFY(idle(job));
        QCOMPARE(job.save(planned_file_), QString());
    }

    void aFileThatComesBackIsReadAndDifferencesAreToTheJobAsItWasOpened() {
        OpenJob whole;
        restore(whole, state_);
        QVERIFY(whole.figures() && whole.openedFigures());
        OpenJob job;
        openWithout(job, state_);
        QVERIFY(!job.openedFigures());
        bringBack();
        job.lookAtFiles();
        QTRY_VERIFY_WITH_TIMEOUT(job.figures(), 60'000);
        QVERIFY(idle(job));
        QCOMPARE(job.refusal(), QString());
        QCOMPARE(job.figures()->step_ms, whole.figures()->step_ms);
        QVERIFY(job.openedFigures());
        QCOMPARE(job.openedFigures()->step_ms, whole.openedFigures()->step_ms);
    }

    void soAreThoseOfAJobThatWasNotChanged() {
        OpenJob job;
        openWithout(job, {{"file", job_file_}});
        bringBack();
        job.lookAtFiles();
        QTRY_VERIFY_WITH_TIMEOUT(job.figures(), 60'000);
        QVERIFY(idle(job));
        job::JobChanges changes;
        changes.microbatches = 24;
        job.change("24 microbatches", changes);
        QVERIFY(idle(job));
        QVERIFY(job.openedFigures() && job.openedFigures()->step_ms < job.figures()->step_ms);
    }

    void aGraphThatChangesIsToldOfAndReadAgain() {
        const QString first = folder_.filePath("llama3_8b_pp8_first.graph.json.gz");
        OpenJob job;
        QSignalSpy told(&job, &OpenJob::filesChanged);
        restore(job, {{"file", job_file_}});
        QVERIFY(idle(job));
        const double before_ms = job.figures()->step_ms;
        const auto look = [&] {
            job.lookAtFiles();
            QVERIFY(idle(job));
            QTest::qWait(200);
        };
        // The same content again is no change.
        const QString kept = last_ + ".kept";
        QVERIFY(QFile::copy(last_, kept) && QFile::remove(last_) && QFile::copy(kept, last_));
        look();
        QVERIFY(told.isEmpty());
        QVERIFY(QFile::remove(last_) && QFile::copy(first, last_));
        look();
        QCOMPARE(told.size(), 1);
        QCOMPARE(told[0][0].toStringList(), QStringList{last_});
        look();
        QCOMPARE(told.size(), 1);
        QCOMPARE(job.figures()->step_ms, before_ms);
        job.readFilesAgain();
        QVERIFY(idle(job));
        OpenJob fresh;
        restore(fresh, {{"file", job_file_}});
        QVERIFY(fresh.figures()->step_ms != before_ms);
        QCOMPARE(job.figures()->step_ms, fresh.figures()->step_ms);
        QCOMPARE(job.openedFigures()->step_ms, fresh.figures()->step_ms);
        look();
        QCOMPARE(told.size(), 1);
        QVERIFY(QFile::remove(last_) && QFile::rename(kept, last_));
    }

    /// Whoever is told last is told of all, as "Read again" reads them all.
    void allFilesThatDifferAreToldOfAndNoneThatIsAsBefore() {
        const QString first = folder_.filePath("llama3_8b_pp8_first.graph.json.gz");
        const QString middle = folder_.filePath("llama3_8b_pp8_middle.graph.json.gz");
        OpenJob job;
        QSignalSpy told(&job, &OpenJob::filesChanged), settled(&job, &OpenJob::filesSettled);
        restore(job, {{"file", job_file_}});
        QVERIFY(idle(job));
        const auto replace = [](const QString& file, const QString& by) {
            QVERIFY(QFile::copy(file, file + ".kept"));
            QVERIFY(QFile::remove(file) && QFile::copy(by, file));
        };
        const auto putBack = [](const QString& file) {
            QVERIFY(QFile::remove(file) && QFile::rename(file + ".kept", file));
        };
        replace(last_, first);
        QTRY_COMPARE(told.size(), 1);
        replace(middle, first);
        QTRY_COMPARE(told.size(), 2);
        QCOMPARE(told[1][0].toStringList(), (QStringList{last_, middle}));
        putBack(middle);
        QTRY_COMPARE(told.size(), 3);
        QCOMPARE(told[2][0].toStringList(), QStringList{last_});
        // A file that is gone has no other content.
        QVERIFY(QFile::rename(last_, last_ + ".away"));
        QTest::qWait(500);
        QVERIFY(told.size() == 3 && settled.isEmpty());
        bringBack();
        putBack(last_);
        QTRY_COMPARE(settled.size(), 1);
        // The same content once more is a change once more.
        replace(last_, first);
        QTRY_COMPARE(told.size(), 4);
        QCOMPARE(told[3][0].toStringList(), QStringList{last_});
        putBack(last_);
        QTRY_COMPARE(settled.size(), 2);
    }

    void aJobsFileThatIsAsBeforeIsToldOf() {
        const QString file = folder_.filePath("settled.job.json");
        QVERIFY(QFile::copy(job_file_, file));
        OpenJob job;
        QSignalSpy told(&job, &OpenJob::documentChanged), settled(&job, &OpenJob::documentSettled);
        restore(job, {{"file", file}});
        const auto write = [&](const QByteArray& content) {
            QFile written(file);
            QVERIFY(written.open(QIODevice::WriteOnly));
            QCOMPARE(written.write(content), content.size());
        };
        QFile read(job_file_);
        QVERIFY(read.open(QIODevice::ReadOnly));
        const QByteArray before = read.readAll();
        QByteArray other = before;
        other.replace("1F1B", "GPipe");
        for (int times = 1; times <= 2; ++times) {
            write(other);
            QTRY_COMPARE(told.size(), times);
            QTest::qWait(500);
            write(before);
            QTRY_COMPARE(settled.size(), times);
            QTest::qWait(500);
        }
    }

    /// As after the sample was saved: the job goes on with its copies.
    void aCopyOfTheSamplesGraphThatChangesIsToldOfToo() {
        QTemporaryDir folder;
        OpenJob job;
        QSignalSpy opened(&job, &OpenJob::opened), told(&job, &OpenJob::filesChanged);
        job.open(sampleJob());
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !job.busy(); }, 60'000));
        QCOMPARE(job.save(folder.filePath("mine.job.json")), QString());
        const QString copy = job.graphOf(7);
        QVERIFY(QFile::remove(copy) && QFile::copy(job.graphOf(0), copy));
        job.lookAtFiles();
        QTRY_COMPARE(told.size(), 1);
        QCOMPARE(told[0][0].toStringList(), QStringList{copy});
        job.readFilesAgain();
        QVERIFY(idle(job));
        OpenJob fresh;
        restore(fresh, {{"file", job.file()}});
        QCOMPARE(job.figures()->step_ms, fresh.figures()->step_ms);
    }

    /// Nobody asks it to look: the system tells.
    void aPlanThatChangesIsToldOfAtOnceAndReadAgain() {
        OpenJob job;
        QSignalSpy told(&job, &OpenJob::filesChanged);
        restore(job, {{"file", planned_file_}});
        const QString plan = job.planFileOf(3);
        QVERIFY(plan.endsWith(".stage3.plan.json"));
        QCOMPARE(job.filePlanOf(3)->name, std::string("Buckets"));
        const double before_ms = job.figures()->step_ms;
        QTest::qWait(300);
        QVERIFY(told.isEmpty());
        Plan other = *job.filePlanOf(3);
        other.name = "Others";
        other.buckets.clear();
        writePlan(plan, other);
        QTRY_COMPARE(told.size(), 1);
        QCOMPARE(told[0][0].toStringList(), QStringList{plan});
        QCOMPARE(job.figures()->step_ms, before_ms);
        job.readFilesAgain();
        QVERIFY(idle(job));
        QCOMPARE(job.filePlanOf(3)->name, std::string("Others"));
        QVERIFY(!job.differs() && !job.modified());
        OpenJob fresh;
        restore(fresh, {{"file", planned_file_}});
        QCOMPARE(job.figures()->step_ms, fresh.figures()->step_ms);
        QVERIFY(job.figures()->step_ms != before_ms);
        job.lookAtFiles();
        QTest::qWait(300);
        QCOMPARE(told.size(), 1);
        // What a tab edits is watched there.
        job.follow(3, 7);
        other.name = "Edited";
        writePlan(plan, other);
        QTest::qWait(500);
        QCOMPARE(told.size(), 1);
    }

    void theJobsOwnFileIsToldOfAtOnceAndOpenedAgain() {
        const QString file = folder_.filePath("own.job.json");
        QFile::remove(file);
        QVERIFY(QFile::copy(job_file_, file));
        OpenJob job;
        QSignalSpy told(&job, &OpenJob::documentChanged), opened(&job, &OpenJob::opened);
        restore(job, {{"file", file}});
        job::JobChanges changes;
        changes.microbatches = 24;
        job.change("24 microbatches", changes);
        QVERIFY(idle(job));
        // What it writes itself is no change.
        QCOMPARE(job.save(file), QString());
        QTest::qWait(500);
        QVERIFY(told.isEmpty());
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QByteArray content = written.readAll();
        written.close();
        QVERIFY(content.contains("1F1B"));
        content.replace("1F1B", "GPipe");
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(content);
        written.close();
        QTRY_COMPARE(told.size(), 1);
        QCOMPARE(told[0][0].toString(), file);
        QCOMPARE(opened.size(), 1);
        job.openAgain();
        QTRY_COMPARE(opened.size(), 2);
        QVERIFY(idle(job));
        QCOMPARE(job.document().schedule.name, std::string("GPipe"));
        QTest::qWait(300);
        QCOMPARE(told.size(), 1);
    }

    /// Its next save would write over what another program has written.
    void aFileThatChangesBeforeASessionBringsItsJobBackIsToldOf() {
        const QString file = folder_.filePath("between.job.json");
        QJsonObject state = changedCopy(file);
        QVERIFY(state.contains("document"));
        for (const bool is_changed : {false, true}) {
            QFile written(file);
            if (is_changed) QVERIFY(written.open(QIODevice::Append) && written.write("\n") == 1);
            written.close();
            OpenJob job;
            QSignalSpy told(&job, &OpenJob::documentChanged);
            restore(job, state);
            QTRY_COMPARE(told.size(), is_changed ? 1 : 0);
            QVERIFY(job.modified());
            QTest::qWait(500);
            QCOMPARE(told.size(), is_changed ? 1 : 0);
            // It is kept until the job is saved or read again.
            state = job.state();
        }
    }

    /// A job that is refused is evaluated once a file that it names is another.
    void aFileThatComesBackIsSeenWithoutALook() {
        OpenJob job;
        openWithout(job, {{"file", job_file_}});
        bringBack();
        QTRY_VERIFY_WITH_TIMEOUT(job.figures(), 60'000);
        QVERIFY(idle(job));
    }

    void whereNoFileIsAnotherNothingIsEvaluated() {
        OpenJob job;
        openWithout(job, state_);
        QSignalSpy evaluated(&job, &OpenJob::evaluated);
        job.lookAtFiles();
        QTest::qWait(100);
        QVERIFY(idle(job));
        QVERIFY(evaluated.isEmpty());
        bringBack();
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MissingFilesTest)
#include "missing_files_test.moc"
