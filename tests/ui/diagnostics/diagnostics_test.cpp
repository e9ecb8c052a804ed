#include "ui/diagnostics/diagnostics.h"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "ui/diagnostics/companion_versions.h"
#include "ui/diagnostics/crash_report.h"
#include "ui/diagnostics/log_file.h"
#include "ui/tasks/signal_stack.h"

#ifdef __clang__
#define AS_WRITTEN __attribute__((noinline, optnone))
#else
#define AS_WRITTEN __attribute__((noipa, optimize("O0")))
#endif

/// Outside of any namespace, with a name that the backtrace can be searched for; as written, so that it has a frame.
AS_WRITTEN void crashHereOnPurpose(const char* how) {
    if (std::strcmp(how, "exception") == 0) throw std::runtime_error("nobody catches this");
    if (std::strcmp(how, "overflow") == 0) {
        volatile char large[1 << 16];
        large[0] = how[0];
        crashHereOnPurpose(how);
        large[1] = large[0];
        return;
    }
    if (std::strcmp(how, "overflow of a thread") == 0) {
        std::thread([] {
            const overlap::ui::SignalStack stack;
            crashHereOnPurpose("overflow");
        }).join();
    }
    std::raise(std::strcmp(how, "abort") == 0 ? SIGABRT : SIGSEGV);
}

namespace overlap::ui {

class DiagnosticsTest : public QObject {
    Q_OBJECT

