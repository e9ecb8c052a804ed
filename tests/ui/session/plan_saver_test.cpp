#include "ui/session/plan_saver.h"

#include <QSignalSpy>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include "core/io/plan/plan_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/file_digest.h"

namespace overlap::ui {
namespace {

using namespace std::chrono_literals;
using Result = PlanSaver::Result;

/// A folder that answers when it is told to.
class HangingFolder {
  public:
    PlanSaver::Write writer() {
        return [state = state_](const Plan& plan, const std::string&) {
            std::unique_lock lock(state->mutex);
            state->change.wait(lock, [&] { return state->answers; });
            if (!state->problem.empty()) throw std::runtime_error(state->problem);
            ++state->written;
            state->plan = plan;
        };
    }
    void answer(const std::string& problem = {}) {
        const std::lock_guard lock(state_->mutex);
        state_->answers = true;
        state_->problem = problem;
        state_->change.notify_all();
    }
    int written() const {
        const std::lock_guard lock(state_->mutex);
        return state_->written;
    }
    Plan plan() const {
        const std::lock_guard lock(state_->mutex);
        return state_->plan;
    }

  private:
    struct State {
        std::mutex mutex;
        std::condition_variable change;
        bool answers = false;
        std::string problem;
        Plan plan;
        int written = 0;
    };
    std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace

class PlanSaverTest : public QObject {
    Q_OBJECT

  private slots:
    void init() { document_ = openDocument(); }

    void aPlanIsInItsFileWhenItIsSaved() {
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        BucketCommands(*document_).addText("layers.0");
        PlanSaver saver(*document_, nullptr, {}, 60s);
        const auto outcome = saver.save(1, path, false);
        QVERIFY(outcome);
        QCOMPARE(outcome->result, Result::saved);
        QCOMPARE(outcome->file, path);
        QCOMPARE(outcome->variant, document_->variant(1).key());
        QVERIFY(read_plan_file(path.toStdString()) == document_->variant(1).plan());
        QVERIFY(!document_->variant(1).modified());
        QCOMPARE(document_->variant(1).fileDigest(), fileDigest(path));
    }

    void filesOfOthersAndChangedOnesAreKept() {
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json"), other = folder.filePath("b.plan.json");
        PlanSaver saver(*document_, nullptr, {}, 60s);
        QVERIFY(write(other, "theirs"));
        QCOMPARE(saver.save(1, other, false)->result, Result::exists);
        QCOMPARE(content(other), "theirs");
        QCOMPARE(saver.save(1, path, false)->result, Result::saved);
        QCOMPARE(saver.save(1, path, false)->result, Result::saved);
        QVERIFY(write(path, "somebody else's"));
        QCOMPARE(saver.save(1, path, false)->result, Result::changed);
        QCOMPARE(content(path), "somebody else's");
        QCOMPARE(saver.save(1, path, true)->result, Result::saved);
        QVERIFY(read_plan_file(path.toStdString()) == document_->variant(1).plan());
        const auto failed = saver.save(1, folder.filePath("no/such.plan.json"), false);
        QCOMPARE(failed->result, Result::failed);
        QVERIFY2(failed->problem.contains("such.plan.json"), qPrintable(failed->problem));
        QCOMPARE(document_->variant(1).filePath(), path);
    }

    /// Somebody else changed the file, theirs was opened beside the own plan, and then the own one was saved over it.
    void aPlanWhoseFileIsReplacedIsUnsaved() {
        QTemporaryDir folder;
        const QString file = folder.filePath("shared.plan.json");
        PlanSaver saver(*document_);
        const auto saved = [&](int index) { return saver.save(index, file, true)->result == Result::saved; };
        const int own = document_->currentIndex();
        QVERIFY(saved(own));
        Variant& theirs = document_->addCopyOfCurrent();
        const int second = document_->currentIndex();
        BucketCommands(*document_).addText("layers.1");
        QVERIFY(saved(second));
        QVERIFY(!theirs.modified());
        QVERIFY(document_->variant(own).modified());  // and so is the first one, whose file has another plan now
        QVERIFY(saved(own));
        QVERIFY(!document_->variant(own).modified());
        QVERIFY(theirs.modified());
        QCOMPARE(theirs.filePath(), file);
    }

