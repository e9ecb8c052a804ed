// Measured traces of ranks over the open job: what lies over its step, what is said of it, undo and the session.

#include "ui/job/open/measured_traces.h"

#include <QFile>
#include <QJsonArray>
#include <QLabel>
#include <QSignalSpy>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

#include "tests/job/traces_of_job.h"
#include "ui/files/resources.h"
#include "ui/job/job_view.h"
#include "ui/job/measured/measured_model.h"
#include "ui/job/measured/measured_page.h"
#include "ui/job/open/job_source.h"
#include "ui/job/step/job_step_view.h"
#include "ui/job/step/job_words.h"
#include "ui/theme/numbers.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

class MeasuredTracesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::shared_ptr<const job::JobEvaluation> ran_;  ///< the sample with a slow host
    QStringList files_;                              ///< of the first pipeline's ranks as it ran

    static bool idle(OpenJob& job) {
        return QTest::qWaitFor([&] { return !job.busy(); }, 60'000);
    }
    /// What a session keeps of the sample with its traces open; empty where they could not be read.
    QJsonObject stateWithTraces() const {
        OpenJob job;
        open(job);
        job.openMeasured(files_);
        return idle(job) && job.measured().job ? job.state() : QJsonObject();
    }
    static void open(OpenJob& job) {
        QSignalSpy opened(&job, &OpenJob::opened);
        job.open(sampleJob());
        QVERIFY(QTest::qWaitFor([&] { return !opened.isEmpty() && !job.busy(); }, 60'000));
    }
    QString write(const QString& name, const std::string& text) {
        QFile file(folder_.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(text)) < 0) qFatal("no file");
        return file.fileName();
    }
    static quint32 measuredReference(const job::JobPicture& picture, job::MeasuredSpan::Kind kind) {
        const auto& spans = picture.measured->spans;
        const auto found = std::ranges::find_if(
            spans, [&](const job::MeasuredSpan& span) { return span.kind == kind && span.rank == 3; });
        return picture.first_measured() + static_cast<quint32>(found - spans.begin());
    }

  private slots:
    void initTestCase() {
        loadResources();
        OpenJob job;
        open(job);
        job::JobChanges changes;
        changes.slow = job::SlowRanks{0, 3, 1.1};
        job.change("Slow ranks", changes);
        QVERIFY(idle(job));
        ran_ = job.picture()->evaluation;
        const job::JobResult& result = ran_->result;
        for (const job::RankResult& rank : result.ranks)
            if (rank.replica == 0)
                files_.append(
                    write(QStringLiteral("rank%1.json").arg(rank.rank), test::trace_of_rank(*ran_, rank.rank)));
        QCOMPARE(files_.size(), 8);
    }

    void tracesLieOverTheStepAndCanBeUndone() {
        OpenJob job;
        open(job);
        const double predicted = job.figures()->step_ms;
        job.openMeasured(files_);
        QVERIFY(idle(job));
        QVERIFY(job.measured().job && job.picture()->measured);
        const job::MeasuredOverJob& measured = *job.picture()->measured;
        QCOMPARE(measured.ranks.size(), 8u);
        QVERIFY(std::abs(measured.step_ms - *ran_->result.step_ms) < 1e-4);
        QCOMPARE(measured.predicted_ms, predicted);
        QCOMPARE(job.figures()->step_ms, predicted);  // what is measured changes no prediction
        QVERIFY(!job.differs() && !job.modified());
        // What is tried with the job is compared with the same measurement.
        job::JobChanges changes;
        changes.slow = job::SlowRanks{0, 3, 1.1};
        job.change("Slow ranks", changes);
        QVERIFY(idle(job));
        QVERIFY(std::abs(job.picture()->measured->step_ms - job.picture()->measured->predicted_ms) < 1e-4);
        job.undoStack().undo();
        job.undoStack().undo();
        QVERIFY(idle(job));
        QVERIFY(!job.measured().job && !job.picture()->measured);
        job.undoStack().redo();
        QVERIFY(idle(job));
        QVERIFY(job.picture()->measured);
        job.closeMeasured();
        QVERIFY(idle(job));
        QVERIFY(!job.picture()->measured);
        job.undoStack().undo();
        QVERIFY(idle(job));
        QVERIFY(job.picture()->measured);
    }

    void tracesOfAnotherJobAreRefusedWithTheReason() {
        OpenJob job;
        open(job);
        QSignalSpy failed(&job, &OpenJob::failed);
        const QString far = write("far.json", test::trace_of_rank(*ran_, 0, {.rank = 600}));
        job.openMeasured({files_[0], far});
        QVERIFY(idle(job));
        QCOMPARE(failed.count(), 1);
        QCOMPARE(failed[0][0].toString(), far + ": is of rank 600, and the job has 512 ranks");
        QVERIFY(!job.measured().job);
        QCOMPARE(job.undoStack().count(), 0);
    }

    void theSessionBringsThemBackOrSaysWhyNot() {
        OpenJob job;
        open(job);
        job.openMeasured(files_);
        QVERIFY(idle(job));
        const QJsonObject state = job.state();
        QCOMPARE(state["measured"].toArray().size(), 8);
        {
            OpenJob later;
            JobView view(later);
            view.resize(1200, 600);
            view.show();
            view.restore({{"page", JobView::measured_page}});
            later.restore(state);
            QVERIFY(QTest::qWaitFor([&] { return later.picture() && later.picture()->measured; }, 60'000));
            QCOMPARE(view.page(), JobView::measured_page);
            QCOMPARE(later.undoStack().count(), 0);
            QCOMPARE(later.measured().files, files_);
            // Opening the file again keeps them, too.
            later.open(later.file());
            QCOMPARE(later.state()["measured"].toArray().size(), 8);
            QVERIFY(idle(later));
            QVERIFY(QTest::qWaitFor([&] { return later.picture() && later.picture()->measured; }, 60'000));
        }
        QJsonObject gone = state;
        gone["measured"] = QJsonArray{folder_.filePath("gone.json")};
        OpenJob later;
        JobView view(later);
        view.resize(1200, 600);
        view.show();
        view.restore({{"page", JobView::measured_page}});
        QSignalSpy failed(&later, &OpenJob::failed);
        later.restore(gone);
        QVERIFY(QTest::qWaitFor([&] { return !failed.isEmpty() && !later.busy(); }, 60'000));
        const QString reason = failed[0][0].toString();
        QVERIFY2(
            reason.startsWith("measured traces that were open before are left out") && reason.contains("gone.json"),
            qPrintable(reason));
        QVERIFY(later.figures() && !later.measured().job);
        QCOMPARE(view.page(), JobView::step_page);  // there is nothing to see on the other one
    }

    void theSessionBringsBackThoseThatAreThereAndSaysWhichAreNot() {
        QJsonObject state = stateWithTraces();
        QVERIFY(!state.isEmpty());
        const QJsonArray files = state["measured"].toArray();
        QJsonArray some{folder_.filePath("gone.json")};
        for (const QJsonValue file : files) some.append(file);
        some.append(folder_.filePath("gone_too.json"));
        state["measured"] = some;
        OpenJob later;
        QSignalSpy failed(&later, &OpenJob::failed);
        later.restore(state);
        QVERIFY(QTest::qWaitFor([&] { return later.picture() && later.picture()->measured; }, 60'000));
        QCOMPARE(later.measured().files, files_);
        QCOMPARE(failed.count(), 1);
        const QString reason = failed[0][0].toString();
        QVERIFY2(reason.contains("left out") && reason.contains("gone.json") && reason.contains("gone_too.json"),
                 qPrintable(reason));
        QVERIFY(!reason.contains("rank0.json"));
    }

    void theSessionBringsThemBackThoughTheyDoNotFitWhatIsTried() {
        QJsonObject state;
        {
            OpenJob job;
            open(job);
            job.openMeasured(files_);
            QVERIFY(idle(job));
            job::JobChanges changes;
            changes.microbatches = 8;
            job.change("8 microbatches", changes);
            QVERIFY(idle(job));
            QVERIFY(!job.picture()->measured->ranks[0].left_out.empty());
            state = job.state();
        }
        OpenJob later;
        QSignalSpy failed(&later, &OpenJob::failed);
        later.restore(state);
        QVERIFY(QTest::qWaitFor([&] { return later.picture() && later.picture()->measured; }, 60'000));
        QCOMPARE(failed.count(), 0);
        QVERIFY(!later.picture()->measured->ranks[0].left_out.empty());
        QCOMPARE(later.state()["measured"].toArray().size(), 8);
        later.change("As opened", {});
        QVERIFY(idle(later));
        QCOMPARE(later.picture()->measured->ranks[0].left_out, std::string());
        QVERIFY(!later.picture()->measured->spans.empty());
    }

    void tracesOfAJobThatIsStillEvaluatedAreReadAfterwards() {
        OpenJob job;
        QSignalSpy opened(&job, &OpenJob::opened), failed(&job, &OpenJob::failed);
        connect(&job, &OpenJob::opened, this, [&] { job.openMeasured(files_); });
        job.open(sampleJob());
        QVERIFY(QTest::qWaitFor([&] { return job.picture() && job.picture()->measured; }, 60'000));
        QCOMPARE(failed.count(), 0);
        QCOMPARE(job.undoStack().count(), 1);
        QCOMPARE(job.measured().files, files_);
    }

    void tracesThatAreRefusedTakeNoneOfTheSessionAway() {
        const QJsonObject state = stateWithTraces();
        QVERIFY(!state.isEmpty());
        const QString far = write("far.json", test::trace_of_rank(*ran_, 0, {.rank = 600}));
        OpenJob later;
        QSignalSpy opened(&later, &OpenJob::opened), failed(&later, &OpenJob::failed);
        connect(&later, &OpenJob::opened, this, [&] { later.openMeasured({far}); });
        later.restore(state);
        QVERIFY(QTest::qWaitFor([&] { return !failed.isEmpty() && !later.busy(); }, 60'000));
        QCOMPARE(failed.count(), 1);
        QCOMPARE(failed[0][0].toString(), far + ": is of rank 600, and the job has 512 ranks");
        QCOMPARE(later.measured().files, files_);
        QCOMPARE(later.undoStack().count(), 0);
        // Others that are of this job take their place, and undo brings them back.
        OpenJob last;
        connect(&last, &OpenJob::opened, this, [&] { last.openMeasured({files_[0]}); });
        last.restore(state);
        QVERIFY(QTest::qWaitFor([&] { return last.undoStack().count() == 1; }, 60'000));
        QCOMPARE(last.measured().files, QStringList{files_[0]});
        last.undoStack().undo();
        QCOMPARE(last.measured().files, files_);
        QVERIFY(idle(last));
    }

    void thePageTellsWhatDiffersAndLeadsThere() {
        OpenJob job;
        JobView view(job);
        view.resize(1200, 600);
        view.show();
        open(job);
        auto* tabs = view.findChild<QTabBar*>("jobTabs");
        QVERIFY(!tabs->isTabVisible(JobView::measured_page));
        job.openMeasured(files_);
        QVERIFY(idle(job));
        QVERIFY(tabs->isTabVisible(JobView::measured_page));
        const job::MeasuredOverJob& measured = *job.picture()->measured;
        const QString difference = formatDifference(measured.step_ms - measured.predicted_ms, Unit::Time);
        QVERIFY2(view.summary().contains("measured") && view.summary().contains(difference),
                 qPrintable(view.summary()));
        QVERIFY2(view.measured().notes().contains("ProfilerStep#3") && view.measured().notes().contains("clocks"),
                 qPrintable(view.measured().notes()));
        QTreeView& table = view.measured().table();
        QCOMPARE(table.model()->rowCount(), 8);
        const auto shown = [&](int row, int column) { return table.model()->index(row, column).data().toString(); };
        QCOMPARE(shown(0, MeasuredModel::rank_column), "0");
        QCOMPARE(shown(1, MeasuredModel::compute_difference_column),
                 formatDifference(measured.ranks[1].compute_ms - measured.ranks[1].predicted_compute_ms, Unit::Time));
        QVERIFY(shown(1, MeasuredModel::compute_difference_column).startsWith('+'));
        view.showPage(JobView::measured_page);
        emit table.activated(table.model()->index(2, 0));
        QCOMPARE(view.page(), JobView::step_page);
        const job::MeasuredSpan* span = job.picture()->measured_at(view.step().selected());
        QVERIFY(span && span->rank == 2 && span->predicted);
        QVERIFY2(view.step().details().contains("measured on rank 2"), qPrintable(view.step().details()));
        // The link goes to what is predicted, which tells what was measured of it.
        view.step().select(*span->predicted);
        const QString by = formatDifference(*measured.difference_ms(*job.picture()->evaluation, *span), Unit::Time);
        const QString details = view.step().details().replace(QChar(QChar::Nbsp), thinSpace);
        QVERIFY2(details.contains("measured ") && details.contains(by), qPrintable(details));
        job.undoStack().undo();
        QVERIFY(idle(job));
        QVERIFY(!tabs->isTabVisible(JobView::measured_page));
    }

    void aMeasuredBubbleLeadsToWhatItWaitedForAndStaysSelected() {
        OpenJob job;
        JobView view(job);
        view.resize(1200, 600);
        view.show();
        open(job);
        job.openMeasured(files_);
        QVERIFY(idle(job));
        const quint32 bubble = measuredReference(*job.picture(), job::MeasuredSpan::Kind::waiting);
        view.step().select(bubble);
        QVERIFY2(view.step().details().startsWith("waited for"), qPrintable(view.step().details()));
        QCOMPARE(arrowsOf(*job.picture(), bubble).size(), 1u);
        QTest::keyClick(&view.step().timeline(), Qt::Key_J);
        const job::MeasuredSpan* peer = job.picture()->measured_at(view.step().selected());
        QVERIFY(peer && peer->kind == job::MeasuredSpan::Kind::action && peer->rank == 2);
        const job::MeasuredSpan before = *peer;
        // Other microbatches: more nodes, and other references.
        job::JobChanges changes;
        changes.microbatches = 20;
        job.change("20 microbatches", changes);
        QVERIFY(idle(job));
        const QString notes = view.measured().notes();
        QVERIFY2(notes.contains("steps are not compared: 16 microbatches were measured, and the job has 20") &&
                     notes.endsWith("measured " + formatTime(job.picture()->measured->step_ms)),
                 qPrintable(notes));
        const job::MeasuredSpan* again = job.picture()->measured_at(view.step().selected());
        QVERIFY(again && again->name == before.name && again->rank == before.rank);
        // Fewer than were measured: they are no longer of this job.
        changes.microbatches = 8;
        job.change("8 microbatches", changes);
        QVERIFY(idle(job));
        QVERIFY(job.picture()->measured->spans.empty());
        QVERIFY2(view.measured().notes().contains("rank 0 is left out"), qPrintable(view.measured().notes()));
        QCOMPARE(view.step().selected(), no_reference);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MeasuredTracesTest)
#include "measured_traces_test.moc"
