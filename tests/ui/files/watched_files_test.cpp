#include "ui/files/watched_files.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace overlap::ui {

class WatchedFilesTest : public QObject {
    Q_OBJECT

    static constexpr int long_ms = 500;  ///< in which what happened would have been told of, several times

    QTemporaryDir folder_;
    QString file_, other_;

    static void write(const QString& file, const QByteArray& content) {
        QFile written(file);
        QVERIFY(written.open(QIODevice::WriteOnly));
        QCOMPARE(written.write(content), content.size());
    }
    /// Watches `file_`, of which it has told that it is new.
    void begin(WatchedFiles& watched, QSignalSpy& touched) {
        watched.watch({file_});
        QTRY_COMPARE(touched.size(), 1);
        QCOMPARE(touched[0][0].toString(), file_);
        QTest::qWait(long_ms);
        QCOMPARE(touched.size(), 1);
        touched.clear();
    }

  private slots:
    void init() {
        file_ = folder_.filePath("watched");
        other_ = folder_.filePath("other");
        write(file_, "one");
        QFile::remove(other_);
    }

    void whatIsWrittenIsToldOnceItStaysSo() {
        WatchedFiles watched;
        QSignalSpy touched(&watched, &WatchedFiles::touched);
        begin(watched, touched);
        for (const char* content : {"t", "tw", "two"}) {
            write(file_, content);
            QTest::qWait(20);
        }
        QTRY_COMPARE(touched.size(), 1);
        QTest::qWait(long_ms);
        QCOMPARE(touched.size(), 1);
    }

    void aFileThatTakesItsPlaceIsToldAndWatched() {
        WatchedFiles watched;
        QSignalSpy touched(&watched, &WatchedFiles::touched);
        begin(watched, touched);
        for (int times = 1; times <= 2; ++times) {
            write(other_, QByteArray("another ").append(QByteArray::number(times)));
            QVERIFY(QFile::remove(file_) && QFile::rename(other_, file_));
            QTRY_COMPARE(touched.size(), times);
        }
        write(file_, "written in place");
        QTRY_COMPARE(touched.size(), 3);
    }

    void oneThatGoesAndComesBackIsTold() {
        WatchedFiles watched;
        QSignalSpy touched(&watched, &WatchedFiles::touched);
        begin(watched, touched);
        QVERIFY(QFile::remove(file_));
        QTRY_COMPARE(touched.size(), 1);
        write(file_, "back");
        QTRY_COMPARE(touched.size(), 2);
    }

    void oneThatIsNotThereYetIsTold() {
        QVERIFY(QFile::remove(file_));
        WatchedFiles watched;
        QSignalSpy touched(&watched, &WatchedFiles::touched);
        begin(watched, touched);
        write(file_, "now");
        QTRY_COMPARE(touched.size(), 1);
    }

    void othersInItsFolderAreNoMatter() {
        WatchedFiles watched;
        QSignalSpy touched(&watched, &WatchedFiles::touched);
        begin(watched, touched);
        write(other_, "other");
        QTest::qWait(long_ms);
        QVERIFY(touched.isEmpty());
    }

    void whatIsNotWatchedAnyMoreIsNotTold() {
        write(other_, "other");
        WatchedFiles watched;
        QSignalSpy touched(&watched, &WatchedFiles::touched);
        begin(watched, touched);
        // The folder is still that of one that is watched.
        watched.watch({other_});
        QTRY_COMPARE(touched.size(), 1);
        QCOMPARE(touched[0][0].toString(), other_);
        write(file_, "two");
        QTest::qWait(long_ms);
        QCOMPARE(touched.size(), 1);
        write(other_, "other two");
        QTRY_COMPARE(touched.size(), 2);
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::WatchedFilesTest)
#include "watched_files_test.moc"