    void aFolderThatHangsHoldsNobodyUp() {
        HangingFolder folder;
        PlanSaver saver(*document_, nullptr, folder.writer(), 10ms);
        const QSignalSpy late(&saver, &PlanSaver::finishedLate);
        BucketCommands(*document_).addText("layers.0");
        QVERIFY(!saver.save(1, "/gone/a.plan.json", false));
        QVERIFY(document_->variant(1).modified());
        QCOMPARE(saver.save(1, "/gone/a.plan.json", false)->result, Result::under_way);
        QCOMPARE(saver.underWay(), QStringList{"/gone/a.plan.json"});
        folder.answer();
        QTRY_COMPARE(late.count(), 1);
        QCOMPARE(late.front().front().value<PlanSaver::Outcome>().result, Result::saved);
        QVERIFY(folder.plan() == document_->variant(1).plan());
        QVERIFY(saver.underWay().isEmpty());
        QCOMPARE(folder.written(), 1);
        QVERIFY(!document_->variant(1).modified());
        QCOMPARE(document_->variant(1).filePath(), "/gone/a.plan.json");
        QVERIFY(PlanSaver(*document_, nullptr, folder.writer(), 60s).save(1, "/gone/a.plan.json", true));
    }

    /// Also back to the plan that an earlier file had, which the file has no longer.
    void whatIsEditedMeanwhileIsNotSaved() {
        HangingFolder folder;
        PlanSaver saver(*document_, nullptr, folder.writer(), 10ms);
        const QSignalSpy late(&saver, &PlanSaver::finishedLate);
        Variant& variant = document_->variant(1);
        QVERIFY(!variant.modified());
        BucketCommands(*document_).addText("layers.0");
        const std::string text = write_plan_text(variant.plan());
        QVERIFY(!saver.save(1, "/gone/a.plan.json", false));
        variant.undoStack().undo();
        QVERIFY(!variant.modified());
        folder.answer();
        QTRY_COMPARE(late.count(), 1);
        QVERIFY(variant.modified());
        QCOMPARE(variant.fileDigest(), contentDigest(QByteArray::fromStdString(text)));
    }

    /// What an edited plan is called is known when it has been evaluated: until then no name has the figures before.
    void aPlanThatIsSavedBeforeItsFiguresAreKnownHasNone() {
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        foundPlanIsEdited();
        const QString first = document_->current()->title();
        QVERIFY2(first.startsWith("Edited ") && first.contains(" at "), qPrintable(first));
        BucketCommands(*document_).putIntoNew({"layers.1", "layers.2"});
        QVERIFY(document_->current()->stale());
        PlanSaver saver(*document_, nullptr, {}, 60s);
        QCOMPARE(saver.save(document_->currentIndex(), path, false)->result, Result::saved);
        QCOMPARE(read_plan_file(path.toStdString()).name, "Edited plan");
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!document_->current()->modified());
        // Its tab has them when they are known, which is no edit of the file.
        Plan shown = document_->current()->plan();
        QVERIFY2(shown.name.starts_with("Edited ") && shown.name.find(" at ") != std::string::npos, shown.name.c_str());
        shown.name = "Edited plan";
        QVERIFY(read_plan_file(path.toStdString()) == shown);
    }

    void figuresThatComeWhileAPlanIsWrittenAreNoEdit() {
        HangingFolder folder;
        PlanSaver saver(*document_, nullptr, folder.writer(), 10ms);
        const QSignalSpy late(&saver, &PlanSaver::finishedLate);
        foundPlanIsEdited();
        BucketCommands(*document_).putIntoNew({"layers.1", "layers.2"});
        QVERIFY(!saver.save(document_->currentIndex(), "/gone/a.plan.json", false));
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(document_->current()->title() != "Edited plan");
        folder.answer();
        QTRY_COMPARE(late.count(), 1);
        QVERIFY(!document_->current()->modified());
        QCOMPARE(document_->current()->filePath(), "/gone/a.plan.json");
    }

