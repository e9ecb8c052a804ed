#include "ui/shell/files/save_controller.h"

#include <QSignalSpy>
#include <condition_variable>
#include <mutex>

#include "core/io/plan/plan_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/file_looks.h"
#include "ui/session/plan_file_watch.h"
#include "ui/session/recent_files.h"
#include "ui/session/session_state.h"

namespace overlap::ui {

/// Saving without a window: what is asked, told and refused.
class SaveControllerTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    QWidget window_;
    SessionState state_;
    FileLooks looks_;
    std::unique_ptr<Document> document_;
    std::unique_ptr<RecentFiles> recent_;

    std::unique_ptr<SaveController> controller(PlanSaver::Write write = {}) {
        return std::make_unique<SaveController>(*document_, *recent_, looks_, window_, std::move(write));
    }

  private slots:
    void init() {
        document_ = openDocument();
        BucketCommands(*document_).addText("layers.0");
        state_ = {};
        recent_ = std::make_unique<RecentFiles>(state_);
    }

    void aSavedPlanIsToldAndRecent() {
        const auto saves = controller();
        QSignalSpy told(saves.get(), &NoticeSource::told);
        QVERIFY(saves->savePlanAs(folder_.filePath("short")));
        const QString file = folder_.filePath("short.plan.json");
        QCOMPARE(document_->current()->filePath(), file);
        QCOMPARE(state_.recent_files, QStringList{file});
        QCOMPARE(told.count(), 1);
        QCOMPARE(told[0][0].toString(), "Saved short.plan.json");
        QCOMPARE(told[0][1].toString(), file);
    }

    void aFileOfSomethingElseIsAskedAbout() {
        const auto saves = controller();
        const QString path = folder_.filePath("theirs.plan.json");
        QFile theirs(path);
        QVERIFY(theirs.open(QIODevice::WriteOnly));
        theirs.write("theirs");
        theirs.close();
        std::vector<NoticeAction> answers;
        connect(saves.get(), &NoticeSource::warned, this,
                [&](const QString&, const std::vector<NoticeAction>& actions) { answers = actions; });
        QVERIFY(!saves->savePlanAs(path));
        QCOMPARE(answers.size(), 2u);
        QCOMPARE(answers.front().text, "Replace");
        // The answer is about the plan that was asked about.
        document_->addCopyOfCurrent();
        answers.front().run();
        QCOMPARE(document_->currentIndex(), 1);
        QVERIFY(read_plan_file(path.toStdString()) == document_->variant(1).plan());
    }

    void aFileThatWasChangedCanBeOpened() {
        const auto saves = controller();
        const QString path = folder_.filePath("own.plan.json");
        QVERIFY(saves->savePlanAs(path));
        QFile own(path);
        QVERIFY(own.open(QIODevice::Append));
        own.write("\n");
        own.close();
        std::vector<NoticeAction> answers;
        connect(saves.get(), &NoticeSource::warned, this,
                [&](const QString&, const std::vector<NoticeAction>& actions) { answers = actions; });
        QVERIFY(!saves->savePlan());
        QCOMPARE(answers.size(), 3u);
        QSignalSpy wanted(saves.get(), &SaveController::openWanted);
        answers.back().run();
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted[0][0].toStringList(), QStringList{path});
    }

    void aFileThatAnotherProgramChangedIsToldOf() {
        const auto saves = controller();
        const QString path = folder_.filePath("watched.plan.json");
        QVERIFY(saves->savePlanAs(path));
        const auto append = [&](const char* text) {
            QFile own(path);
            QVERIFY(own.open(QIODevice::Append));
            own.write(text);
        };
        QStringList told;
        std::vector<NoticeAction> answers;
        connect(saves.get(), &NoticeSource::warnedAlso, this,
                [&](const QString& sentence, const QStringList&, const std::vector<NoticeAction>& actions) {
                    told.append(sentence);
                    answers = actions;
                });
        const auto* watch = saves->findChild<PlanFileWatch*>();
        QVERIFY(watch);
        const auto look = [&] {
            saves->lookAtFile();
            QVERIFY(QTest::qWaitFor([&] { return !watch->busy(); }));
        };
        look();
        QCOMPARE(told, QStringList());
        append("\n");
        // At once, and of plans that are not shown, too.
        document_->addCopyOfCurrent();
        QTRY_COMPARE(told, QStringList{path + " was changed on disk since it was read"});
        QCOMPARE(answers.size(), 3u);
        QCOMPARE(answers.front().text, "Overwrite");
        document_->setCurrentIndex(1);
        // Once for each change.
        look();
        QCOMPARE(told.size(), 1);
        append("\n");
        look();
        QTRY_COMPARE(told.size(), 2);
        answers.front().run();
        QVERIFY(read_plan_file(path.toStdString()) == document_->current()->plan());
        look();
        QCOMPARE(told.size(), 2);
        // A file that is gone is written anew, and one whose content has a tab of its own is known.
        QVERIFY(QFile::remove(path));
        look();
        BucketCommands(*document_).addText("layers.1");
        Plan other = document_->current()->plan();
        other.notes = "by another program";
        write_plan_file(other, path.toStdString());
        document_->openPlan(readPlan(path));
        document_->setCurrentIndex(1);
        look();
        QCOMPARE(told.size(), 2);
    }

    void whatWasToldOfAFileIsTakenBackWhenItIsNoMatterAnyMore_data() {
        QTest::addColumn<QString>("end");
        for (const char* end : {"save as", "open", "close", "put back"}) QTest::addRow("%s", end) << end;
    }
    void whatWasToldOfAFileIsTakenBackWhenItIsNoMatterAnyMore() {
        QFETCH(QString, end);
        const auto saves = controller();
        const QString path = folder_.filePath("taken_back.plan.json");
        QVERIFY(saves->savePlanAs(path, true));
        const Plan saved = document_->current()->plan();
        Plan other = saved;
        other.notes = "by another program";
        write_plan_file(other, path.toStdString());
        QSignalSpy told(saves.get(), &NoticeSource::warnedAlso);
        QSignalSpy withdrawn(saves.get(), &NoticeSource::withdrawn);
        saves->lookAtFile();
        QTRY_COMPARE(told.count(), 1);
        BucketCommands(*document_).addText("layers.1");
        QCOMPARE(withdrawn.count(), 0);
        if (end == "save as") QVERIFY(saves->savePlanAs(folder_.filePath("elsewhere.plan.json"), true));
        if (end == "open") document_->openPlan(readPlan(path));
        if (end == "close") document_->closeVariant(1);
        if (end == "put back") write_plan_file(saved, path.toStdString());
        QTRY_COMPARE(withdrawn.count(), 1);
        QCOMPARE(withdrawn[0][0], told[0][0]);
    }

    void closingIsRefusedOnceWhileAPlanIsBeingSaved() {
        struct Gate {
            std::mutex mutex;
            std::condition_variable opened;
            bool open = false;
        };
        const auto gate = std::make_shared<Gate>();  // with the thread that writes, which may outlive a failed test
        const auto saves = controller([gate](const Plan&, const std::string&) {
            std::unique_lock lock(gate->mutex);
            gate->opened.wait(lock, [&] { return gate->open; });
        });
        QVERIFY(!saves->refusesClosing());
        QVERIFY(!saves->savePlanAs(folder_.filePath("late.plan.json"), true));
        QVERIFY(saves->refusesClosing());
        QVERIFY(!saves->refusesClosing());
        const std::lock_guard lock(gate->mutex);
        gate->open = true;
        gate->opened.notify_all();
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SaveControllerTest)
#include "save_controller_test.moc"
