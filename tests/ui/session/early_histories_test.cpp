#include "ui/session/early_histories.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QDir>
#include <QTemporaryDir>

#include "core/io/plan/plan_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/plan_history.h"
#include "ui/files/file_looks.h"
#include "ui/session/kept_plans.h"
#include "ui/session/session.h"

namespace overlap::ui {

/// Histories that are read beside their graph.
class EarlyHistoriesTest : public QObject {
    Q_OBJECT

    static constexpr int count = 150;  ///< edits: more than one file has

    LoadedGraph loaded_;
    FileLooks looks_;
    std::unique_ptr<QTemporaryDir> folder_;
    SessionDocument kept_;

    /// Once the histories are gone, what was read early is the only one.
    std::shared_ptr<const PlanHistory> openedWithoutFiles(const EarlyHistories& early, QStringList& told) {
        QDir(folder_->filePath("histories")).removeRecursively();
        return restoreKeptPlan(kept_.variants.front(), loaded_, looks_, {}, told, folder_->path(), &early)
            .front()
            .history;
    }

  private slots:
    void initTestCase() { loaded_ = loadGraph(smallGraphFile()); }

    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        // Figures are not asked for: only edits are.
        Document document(nullptr,
                          [this](const auto&, const Plan&, std::stop_token, auto, auto) { return loaded_.baseline; });
        document.setGraph(loaded_);
        for (int number = 0; number < count; ++number) {
            Plan plan = document.current()->plan();
            plan.notes = std::to_string(number);
            document.editPlan(QStringLiteral("edit %1").arg(number), std::move(plan));
        }
        const Session session(folder_->path());
        SessionState state;
        state.put(sessionDocument(document));
        QCOMPARE(session.save(state), QString());
        kept_ = session.load().state.documents.front();
    }

    void whatWasReadBesideTheGraphIsNotReadAgain() {
        EarlyHistories early;
        QVERIFY2(!early.begin(nullptr, folder_->path()), "of a new graph there is nothing to wait for");
        early.begin(&kept_, folder_->path())({});
        QStringList told;
        const auto history = openedWithoutFiles(early, told);
        QCOMPARE(told, QStringList());
        QVERIFY(history);
        QCOMPARE(history->edits.size(), std::size_t{count});
        QCOMPARE(history->done, count);
    }

    void aPlanThatWasEditedMeanwhileHasAnotherHistory() {
        EarlyHistories early;
        early.begin(&kept_, folder_->path())({});
        SessionVariant edited = kept_.variants.front();
        QVERIFY(early.of(edited));
        edited.plan += '\n';
        QVERIFY(!early.of(edited));
        edited = kept_.variants.front();
        edited.history.stored["done"] = 3;
        QVERIFY(!early.of(edited));
        early.clear();
        QVERIFY(!early.of(kept_.variants.front()));
    }

    void thatOfAClosedPlanIsReadBesideTheWindow() {
        EarlyHistories early;
        bool read = false;
        QVERIFY(early.beginOne(kept_.variants.front(), kept_.graph, folder_->path(), [&] { read = true; }));
        QVERIFY2(!read, "the window goes on");
        QTRY_VERIFY(read);
        QStringList told;
        const auto history = openedWithoutFiles(early, told);
        QCOMPARE(told, QStringList());
        QVERIFY(history);
        QCOMPARE(history->edits.size(), std::size_t{count});
    }

    void whatIsNotWantedAnyMoreTellsNothing() {
        EarlyHistories early;
        bool read = false;
        QVERIFY(early.beginOne(kept_.variants.front(), kept_.graph, folder_->path(), [&] { read = true; }));
        early.clear();
        QTest::qWait(500);
        QVERIFY(!read && !early.of(kept_.variants.front()));
    }

    void ofAPlanWithoutOneThereIsNothingToWaitFor() {
        EarlyHistories early;
        SessionVariant kept = kept_.variants.front();
        kept.history = {};
        QVERIFY(!early.beginOne(kept, kept_.graph, folder_->path(), [] { QFAIL("there was nothing"); }));
        QTest::qWait(50);
    }

    /// As in a network folder that is gone: a pipe that nobody writes into.
    void aFolderThatDoesNotAnswerIsNotWaitedForForEver() {
        const QDir histories(folder_->filePath("histories"));
        const QStringList files = histories.entryList(QDir::Files);
        QVERIFY(!files.isEmpty());
        const QString file = histories.filePath(files.front());
        QVERIFY(QFile::remove(file));
        QCOMPARE(mkfifo(QFile::encodeName(file).constData(), 0600), 0);
        EarlyHistories early;
        bool read = false;
        QVERIFY(early.beginOne(kept_.variants.front(), kept_.graph, folder_->path(), [&] { read = true; }));
        QTRY_VERIFY_WITH_TIMEOUT(read, 10'000);
        QVERIFY(early.of(kept_.variants.front()) && !early.of(kept_.variants.front())->history);
        QCOMPARE(early.of(kept_.variants.front())->problem, FileLooks::silence(folder_->path()));
        // Who waits for it goes on.
        const int written = ::open(QFile::encodeName(file).constData(), O_WRONLY | O_NONBLOCK);
        if (written >= 0) ::close(written);
    }

    void whatCannotBeReadIsTold() {
        QDir(folder_->filePath("histories")).removeRecursively();
        EarlyHistories early;
        early.begin(&kept_, folder_->path())({});
        QStringList told;
        QVERIFY(!openedWithoutFiles(early, told));
        QCOMPARE(told.size(), 1);
        QVERIFY2(told.front().contains("can no longer be undone") && told.front().contains("histories"),
                 qPrintable(told.front()));
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::EarlyHistoriesTest)
#include "early_histories_test.moc"