    void whatFailsLateIsTold() {
        HangingFolder folder;
        PlanSaver saver(*document_, nullptr, folder.writer(), 10ms);
        const QSignalSpy late(&saver, &PlanSaver::finishedLate);
        BucketCommands(*document_).addText("layers.0");
        QVERIFY(!saver.save(1, "/gone/a.plan.json", false));
        folder.answer("a.plan.json: the network has gone");
        QTRY_COMPARE(late.count(), 1);
        const auto outcome = late.front().front().value<PlanSaver::Outcome>();
        QCOMPARE(outcome.result, Result::failed);
        QCOMPARE(outcome.problem, "a.plan.json: the network has gone");
        QVERIFY(document_->variant(1).modified());
        QVERIFY(document_->variant(1).filePath().isEmpty());
    }

    /// What a person did last counts, whichever folder answers first.
    void aPlanThatIsSavedElsewhereMeanwhileStaysThere() {
        HangingFolder folder;
        PlanSaver saver(*document_, nullptr, folder.writer(), 10ms);
        const QSignalSpy late(&saver, &PlanSaver::finishedLate);
        QTemporaryDir other;
        const QString path = other.filePath("b.plan.json");
        BucketCommands(*document_).addText("layers.0");
        QVERIFY(!saver.save(1, "/gone/a.plan.json", false));
        QVERIFY(PlanSaver(*document_, nullptr, {}, 60s).save(1, path, false));
        QCOMPARE(document_->variant(1).filePath(), path);
        folder.answer();
        QTRY_COMPARE(late.count(), 1);
        QCOMPARE(late.front().front().value<PlanSaver::Outcome>().result, Result::saved);
        QCOMPARE(document_->variant(1).filePath(), path);
        QVERIFY(!document_->variant(1).modified());
    }

    void theNewestOfTwoSavesThatAreUnderWayCounts() {
        HangingFolder folder;
        PlanSaver saver(*document_, nullptr, folder.writer(), 10ms);
        const QSignalSpy late(&saver, &PlanSaver::finishedLate);
        BucketCommands(*document_).addText("layers.0");
        QVERIFY(!saver.save(1, "/gone/a.plan.json", false));
        QVERIFY(!saver.save(1, "/gone/b.plan.json", false));
        folder.answer();
        QTRY_COMPARE(late.count(), 2);
        QCOMPARE(document_->variant(1).filePath(), "/gone/b.plan.json");
    }

    void closingWaitsForWhatIsUnderWay() {
        HangingFolder folder;
        PlanSaver saver(*document_, nullptr, folder.writer(), 100ms);
        BucketCommands(*document_).addText("layers.0");
        QVERIFY(!saver.save(1, "/gone/a.plan.json", false));
        saver.waitForAll();
        QCOMPARE(saver.underWay(), QStringList{"/gone/a.plan.json"});
        folder.answer();
        QTRY_VERIFY((saver.waitForAll(), saver.underWay().isEmpty()));
        QVERIFY(!document_->variant(1).modified());
    }

    void nobodyNeedsToBeThereInTheEnd() {
        HangingFolder folder;
        {
            PlanSaver saver(*document_, nullptr, folder.writer(), 10ms);
            QVERIFY(!saver.save(1, "/gone/a.plan.json", false));
            QVERIFY(!saver.save(1, "/gone/b.plan.json", false));
        }
        folder.answer();
        QTRY_COMPARE(folder.written(), 2);
    }

    void aPlanThatWasClosedMeanwhileIsWrittenAllTheSame() {
        HangingFolder folder;
        PlanSaver saver(*document_, nullptr, folder.writer(), 10ms);
        const QSignalSpy late(&saver, &PlanSaver::finishedLate);
        document_->addCopyOfCurrent();
        QVERIFY(!saver.save(2, "/gone/a.plan.json", false));
        document_->closeVariant(2);
        folder.answer();
        QTRY_COMPARE(late.count(), 1);
        QCOMPARE(late.front().front().value<PlanSaver::Outcome>().result, Result::saved);
        QCOMPARE(folder.written(), 1);
    }

  private:
    /// A plan that a search found, once edited and evaluated, is the current one then.
    void foundPlanIsEdited() {
        Plan plan = document_->current()->plan();
        plan.name = "Found 5 ms at 2 GiB";
        document_->addNew(plan);
        BucketCommands(*document_).putIntoNew({"layers.0"});
        QVERIFY(waitForEvaluation(*document_));
    }
    static bool write(const QString& path, const QByteArray& text) {
        QFile file(path);
        return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
    }
    static QByteArray content(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::unique_ptr<Document> document_;
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PlanSaverTest)
#include "plan_saver_test.moc"
