#include <sys/stat.h>

#include <QSignalSpy>
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/file_digest.h"
#include "ui/files/file_kind.h"

namespace overlap::ui {

/// Graphs that are read for a document: what becomes of it where that fails, is cancelled or goes on.
class GraphLoadingTest : public QObject {
    Q_OBJECT

    static inline const QString sample = QStringLiteral(":/samples/llama3_8b_fsdp128.prebucket.graph.json.gz");

  private slots:
    void aFailedLoadLeavesTheDocument_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("not JSON") << QByteArray("hello");
        QTest::newRow("another format") << QByteArray(R"({"format": "overlap-plan", "version": 1})");
        QTest::newRow("a version of the future")
            << QByteArray(R"({"format": "overlap-graph", "version": 99, "nodes": []})");
        QTest::newRow("truncated") << QByteArray(
            "{\"format\": \"overlap-graph\", \"version\": 1, \"nodes\": [{\"name\": \"a");
        QFile file(smallGraphFile());
        QVERIFY(file.open(QIODevice::ReadOnly));
        QTest::newRow("truncated gzip") << file.readAll().left(5000);
        QTest::newRow("missing") << QByteArray();
    }

    void aFailedLoadLeavesTheDocument() {
        QFETCH(QByteArray, content);
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        const auto graph = document->graph();
        const Plan plan = document->current()->plan();
        QTemporaryDir folder;
        const QString path = folder.filePath("bad.graph.json");
        if (!content.isEmpty()) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(content);
        }
        QSignalSpy failed(&document->loader(), &GraphLoader::failed);
        document->openGraph(path);
        QTRY_COMPARE(failed.count(), 1);
        const QString reason = failed[0][1].toString();
        QVERIFY2(reason.contains("bad.graph.json"), qPrintable(reason));
        QVERIFY(!reason.contains(u'\n'));
        QCOMPARE(document->graph(), graph);
        QVERIFY(document->current()->plan() == plan);
    }

    /// What the thread has told of a file is not told any more once another one is wanted, or none.
    void progressIsToldOfTheNewestFileAlone() {
        Document document;
        QSignalSpy started(&document.loader(), &GraphLoader::started);
        QSignalSpy loaded(&document.loader(), &GraphLoader::loaded);
        std::vector<double> shares;
        int late = 0;
        connect(&document.loader(), &GraphLoader::started, this, [&] { shares.clear(); });
        connect(&document.loader(), &GraphLoader::progressed, this, [&](double share) {
            shares.push_back(share);
            if (!document.loader().busy()) ++late;
        });
        document.openGraph(smallGraphFile());
        loadGraph(smallGraphFile());  // the thread has read it meanwhile, and nothing of it has been delivered
        document.openGraph(smallGraphFile());
        QTRY_COMPARE_WITH_TIMEOUT(loaded.count(), 1, 30'000);
        QCOMPARE(started.count(), 2);
        QVERIFY(!shares.empty());
        QVERIFY(std::ranges::is_sorted(shares) && std::ranges::adjacent_find(shares) == shares.end());
        QVERIFY(shares.front() > 0 && shares.back() < 1);
        shares.clear();
        document.openGraph(smallGraphFile());
        loadGraph(smallGraphFile());
        document.loader().cancel();
        QCoreApplication::sendPostedEvents();
        QVERIFY(shares.empty());
        QCOMPARE(late, 0);
    }

    void loadingCanBeCancelled() {
        const auto document = openDocument();
        const auto graph = document->graph();
        QSignalSpy cancelled(&document->loader(), &GraphLoader::cancelled);
        QSignalSpy loaded(&document->loader(), &GraphLoader::loaded);
        document->openGraph(smallGraphFile());
        document->loader().cancel();
        QCOMPARE(cancelled.count(), 1);
        QVERIFY2(!document->loader().busy(), "nothing is delivered any more");
        // The next file is read after it: whatever had come of the one before would have come by then.
        const QString next =
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz");
        document->openGraph(next);
        QTRY_COMPARE_WITH_TIMEOUT(loaded.count(), 1, 30'000);
        QCOMPARE(document->loaded().path, next);
    }

    void aCompanionHasEndedWhenTheGraphIsTold() {
        Document document;
        std::atomic<int> asked = 0, done = 0;
        const std::thread::id here = std::this_thread::get_id();
        document.loader().setCompanions([&](const GraphSource& source) -> GraphLoader::Companion {
            ++asked;
            if (source.file != smallGraphFile()) return {};
            return [&](const std::stop_token&) { done += std::this_thread::get_id() == here ? 100 : 1; };
        });
        int done_when_told = -1;
        connect(&document.loader(), &GraphLoader::loaded, this, [&] { done_when_told = done; });
        document.openGraph(smallGraphFile());
        QCOMPARE(asked.load(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(done_when_told, 1, 30'000);
        document.openGraph(sample);
        QTRY_COMPARE_WITH_TIMEOUT(document.loaded().path, sample, 30'000);
        QCOMPARE(asked.load(), 2);
        QCOMPARE(done.load(), 1);
    }

    void theStampIsThatOfTheFileBeforeItWasRead() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.graph.json.gz");
        QVERIFY(QFile::copy(smallGraphFile(), path));
        const FileStamp stamp = fileStamp(path);
        QVERIFY(stamp.bytes > 0 && stamp.written_ns > 0);
        QVERIFY(loadGraph(path).stamp == stamp);
        QVERIFY2(fileStamp(sample) == FileStamp(), "what is embedded has none");
        // As many bytes, in a new file in its place.
        QVERIFY(QFile::copy(path, folder.filePath("b")));
        QVERIFY(QFile::remove(path) && QFile::rename(folder.filePath("b"), path));
        QVERIFY(fileStamp(path).bytes == stamp.bytes && fileStamp(path) != stamp);
    }

    void filesAreToldByContent() {
        QString reason;
        QCOMPARE(fileKind(smallGraphFile()), FileKind::graph);
        QCOMPARE(fileKind("/nowhere/at/all", &reason), FileKind::unknown);
        QVERIFY(reason.contains("/nowhere/at/all"));
        QTemporaryDir folder;
        const QString pipe = folder.filePath("pipe.plan.json");
        QCOMPARE(mkfifo(QFile::encodeName(pipe).constData(), 0600), 0);
        QCOMPARE(fileKind(pipe, &reason), FileKind::unknown);  // it does not wait
        QCOMPARE(reason, pipe + ": it is a pipe, and a file was expected");
        QCOMPARE(fileDigest(pipe), QByteArray());
        QCOMPARE(fileKind(QStringLiteral(OVERLAP_TEST_DATA "/README.md"), &reason), FileKind::unknown);
        QCOMPARE(fileKind(QStringLiteral(OVERLAP_TEST_DATA "/cost_models/everything.cost.json"), &reason),
                 FileKind::unknown);
        QVERIFY2(reason.contains(QStringLiteral("Plan ▸ Times ▸ Cost model…")), qPrintable(reason));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphLoadingTest)
#include "graph_loading_test.moc"
