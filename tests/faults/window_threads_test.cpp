// What the window leaves to other threads, where none can be started: it is done all the same, or there is a sentence.

#include <unistd.h>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <cerrno>
#include <memory>
#include <utility>

#include "core/io/plan/plan_file.h"
#include "tests/faults/system_faults.h"
#include "tests/ui/ui_test_support.h"
#include "ui/advice/advice_search.h"
#include "ui/document/background_evaluator.h"
#include "ui/document/evaluation_failure.h"
#include "ui/files/file_looks.h"
#include "ui/files/write_file.h"
#include "ui/session/plan_saver.h"
#include "ui/session/session.h"
#include "ui/session/session_writer.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {
namespace {

/// No thread can be started for as long as it lives.
class NoThreads {
  public:
    NoThreads() { test::begin_faults({test::Call::thread, 1, EAGAIN, true, "/"}); }
    ~NoThreads() { test::end_faults(); }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;
};

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// A session with one plan, for writing.
SessionSnapshot snapshotOf(const QByteArray& plan) {
    SessionSnapshot snapshot;
    snapshot.state.put({"/graphs/a.graph.json", {{plan, QString(), true}}, 1, 0, 0});
    return snapshot;
}

}  // namespace

class WindowThreadsTest : public QObject {
    Q_OBJECT

  private slots:
    // The first four: there is no thread of an earlier task that would do it.
    void aGraphIsOpened() {
        const NoThreads none;
        Document document;
        QSignalSpy failed(&document.loader(), &GraphLoader::failed);
        document.openGraph(smallGraphFile());
        QVERIFY(document.loading());  // it is delivered as it always is, after the call
        QTRY_VERIFY(!document.loading());
        QVERIFY(document.isOpen());
        QCOMPARE(document.graph()->node_count(), loadGraph(smallGraphFile()).graph->node_count());
        document.openGraph(smallGraphFile() + ".gone");
        QTRY_COMPARE(failed.count(), 1);
        QVERIFY2(failed.front()[1].toString().contains(".gone"), qPrintable(failed.front()[1].toString()));
    }

    void adviceThatFailedHasNotFoundNothing() {
        const LoadedGraph loaded = loadGraph(smallGraphFile());
        const auto evaluation = evaluate(loaded.graph, loaded.empty_plan);
        AdviceSearch search;
        QSignalSpy progressed(&search, &AdviceSearch::progressed);
        {
            const NoThreads none;
            search.start(evaluation, most_exposed(*evaluation, 1), false);
            QVERIFY(!search.busy() && !search.finished());
            progressed.clear();
            QTRY_VERIFY(!progressed.isEmpty());  // who shows it hears of it
        }
    }

    void aPlanThatIsNotEvaluatedIsToldOf() {
        const LoadedGraph loaded = loadGraph(smallGraphFile());
        const NoThreads none;
        BackgroundEvaluator evaluator;
        QSignalSpy failed(&evaluator, &BackgroundEvaluator::failed);
        evaluator.request(loaded.graph, loaded.empty_plan, 7);
        QVERIFY(!evaluator.busy());
        QVERIFY2(failed.isEmpty(), "who asks does not know yet what it has asked for");
        QTRY_COMPARE(failed.count(), 1);
        QCOMPARE(failed[0][0].value<quint64>(), 7u);
        QVERIFY2(failed[0][1].toString().startsWith("No further thread can be started"),
                 qPrintable(failed[0][1].toString()));
        // The document has it as the reason why there are no figures.
        Document document;
        document.setGraph(loaded);
        QTRY_VERIFY2(whyNotEvaluated(document).startsWith("The plan could not be evaluated: No further thread"),
                     qPrintable(whyNotEvaluated(document)));
    }

    void aTaskEndsWithASentence() {
        QStringList told;
        LatestTask::whenTasksFail([&](const QString& reason) { told.append(reason); });
        LatestTask task;
        const auto deliver = [](bool& delivered) {
            return [&](std::stop_token) -> LatestTask::Delivery { return [&] { delivered = true; }; };
        };
        bool first = false, second = false;
        {
            const NoThreads none;
            task.start(deliver(first));
            QCOMPARE(told.size(), 1);
            QVERIFY2(told[0].startsWith("No further thread can be started"), qPrintable(told[0]));
            QVERIFY(!task.busy());
        }
        task.start(deliver(second));
        QTRY_VERIFY(second);
        QVERIFY(!first);
        LatestTask::whenTasksFail({});
    }

