#include "ui/session/graph_file_watch.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <cstdio>

#include "tests/ui/ui_test_support.h"

namespace overlap::ui {

/// When the file of the open graph is found to be changed.
class GraphFileWatchTest : public QObject {
    Q_OBJECT

    static void replace(const QString& path, const QByteArray& content) {
        QFile file(path + ".new");
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        QCOMPARE(std::rename(file.fileName().toUtf8().constData(), path.toUtf8().constData()), 0);
    }

  private slots:
    void aChangeIsToldAndTakenBack() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.graph.json.gz");
        QVERIFY(QFile::copy(smallGraphFile(), path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray read = file.readAll();
        Document document;
        GraphFileWatch watch(document);
        QSignalSpy changed(&watch, &GraphFileWatch::changed), settled(&watch, &GraphFileWatch::settled);
        document.setGraph(loadGraph(path));
        QTRY_VERIFY(!watch.busy() && watch.knows());
        replace(path, read);  // another file with the same content
        QTest::qWait(500);
        QCOMPARE(changed.count(), 0);
        replace(path, "another graph");
        QTRY_COMPARE(changed.count(), 1);
        QCOMPARE(changed[0][0].toString(), path);
        QVERIFY(QFile::remove(path));
        replace(path, "yet another graph");
        QTRY_COMPARE(changed.count(), 2);
        QCOMPARE(settled.count(), 0);
        replace(path, read);
        QTRY_COMPARE(settled.count(), 1);
        replace(path, "another graph");
        QTRY_COMPARE(changed.count(), 3);
        document.setGraph(loadGraph(smallGraphFile()));
        QCOMPARE(settled.count(), 2);
        replace(path, read);
        QTest::qWait(500);
        QCOMPARE(changed.count(), 3);
    }

    void aFileThatChangedWhileItWasReadIsTold() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("a.graph.json.gz");
        QVERIFY(QFile::copy(smallGraphFile(), path));
        Document document;
        GraphFileWatch watch(document);
        QSignalSpy changed(&watch, &GraphFileWatch::changed);
        const LoadedGraph loaded = loadGraph(path);
        replace(path, "another graph");
        document.setGraph(loaded);
        QTRY_COMPARE(changed.count(), 1);
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::GraphFileWatchTest)
#include "graph_file_watch_test.moc"