    static int crash(const QString& how, const QString& folder, QByteArray* said = nullptr,
                     const QString& session = QStringLiteral("kept")) {
        QProcess process;
        process.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--crash"), how, folder, session});
        if (!process.waitForFinished(30'000)) return -1;
        if (said) *said = process.readAllStandardError();
        return process.exitStatus() == QProcess::CrashExit ? 1 : 0;
    }

    static QByteArray readFile(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

  private slots:
    void aCrashLeavesAReadableReport_data() {
        QTest::addColumn<QString>("how");
        QTest::addColumn<QString>("reason");
        QTest::newRow("segmentation fault") << "segv"
                                            << "SIGSEGV";
        QTest::newRow("abort") << "abort"
                               << "SIGABRT";
        QTest::newRow("exception") << "exception"
                                   << "nobody catches this";
        QTest::newRow("stack overflow") << "overflow"
                                        << "SIGSEGV";
        QTest::newRow("stack overflow of a thread") << "overflow of a thread"
                                                    << "SIGSEGV";
    }

    void aCrashLeavesAReadableReport() {
        QFETCH(QString, how);
        QFETCH(QString, reason);
        QTemporaryDir folder;
        QByteArray said;
        QCOMPARE(crash(how, folder.path(), &said), 1);
        const std::vector<CrashReport> reports = takeCrashReports(folder.path());
        QCOMPARE(reports.size(), std::size_t{1});
        QVERIFY2(reports[0].text.contains(reason), qPrintable(reports[0].text));
        QVERIFY2(reports[0].text.contains(u"Overlap Studio 9.8.7"), qPrintable(reports[0].text));
        QVERIFY2(reports[0].text.contains(u"crashHereOnPurpose(char const*)"), qPrintable(reports[0].text));
        // Under the name that was printed, also when a start has told of it.
        QVERIFY2(said.contains("the report is in " + QFile::encodeName(reports[0].file) + ", and the plans come back"),
                 said.constData());
        QVERIFY(QFile::exists(reports[0].file));
        QCOMPARE(takeCrashReports(folder.path()).size(), std::size_t{0});
        QVERIFY(QFile::exists(reports[0].file));
    }

    void aCrashWithoutASessionPromisesNothing() {
        QTemporaryDir folder;
        QByteArray said;
        QCOMPARE(crash("segv", folder.path(), &said, "fresh"), 1);
        QVERIFY2(said.contains("the report is in"), said.constData());
        QVERIFY2(said.contains("edits that were not saved are lost"), said.constData());
        QVERIFY2(!said.contains("come back"), said.constData());
    }

    void aCrashOfAProcessWithTheNumberOfAnOlderOneIsTold() {
        QTemporaryDir folder;
        QProcess process;
        process.start(QCoreApplication::applicationFilePath(),
                      {QStringLiteral("--crash"), QStringLiteral("input"), folder.path(), QStringLiteral("kept")});
        QVERIFY(process.waitForStarted());
        const QString stem = folder.filePath(QStringLiteral("crash-%1").arg(process.processId()));
        for (const char* suffix : {".txt", ".told"}) {
            QFile file(stem + QLatin1String(suffix));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        QCOMPARE(takeCrashReports(folder.path()).size(), std::size_t{0});
        process.write("now\n");
        QVERIFY(process.waitForFinished(30'000));
        const std::vector<CrashReport> reports = takeCrashReports(folder.path());
        QCOMPARE(reports.size(), std::size_t{1});
        QCOMPARE(reports[0].file, stem + ".txt");
        QVERIFY(reports[0].text.contains(u"SIGSEGV"));
    }

    void aReportThatSomebodyElseTellsOfIsNotTold() {
        QTemporaryDir folder;
        for (const char* name : {"crash-1.txt", "crash-1.told", "crash-2.txt", "crash-3.told", "told-crash-4.txt"}) {
            QFile file(folder.filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        const std::vector<CrashReport> reports = takeCrashReports(folder.path());
        QCOMPARE(reports.size(), std::size_t{1});
        QCOMPARE(reports[0].file, folder.filePath("crash-2.txt"));
        // crash-3.txt was removed by a person; told-crash-4.txt is of an older version.
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files, QDir::Name),
                 QStringList({"crash-1.told", "crash-1.txt", "crash-2.told", "crash-2.txt", "told-crash-4.txt"}));
    }

    void aThreadHasItsStackForSignalsForAsLongAsItSays() {
        stack_t before{}, during{}, after{};
        std::thread([&] {
            sigaltstack(nullptr, &before);
            {
                const SignalStack stack;
                sigaltstack(nullptr, &during);
            }
            sigaltstack(nullptr, &after);
        }).join();
        QCOMPARE(during.ss_flags & SS_DISABLE, 0);
        QVERIFY(during.ss_sp != before.ss_sp);
        QCOMPARE(after.ss_sp, before.ss_sp);
        QCOMPARE(after.ss_flags, before.ss_flags);
    }

    void aReportIsToldOnceAndOldOnesGo() {
        QTemporaryDir folder;
        for (int i = 0; i < 13; ++i) {
            QFile file(folder.filePath(QStringLiteral("crash-%1.txt").arg(100 + i)));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write("something");
        }
        QCOMPARE(takeCrashReports(folder.path()).size(), std::size_t{13});
        QCOMPARE(takeCrashReports(folder.path()).size(), std::size_t{0});
        QCOMPARE(QDir(folder.path()).entryList({"*.txt"}, QDir::Files).size(), qsizetype{10});
        QCOMPARE(QDir(folder.path()).entryList({"*.told"}, QDir::Files).size(), qsizetype{10});
    }

    void linesOfTheLogAreOneLineEachAndHaveLevelAndCategory() {
        QTemporaryDir folder;
        QCOMPARE(startLogFile(folder.path()), QString());
        qCInfo(windowLog).noquote() << "opened a\nb";
        qCWarning(windowLog).noquote() << "could not save";
        qCDebug(windowLog).noquote() << "not by default";
        const QByteArray text = readFile(folder.filePath("log.txt"));
        QVERIFY2(text.contains("info overlap.window: opened a b\n"), text.constData());
        QVERIFY2(text.contains("warning overlap.window: could not save\n"), text.constData());
        QVERIFY2(!text.contains("not by default"), text.constData());
        QCOMPARE(text.count('\n'), 2);
        QCOMPARE(lastLogLines(1).size(), qsizetype{1});
        QVERIFY(lastLogLines(1).front().endsWith(u"could not save"));
    }

    void aLogThatHasGrownStartsAnewAndKeepsOneOlder() {
        QTemporaryDir folder;
        QCOMPARE(startLogFile(folder.path()), QString());
        const QString line(10'000, u'x');
        for (int i = 0; i < 250; ++i) qCInfo(windowLog).noquote() << line;
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files), QStringList({"log.1.txt", "log.txt"}));
        QVERIFY(QFileInfo(folder.filePath("log.txt")).size() < (1 << 20) + 20'000);
        QVERIFY(QFileInfo(folder.filePath("log.1.txt")).size() < (1 << 20) + 20'000);
    }

    void aFolderThatCannotBeWrittenIsASentence() {
        QTemporaryDir folder;
        QFile file(folder.filePath("file"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const QString problem = startLogFile(folder.filePath("file/below"));
        QVERIFY2(problem.contains(u"cannot be written"), qPrintable(problem));
        qCInfo(windowLog) << "still kept in memory";
        QVERIFY(lastLogLines(1).front().contains(u"still kept"));
    }

    void whatTheRunnerFindsIsPutIntoLines() {
        const QStringList none = runnerLines(
            R"({"format":"overlap-devices","version":1,"devices":[],"reason":"CUDA: no driver","libraries":{"nccl":"2.28.9"},)"
            R"("mpi":"Open MPI v4.1.4"})");
        QCOMPARE(none, QStringList({"GPU: none. CUDA: no driver", "Runner: nccl 2.28.9", "Open MPI v4.1.4"}));
        const QStringList one = runnerLines(
            R"({"format":"overlap-devices","devices":[{"index":0,"name":"H100","memory_bytes":85899345920}],"mpi":""})");
        QCOMPARE(one.front(), QString("GPU 0: H100, 80.0 GiB"));
        QVERIFY(runnerLines("not JSON").front().contains(u"no answer"));
    }

    void companionsAreAskedOrSaidToBeMissing() {
        // Beside this test there is neither; a build folder has them, an installation elsewhere.
        CompanionVersions companions;
        QVERIFY(QTest::qWaitFor([&] { return companions.complete(); }, 20'000));
        QVERIFY(companions.lines().size() >= 2);
    }

    void diagnosticsNameVersionMachineAndLog() {
        QTemporaryDir folder;
        QCOMPARE(startLogFile(folder.path()), QString());
        qCWarning(windowLog).noquote() << "a line to find";
        const QString text = diagnosticsText({"Graphviz 1.2"}, "open: 3 nodes", "/somewhere");
        for (const char* part : {"Overlap Studio", "Qt ", "cores", "Graphviz 1.2", "open: 3 nodes", "/somewhere",
                                 "warning overlap.window: a line to find"})
            QVERIFY2(text.contains(QLatin1String(part)), part);
    }
};

}  // namespace overlap::ui

int main(int argument_count, char** arguments) {
    if (argument_count == 5 && std::strcmp(arguments[1], "--crash") == 0) {
        overlap::ui::installCrashReports(QString::fromLocal8Bit(arguments[3]), QStringLiteral("9.8.7"),
                                         std::strcmp(arguments[4], "kept") == 0);
        if (std::strcmp(arguments[2], "input") == 0) std::getchar();
        crashHereOnPurpose(arguments[2]);
        return 0;
    }
    QApplication application(argument_count, arguments);
    overlap::ui::DiagnosticsTest test;
    return QTest::qExec(&test, argument_count, arguments);
}

#include "diagnostics_test.moc"