    void adviceThatLookedAtAllHasFinished() {
        const LoadedGraph loaded = loadGraph(smallGraphFile());
        const auto evaluation = evaluate(loaded.graph, loaded.empty_plan);
        AdviceSearch search;
        search.start(evaluation, most_exposed(*evaluation, 1), false);
        QTRY_VERIFY_WITH_TIMEOUT(search.finished(), 60'000);
        QVERIFY(search.tried() > 0 && !search.busy());
        search.cancel();
        QVERIFY(!search.finished());
    }

    void aGraphForWhichThereIsNoMemoryIsToldOf() {
        unsigned long all = 0;  // allocations until the graph is read, but not delivered here
        {
            Document document;
            test::begin_faults({test::Call::memory, 0, ENOMEM, false, "/"});
            document.openGraph(smallGraphFile());
            for (unsigned long before = 0; all == 0 || before != all; all = test::calls_of(test::Call::memory)) {
                before = all;
                usleep(300'000);
            }
            test::end_faults();
            QTRY_VERIFY(document.isOpen());
        }
        int failures = 0;
        for (const unsigned long quarters : {1, 2, 3}) {  // most are of the thread that reads: this one makes few
            Document document;
            QSignalSpy failed(&document.loader(), &GraphLoader::failed);
            test::begin_faults({test::Call::memory, all * quarters / 4, ENOMEM, false, "/"});
            document.openGraph(smallGraphFile());
            for (int tenths = 0; tenths < 100 && !test::has_failed(); ++tenths) usleep(100'000);
            test::end_faults();
            QVERIFY2(test::has_failed(), qPrintable(QString::number(quarters)));
            QTRY_VERIFY(!document.loading());
            QVERIFY(document.isOpen() != !failed.isEmpty());
            if (failed.isEmpty()) continue;
            ++failures;
            const QString reason = failed[0][1].toString();
            QVERIFY2(reason.contains("there is not enough memory", Qt::CaseInsensitive), qPrintable(reason));
        }
        QVERIFY(failures > 0);
    }

    void theSessionIsStoredAtOnce() {
        const QTemporaryDir folder;
        const auto session = std::make_shared<Session>(folder.path());
        auto none = std::make_unique<NoThreads>();
        {
            SessionWriter writer(session);
            writer.write(snapshotOf("plan 1"));
            QVERIFY(contentOf(session->file()).contains("plan 1"));
            QCOMPARE(writer.flush(), QString());
            none.reset();
            writer.write(snapshotOf("plan 2"));
            QCOMPARE(writer.flush(), QString());
        }
        QVERIFY(contentOf(session->file()).contains("plan 2"));
    }

    void aPlanIsSaved() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        const std::unique_ptr<Document> document = openDocument();
        PlanSaver saver(*document);
        const NoThreads none;
        const auto outcome = saver.save(1, path, false);
        QVERIFY(outcome);
        QCOMPARE(outcome->result, PlanSaver::Result::saved);
        QVERIFY(read_plan_file(path.toStdString()) == document->variant(1).plan());
        QCOMPARE(document->variant(1).filePath(), path);
        QCOMPARE(saver.underWay(), QStringList());
        // Once more, under a name that cannot be written: that is said of the file.
        const auto refused = saver.save(1, folder.filePath("gone/a.plan.json"), false);
        QCOMPARE(refused->result, PlanSaver::Result::failed);
        QVERIFY2(refused->problem.contains("gone/a.plan.json"), qPrintable(refused->problem));
    }

    void anExportIsWritten() {
        const QTemporaryDir folder;
        const NoThreads none;
        QCOMPARE(exportFile(folder.filePath("a.csv"), "a,b"), QString());
        QCOMPARE(contentOf(folder.filePath("a.csv")), "a,b");
        QVERIFY(exportFile(folder.filePath("gone/a.csv"), "a,b").contains("gone/a.csv"));
        QCOMPARE(exportFile(folder.filePath("a.csv"), "c,d"), QString());  // it is not under way any more
        QCOMPARE(contentOf(folder.filePath("a.csv")), "c,d");
    }

    void aFileIsLookedAt() {
        const NoThreads none;
        FileLooks looks;
        QVERIFY(looks.answers(smallGraphFile()));
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::WindowThreadsTest)
#include "window_threads_test.moc"
