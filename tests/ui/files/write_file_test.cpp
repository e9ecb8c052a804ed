#include "ui/files/write_file.h"

#include <sys/stat.h>

#include <future>

#include "tests/ui/ui_test_support.h"

namespace overlap::ui {

class WriteFileTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    static QByteArray contentOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

  private slots:
    void anExportIsWrittenWhenTheCallReturns() {
        const QString path = folder_.filePath("table.csv");
        QCOMPARE(exportFile(path, "a,b\n", std::chrono::minutes(1)), QString());
        QCOMPARE(contentOf(path), QByteArray("a,b\n"));
    }

    void whyItCannotBeIsTold() {
        const QString problem = exportFile(folder_.filePath("missing/table.csv"), "a,b\n", std::chrono::minutes(1));
        QVERIFY2(problem.contains("missing/table.csv") && problem.contains("No such file"), qPrintable(problem));
    }

    void aFolderThatHangsHoldsTheWindowUpForAMoment() {
        // A pipe that nobody reads hangs as a folder of a network that has gone does.
        const QString path = folder_.filePath("table.csv.pipe");
        QCOMPARE(mkfifo(path.toLocal8Bit().constData(), 0600), 0);
        const QString problem = exportFile(path, "a,b\n", std::chrono::milliseconds(10));
        QVERIFY2(problem.contains("its folder does not answer"), qPrintable(problem));
        // The older one would be written over a newer one.
        const QString newer = exportFile(path, "c,d\n", std::chrono::minutes(1));
        QVERIFY2(newer.contains("is still being written"), qPrintable(newer));
        QSignalSpy late(&LateExports::instance(), &LateExports::finished);
        QCOMPARE(std::async(std::launch::async, contentOf, path).get(), QByteArray("a,b\n"));
        QTRY_COMPARE(late.count(), 1);
        QCOMPARE(late.first(), (QVariantList{path, QString()}));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::WriteFileTest)
#include "write_file_test.moc"
