#include "ui/session/plan_file_watch.h"

#include <QSignalSpy>
#include <cstdio>

#include "tests/ui/ui_test_support.h"
#include "ui/files/file_digest.h"

namespace overlap::ui {

/// When a plan's file is found to be changed.
class PlanFileWatchTest : public QObject {
    Q_OBJECT

    static void write(const QString& path, const QByteArray& content, bool replace) {
        QFile file(replace ? path + ".new" : path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        // As most programs save: the name is never without a file.
        if (replace) QCOMPARE(std::rename(file.fileName().toUtf8().constData(), path.toUtf8().constData()), 0);
    }

  private slots:
    void aChangeIsToldWithoutALookAndTakenBack_data() {
        QTest::addColumn<bool>("replace");
        QTest::newRow("written in place") << false;
        QTest::newRow("replaced") << true;
    }

    void aChangeIsToldWithoutALookAndTakenBack() {
        QFETCH(bool, replace);
        const QTemporaryDir folder;
        const QString path = folder.filePath("own.plan.json");
        write(path, "saved", replace);
        const auto document = openDocument();
        PlanFileWatch watch(*document);
        document->current()->setSaved(path, fileDigest(path));
        document->addCopyOfCurrent();  // its tab is not in front
        QSignalSpy changed(&watch, &PlanFileWatch::changed), restored(&watch, &PlanFileWatch::restored);
        for (int change = 1; change <= 3; ++change) {
            write(path, "changed " + QByteArray::number(change), replace);
            QTRY_COMPARE(changed.count(), change);
            QCOMPARE(changed.back()[0].toULongLong(), document->variant(1).key());
        }
        QCOMPARE(restored.count(), 0);
        write(path, "saved", replace);
        QTRY_COMPARE(restored.count(), 1);
        // A file that is gone is no matter; one that comes back is.
        QVERIFY(QFile::remove(path));
        write(path, "changed 3", replace);
        QTRY_COMPARE(changed.count(), 4);
    }

    void aFileThatIsReadAtOnceIsToldOfLaterAndWatchedOn() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("own.plan.json");
        const auto document = openDocument();
        document->current()->setSaved(path, "of what was saved");
        // So long that what was read is there before look() returns.
        PlanFileWatch watch(*document, nullptr, std::chrono::minutes(1));
        QSignalSpy changed(&watch, &PlanFileWatch::changed);
        for (int change = 1; change <= 2; ++change) {
            QFile own(path);
            QVERIFY(own.open(QIODevice::Append));
            own.write("changed");
            own.close();
            watch.look();
            QVERIFY(watch.busy());
            QCOMPARE(changed.count(), change - 1);
            QTRY_VERIFY(!watch.busy());
            QCOMPARE(changed.count(), change);
            QCOMPARE(changed.back()[1].toString(), path);
        }
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::PlanFileWatchTest)
#include "plan_file_watch_test.moc"
