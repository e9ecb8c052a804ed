// What can be tried with a job: its controls, its schedules, and what is said of what they do.

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <algorithm>

#include "tests/ui/job/job_view_fixture.h"
#include "ui/files/resources.h"
#include "ui/job/job_controls.h"
#include "ui/job/job_effect.h"
#include "ui/job/step/job_step_view.h"
#include "ui/job/step/job_words.h"
#include "ui/job/step/waiting_map.h"
#include "ui/job/tables/schedules_model.h"
#include "ui/job/tables/stages_model.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/number_field.h"

namespace overlap::ui {

class JobChangesTest : public QObject {
    Q_OBJECT

    using Fixture = JobViewFixture;

    static QString dataOf(const QTreeView& table, int row, int column) {
        return table.model()->index(row, column).data().toString();
    }

  private slots:
    void initTestCase() { loadResources(); }

    void aChangeIsToldWithWhatItDoes() {
        Fixture fixture;
        JobEffect effect(fixture.job);
        QStringList told;
        connect(&effect, &JobEffect::told, this, [&](const QString& sentence) { told.append(sentence); });
        fixture.view.controls().microbatches().setValue(24);
        QVERIFY(fixture.idle());
        QVERIFY2(told.back().contains("step " + formatTime(fixture.job.figures()->step_ms)), qPrintable(told.back()));
        fixture.view.controls().microbatches().setValue(32);
        QVERIFY(fixture.idle());
        QCOMPARE(told.size(), 2);
        QVERIFY2(told[0].startsWith("24 microbatches: step ") && told[1].startsWith("32 microbatches: step "),
                 qPrintable(told.join(u'\n')));
        QVERIFY2(told[1].contains(" (+"), qPrintable(told[1]));
        fixture.job.undoStack().undo();
        QVERIFY(fixture.idle());
        QCOMPARE(told.size(), 3);
        QVERIFY2(told[2].startsWith("Undone: 32 microbatches: step ") && told[2].contains(minusSign),
                 qPrintable(told[2]));
        fixture.view.controls().microbatches().setValue(40);
        fixture.view.controls().slow().setCurrentIndex(1);
        emit fixture.view.controls().slow().activated(1);
        QVERIFY(fixture.idle());
        QCOMPARE(fixture.job.undoStack().count(), 2);
        fixture.job.undoStack().setIndex(0);
        QVERIFY(fixture.idle());
        QVERIFY2(told.back().startsWith("2 edits undone: step "), qPrintable(told.back()));
        fixture.view.controls().microbatches().setValue(3);  // 1F1B needs as many as stages
        QVERIFY(fixture.idle());
        QVERIFY2(told.back().startsWith("3 microbatches: ") && !told.back().contains("step "), qPrintable(told.back()));
    }

    void controlsChangeTheStepAndShowWhatIsUndone() {
        Fixture fixture;
        JobControls& controls = fixture.view.controls();
        const double opened_ms = fixture.job.figures()->step_ms;
        QCOMPARE(controls.microbatches().value(), 16);
        controls.microbatches().setValue(24);
        QVERIFY(fixture.idle());
        QVERIFY(fixture.job.figures()->step_ms > opened_ms);
        QVERIFY(fixture.view.summary().contains("(+"));
        controls.slow().setCurrentIndex(1);
        emit controls.slow().activated(1);
        QVERIFY(fixture.job.changes().slow);
        QCOMPARE(fixture.job.changes().slow->count, 8);
        QVERIFY(controls.slowNumber().isEnabled());
        controls.slowNumber().setValue(7);
        QCOMPARE(fixture.job.changes().slow->first, 56);
        controls.slowPercent().setValue(20);
        QCOMPARE(fixture.job.changes().slow->factor, 1.2);
        for (int i = 0; i < 3; ++i) fixture.job.undoStack().undo();
        QVERIFY(!fixture.job.changes().slow);
        QCOMPARE(controls.slow().currentIndex(), 0);
        fixture.job.undoStack().undo();
        QCOMPARE(controls.microbatches().value(), 16);
        QVERIFY(fixture.idle());
        QCOMPARE(fixture.job.figures()->step_ms, opened_ms);
        QVERIFY(!fixture.view.summary().contains("(+"));
    }

    /// Its number and percentage would be taken by the next choice.
    void aSlowHostIsNotLeftForTheNextJob() {
        Fixture fixture;
        JobControls& controls = fixture.view.controls();
        controls.slow().setCurrentIndex(1);
        emit controls.slow().activated(1);
        controls.slowNumber().setValue(7);
        controls.slowPercent().setValue(20);
        QVERIFY(fixture.idle());
        QTemporaryDir folder;
        QFile file(folder.filePath("other.job.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 2}}],
                       "replicas": 64, "schedule": {"name": "GPipe", "microbatches": 2}})");
        file.close();
        QSignalSpy opened(&fixture.job, &OpenJob::opened);
        fixture.job.open(file.fileName());
        QTRY_VERIFY_WITH_TIMEOUT(!opened.isEmpty() && !fixture.job.busy(), 60'000);
        QVERIFY(!controls.slowNumber().isEnabled());
        QCOMPARE(controls.slowNumber().value(), 0);
        QCOMPARE(controls.slowPercent().value(), 5);
        QVERIFY2(!fixture.job.changes().slow, "and nothing of the job is changed by that");
    }

    /// Nothing of a number is dropped in silence: it is taken as it was typed, or refused with the reason.
    void whatIsTypedIsTakenAsItIsOrRefused() {
        Fixture fixture;
        JobControls& controls = fixture.view.controls();
        QSignalSpy refused(&fixture.view, &JobView::refused);
        const auto type = [](NumberField& field, const QString& text) {
            field.setFocus();
            field.selectAll();
            QTest::keyClicks(&field, text);
            QTest::keyClick(&field, Qt::Key_Return);
        };
        controls.slow().setCurrentIndex(1);
        emit controls.slow().activated(1);
        QVERIFY(fixture.idle());
        type(controls.slowPercent(), "2.5");
        QCOMPARE(fixture.job.changes().slow->factor, 1.025);
        type(controls.slowPercent(), "7.5 %");
        QCOMPARE(fixture.job.changes().slow->factor, 1.075);
        QVERIFY2(controls.slowPercent().text() == "7.5 %", qPrintable(controls.slowPercent().text()));
        type(controls.slowNumber(), "63");
        QCOMPARE(fixture.job.changes().slow->first, 63 * 8);
        QVERIFY(fixture.idle());
        QVERIFY(refused.isEmpty());
        for (const QString& typed : {QStringLiteral("100"), QStringLiteral("6.5"), QStringLiteral("ten")}) {
            type(controls.slowNumber(), typed);
            QCOMPARE(fixture.job.changes().slow->first, 63 * 8);
            QCOMPARE(refused.size(), 1);
            const QString reason = refused.takeFirst().front().toString();
            QCOMPARE(reason, typed + " is not taken: expected a whole number from 0 to 63");
            QVERIFY(controls.slowNumber().text().contains(typed));  // to be mended
        }
        type(controls.slowNumber(), "7");
        type(controls.microbatches(), "2.5");
        QCOMPARE(refused.size(), 1);
        QVERIFY(!fixture.job.changes().microbatches);
        type(controls.microbatches(), "24");
        QCOMPARE(fixture.job.changes().microbatches.value_or(0), 24);
        QVERIFY(fixture.idle());
    }

    void aScheduleOfTheTableIsUsed() {
        Fixture fixture;
        QTreeView& table = fixture.view.schedules();
        QVERIFY(table.model()->rowCount() >= 6);
        QCOMPARE(dataOf(table, 0, 0), "1F1B (as opened)");
        int row = 0;
        while (dataOf(table, row, 0) != u"GPipe") ++row;
        const QString step = dataOf(table, row, 1);
        emit table.activated(table.model()->index(row, 0));
        QCOMPARE(QString::fromStdString(fixture.job.changes().schedule), "GPipe");
        QVERIFY(fixture.idle());
        QVERIFY(fixture.view.summary().startsWith(QStringLiteral("step ") + step));
        QCOMPARE(fixture.view.controls().schedule().currentText(), "GPipe");
    }

    /// Half as many ranks take longer for the same step, and may get more done.
    void schedulesOnOtherRanksAreComparedByThroughput() {
        Fixture fixture;
        const auto& model = static_cast<const SchedulesModel&>(*fixture.view.schedules().model());
        const std::vector<job::ScheduleRow>& rows = model.rows();
        const auto cell = [&](std::size_t row, int column) { return model.index(static_cast<int>(row), column); };
        std::size_t other = 0, same = 0;
        for (std::size_t row = 1; row < rows.size(); ++row) {
            if (!rows[row].step_ms) continue;
            const QString difference = cell(row, SchedulesModel::difference_column).data().toString();
            const QString throughput = cell(row, SchedulesModel::throughput_column).data().toString();
            const double gain = *rows[0].step_ms * rows[0].ranks / (*rows[row].step_ms * rows[row].ranks) - 1;
            QCOMPARE(throughput, formatDifference(gain, Unit::Percent));
            const auto colour = cell(row, SchedulesModel::difference_column).data(Qt::ForegroundRole).value<QColor>();
            if (rows[row].ranks == rows[0].ranks) {
                ++same;
                QCOMPARE(difference, formatDifference(*rows[row].step_ms - *rows[0].step_ms, Unit::Time));
            } else {
                ++other;
                QVERIFY2(!difference.contains("ms"), qPrintable(difference));
                QCOMPARE(colour, currentTheme().dim);
                const auto praised =
                    cell(row, SchedulesModel::throughput_column).data(Qt::ForegroundRole).value<QColor>();
                QCOMPARE(praised, currentTheme().dim);
                const QString help = cell(row, SchedulesModel::difference_column).data(Qt::ToolTipRole).toString();
                QVERIFY2(help.contains("not comparable"), qPrintable(help));
                QVERIFY2(help.contains("2 stages then, and 1 stage as it is: its memory"), qPrintable(help));
            }
        }
        QVERIFY(other > 0 && same > 0);
        // Nor is the job compared in milliseconds with what was opened.
        const auto chosen = std::ranges::find_if(
            rows, [&](const job::ScheduleRow& row) { return row.step_ms && row.ranks != rows[0].ranks; });
        const QString name = QString::fromStdString(chosen->name);
        fixture.view.controls().chooseSchedule(name);
        QVERIFY(fixture.idle());
        const QString summary = fixture.view.summary();
        QVERIFY2(summary.contains("throughput a rank "), qPrintable(summary));
        QVERIFY2(!summary.section(QStringLiteral(" · "), 0, 0).contains(u'('), qPrintable(summary));
    }

    void schedulesOfBeforeAreMarked() {
        Fixture fixture;
        const auto& model = static_cast<const SchedulesModel&>(*fixture.view.schedules().model());
        const auto title = [&] { return model.headerData(0, Qt::Horizontal, Qt::DisplayRole).toString(); };
        QCOMPARE(title(), "Schedule");
        job::JobChanges changes;
        changes.microbatches = 24;
        fixture.job.change("24 microbatches", changes);
        QVERIFY(model.stale());
        QVERIFY2(title().contains("evaluating"), qPrintable(title()));
        const QModelIndex step = model.index(0, SchedulesModel::step_column);
        QCOMPARE(step.data(Qt::ForegroundRole).value<QColor>(), currentTheme().dim);
        QVERIFY(fixture.idle());
        QVERIFY(!model.stale());
        QCOMPARE(title(), "Schedule");
        QVERIFY(!step.data(Qt::ForegroundRole).value<QColor>().isValid());
    }

    /// A schedule that is refused says nothing of what stages take.
    void aRefusedJobKeepsTheFiguresOfItsStages() {
        Fixture fixture;
        const QString forward = dataOf(fixture.view.stages(), 3, StagesModel::forward_column);
        QVERIFY(!forward.isEmpty());
        job::JobChanges changes;
        changes.microbatches = 3;  // 1F1B needs as many as stages
        fixture.job.change("3 microbatches", changes);
        QVERIFY(fixture.idle());
        QVERIFY(!fixture.job.refusal().isEmpty());
        QCOMPARE(dataOf(fixture.view.stages(), 3, StagesModel::forward_column), forward);
        // A plan that cannot be is the stage's own.
        auto plan = std::make_shared<Plan>();
        plan->graph = GraphFingerprint{"another", 1, "0123456789abcdef"};
        fixture.job.setPlan(2, plan);
        QVERIFY(fixture.idle());
        QCOMPARE(dataOf(fixture.view.stages(), 2, StagesModel::forward_column), QString());
        QCOMPARE(dataOf(fixture.view.stages(), 3, StagesModel::forward_column), forward);
    }

    void aListThatWasRepairedIsSaidAlsoInALowWindow() {
        QTemporaryDir folder;
        const QString file = folder.filePath("repaired.job.json");
        QFile written(file);
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(
            R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 1}}, {"ms": {"F": 1, "B": 1}}],
            "schedule": {"actions": [["0F0", "0F1", "0B0", "0B1"], ["1F1", "1B0", "1F2", "1B1"]], "microbatches": 2}})");
        written.close();
        Fixture fixture(file);
        QVERIFY(fixture.job.figures());
        const auto* notes = fixture.view.findChild<QLabel*>("jobNotes");
        for (const int height : {600, 200}) {
            fixture.view.resize(1200, height);
            QVERIFY2(notes->isVisible() && notes->text().contains("forwards numbered 1 to 2"),
                     qPrintable(notes->text()));
        }
    }

    void whoNeverComesIsNoMemberThatDisagrees() {
        QTemporaryDir folder;
        const QString file = folder.filePath("stuck.job.json");
        QFile written(file);
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(R"({"format": "overlap-job", "version": 1, "groups": {"g": [0, 1]}, "programs": [
            {"rank": 0, "ops": [{"id": "k", "kind": "compute", "ms": 2},
                                {"id": "a", "kind": "collective", "group": "g", "bytes": 4}]},
            {"rank": 1, "ops": [{"id": "b", "kind": "collective", "group": "g", "bytes": 8}]},
            {"rank": 2, "ops": [{"id": "r", "kind": "recv", "peer": 1}]}]})");
        written.close();
        Fixture fixture(file);
        const QString problem = fixture.view.findChild<QLabel*>("jobProblem")->text();
        QVERIFY2(problem.contains("mismatch: ") && problem.contains("deadlock: "), qPrintable(problem));
        const auto details = [&](std::size_t row) {
            fixture.view.step().select(fixture.picture().reference_of(fixture.picture().standstills[row][0]));
            return fixture.view.step().details().replace(QChar(QChar::Nbsp), thinSpace);
        };
        const QString disagree = "waits for ever since " + formatTime(2) + ": the members disagree on bytes, 4 and 8";
        QVERIFY2(details(0).contains(disagree), qPrintable(details(0)));
        const QString missing = "waits for ever since " + formatTime(0) + ": rank 1 never comes";
        QVERIFY2(details(2).contains(missing), qPrintable(details(2)));
    }

    void whatIsRefusedIsSaid() {
        QTemporaryDir folder;
        const QString file = folder.filePath("stuck.job.json");
        QFile written(file);
        QVERIFY(written.open(QIODevice::WriteOnly));
        written.write(
            R"({"format": "overlap-job", "version": 1, "stages": [{"ms": {"F": 1, "B": 1}}, {"ms": {"F": 1, "B": 1}}],
            "schedule": {"actions": [["0F0", "0B0", "0F1", "0B1"], ["1F1", "1B1", "1F0", "1B0"]], "microbatches": 2}})");
        written.close();
        Fixture fixture(file);
        const auto* problem = fixture.view.findChild<QLabel*>("jobProblem");
        QVERIFY(problem->isVisible());
        QVERIFY2(problem->text().startsWith("deadlock: "), qPrintable(problem->text()));
        // How far each rank came.
        QVERIFY2(
            problem->text().endsWith("Until then rank 0 ended 0F0 and stands before 0B0; rank 1 has begun nothing and "
                                     "stands before 1F1"),
            qPrintable(problem->text()));
        QVERIFY(!fixture.job.figures());
        // The step is shown up to there, and J follows who waits for whom, round and round.
        JobStepView& step = fixture.view.step();
        QCOMPARE(step.timeline().timeline()->event_count(), std::size_t{3});
        const job::JobPicture& picture = *fixture.job.picture();
        const quint32 stuck = picture.reference_of(picture.standstills[0][0]);
        step.select(stuck);
        QVERIFY2(step.details().contains("stands before 0B0"), qPrintable(step.details()));
        const QString since = formatTime(1).replace(thinSpace, QChar(QChar::Nbsp));
        QVERIFY2(step.details().contains("waits for ever since " + since + ", for "), qPrintable(step.details()));
        // The tool tip has the name and since when already: no length, and nothing twice.
        QVERIFY2(!hintOf(picture, stuck).contains("waits for ever") && !hintOf(picture, stuck).contains(" ms"),
                 qPrintable(hintOf(picture, stuck)));
        // Nothing is a share of a step that there is not.
        QCOMPARE(fixture.view.waiting().shareOfStep(0), QString("–"));
        for (int times = 0; times < 2; ++times) {
            QTest::keyClick(&step.timeline(), Qt::Key_J);
            QVERIFY2(step.details().contains("stands before 1F1"), qPrintable(step.details()));
            QTest::keyClick(&step.timeline(), Qt::Key_J);
            QVERIFY2(step.details().contains("stands before 0B0"), qPrintable(step.details()));
        }
        // Another schedule helps.
        fixture.view.controls().chooseSchedule("GPipe");
        QVERIFY(fixture.idle());
        QVERIFY(!problem->isVisible());
        QVERIFY(fixture.job.figures());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::JobChangesTest)
#include "job_changes_test.moc"
