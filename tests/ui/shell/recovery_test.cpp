// What a person has after a run that was cut off, and where files cannot be written.

#include <QClipboard>
#include <QGuiApplication>
#include <QToolButton>

#include "tests/support/faults.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/panels/log.h"
#include "ui/shell/files/save_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/recovery_controller.h"
#include "ui/shell/session_controller.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

class RecoveryTest : public QObject {
    Q_OBJECT

    static void open(MainWindow& window, const QString& graph = smallGraphFile()) {
        window.show();
        window.openFiles({graph});
        QTRY_VERIFY_WITH_TIMEOUT(window.document().isOpen() && window.idle(), 60'000);
    }

    static void edit(MainWindow& window, const QString& bucket) {
        QCOMPARE(BucketCommands(window.document()).addText(bucket), QString());
    }

    static QByteArray contentOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    static std::size_t bucketsIn(MainWindow& window, int variant) {
        return window.document().variant(variant).plan().buckets.size();
    }

  private slots:
    void aRunThatWasCutOffIsToldWithItsPlans() {
        QTemporaryDir folder;
        const QString saved = folder.filePath("saved.plan.json");
        {
            MainWindow window(folder.path());
            open(window);
            edit(window, "layers.0");
            QVERIFY(window.saves().savePlanAs(saved));
            edit(window, "layers.1");
            window.document().addCopyOfCurrent();
            window.document().renameCurrent("%1 <b>of</b> mine");
            QCOMPARE(window.session().store(), QString());
            // No close event: as if the process had been killed.
        }
        MainWindow window(folder.path());
        open(window);
        QCOMPARE(window.recovery().plans().size(), 2u);
        const QString details = window.workspace().notice().details().join("\n");
        QVERIFY2(
            details.contains("Plan A of llama3_debugmodel_fsdp8") && details.contains("%1 <b>of</b> mine of llama3"),
            qPrintable(details));
        QVERIFY2(window.workspace().notice().text().contains("cut off") &&
                     window.workspace().notice().text().contains("2 plans"),
                 qPrintable(window.workspace().notice().text()));
        QCOMPARE(window.document().variantCount(), 3);
        QCOMPARE(bucketsIn(window, 1), 2u);

        // Discarding opens the file as it was saved; what was recovered can still be reopened.
        QToolButton* discard = window.workspace().notice().button("Discard recovered edits");
        QVERIFY(discard);
        discard->click();
        QTRY_COMPARE(window.document().variantCount(), 2);
        QCOMPARE(window.document().variant(1).filePath(), saved);
        QCOMPARE(bucketsIn(window, 1), 1u);
        QVERIFY(!window.document().variant(1).modified());
        QVERIFY(window.recovery().plans().empty());
        QVERIFY(!window.actions().find("plan.discardRecovered")->isEnabled());
        window.actions().find("plan.reopen")->trigger();
        QTRY_COMPARE(window.document().variantCount(), 3);
        QVERIFY(window.document().current()->modified());
    }

    void recoveredEditsAreToldBesideFilesThatChanged() {
        QTemporaryDir folder;
        const QString saved = folder.filePath("saved.plan.json");
        {
            MainWindow window(folder.path());
            open(window);
            QVERIFY(window.saves().savePlanAs(saved));
            edit(window, "layers.0");
            QCOMPARE(window.session().store(), QString());
        }
        QFile file(saved);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Append));
        file.write("\n");
        file.close();
        QFile report(folder.filePath("crash-1.txt"));
        QVERIFY(report.open(QIODevice::WriteOnly) && report.write("report of the crash") > 0);
        report.close();
        MainWindow window(folder.path());
        open(window);
        QVERIFY2(window.workspace().notice().text().contains("crashed when it last ran") &&
                     window.workspace().notice().text().contains("Unsaved edits are back") &&
                     window.workspace().notice().text().contains("changed on disk"),
                 qPrintable(window.workspace().notice().text()));
        QVERIFY(window.workspace().notice().button("Discard recovered edits"));
        QCOMPARE(window.document().variantCount(), 3);
        int recovered = 0;
        const Log& log = *window.findChild<Log*>();
        for (int row = 0; row < log.rowCount(); ++row)
            recovered += log.index(row, 0).data(Qt::ToolTipRole).toString().startsWith("Recovered ");
        QCOMPARE(recovered, 1);
        window.workspace().notice().button("Copy report")->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), "report of the crash");
        QVERIFY2(window.workspace().notice().button("Discard recovered edits"), "what else was told stays");
        QVERIFY(!window.workspace().notice().text().contains("crashed when it last ran"));
    }

    void whatWasWorkedOnIsNotDiscarded() {
        QTemporaryDir folder;
        {
            MainWindow window(folder.path());
            open(window);
            edit(window, "layers.0");
            window.session().store();
        }
        MainWindow window(folder.path());
        open(window);
        edit(window, "layers.1");
        window.actions().find("plan.discardRecovered")->trigger();
        QCOMPARE(window.document().variantCount(), 2);
        QCOMPARE(bucketsIn(window, 1), 2u);
    }

    void plansOfAGraphThatIsNotOpenAreDiscardedToo() {
        QTemporaryDir folder;
        const QString other =
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz");
        {
            MainWindow window(folder.path());
            open(window);
            edit(window, "layers.0");
            window.session().store();
        }
        MainWindow window(folder.path());
        open(window, other);
        QCOMPARE(window.recovery().plans().size(), 1u);
        window.actions().find("plan.discardRecovered")->trigger();
        window.openFiles({smallGraphFile()});
        QTRY_COMPARE_WITH_TIMEOUT(window.document().loaded().path, smallGraphFile(), 60'000);
        QCOMPARE(bucketsIn(window, 1), 0u);
        window.actions().find("plan.reopen")->trigger();
        QTRY_COMPARE(window.document().buckets().size(), 1u);
    }

    void aRunThatEndedIsNotRecovered() {
        QTemporaryDir folder;
        {
            MainWindow window(folder.path());
            open(window);
            edit(window, "layers.0");
            QVERIFY(window.close());
        }
        MainWindow window(folder.path());
        open(window);
        QVERIFY(window.recovery().plans().empty());
        QCOMPARE(window.workspace().notice().text(), QString());
        QCOMPARE(bucketsIn(window, 1), 1u);
    }

    void theVersionBeforeCanBeOpened() {
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        MainWindow window;
        open(window);
        edit(window, "layers.0");
        QVERIFY(window.saves().savePlanAs(path));
        QVERIFY2(!QFile::exists(path + "~"), "there is nothing older yet");
        const QByteArray first = contentOf(path);
        edit(window, "layers.1");
        QVERIFY(window.saves().savePlan());
        QVERIFY(window.saves().savePlan());
        QCOMPARE(contentOf(path + "~"), first);
        window.actions().find("plan.older")->trigger();
        QCOMPARE(window.document().variantCount(), 3);
        QCOMPARE(window.document().buckets().size(), 1u);
        QCOMPARE(window.document().current()->filePath(), QString());
        QVERIFY(window.document().current()->modified());
        QVERIFY(window.document().current()->title().endsWith("version before"));
        QCOMPARE(contentOf(path + "~"), first);
    }

    void aFullDiskCostsNoEdit() {
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        MainWindow window(folder.filePath("session"));
        open(window);
        edit(window, "layers.0");
        QVERIFY(window.saves().savePlanAs(path));
        const QByteArray saved = contentOf(path);
        window.session().store();
        {
            const test::FullDisk disk(100);
            edit(window, "layers.1");
            QVERIFY(!window.saves().savePlan());
            QVERIFY2(window.workspace().notice().text().contains(path + ": it cannot be written: File too large"),
                     qPrintable(window.workspace().notice().text()));
            QVERIFY(window.session().store().contains("File too large"));
            QTRY_VERIFY(window.workspace().notice().text().contains("The session could not be stored: "));
            QVERIFY2(window.workspace().notice().text().contains(path + ": it cannot be written"),
                     "one sentence has taken the place of the other");
            QVERIFY2(!window.close(), "closing would lose the edit");
            QVERIFY(window.workspace().notice().text().contains("close the window once more to lose them"));
        }
        QCOMPARE(contentOf(path), saved);
        QVERIFY(window.document().current()->modified());
        QCOMPARE(window.session().store(), QString());
        QVERIFY(contentOf(folder.filePath("session/session.json")).contains("layers.1"));
        QVERIFY(window.saves().savePlan());
    }

    void aSessionThatIsStoredAgainIsNotToldOfAnyMore() {
        QTemporaryDir folder;
        MainWindow window(folder.filePath("session"));
        open(window);
        {
            const test::FullDisk disk(100);
            edit(window, "layers.0");
            QTRY_VERIFY(window.workspace().notice().text().contains("Edits stay in this window meanwhile"));
        }
        edit(window, "layers.1");
        QTRY_VERIFY(!window.workspace().notice().text().contains("Edits stay in this window meanwhile"));
    }

    void aFolderThatVanishesCostsNoEdit() {
        QTemporaryDir folder;
        const QString gone = folder.filePath("network");
        QVERIFY(QDir().mkpath(gone));
        const QString graph = gone + "/g.graph.json.gz";
        const QString path = gone + "/a.plan.json";
        QVERIFY(QFile::copy(smallGraphFile(), graph));
        {
            MainWindow window(folder.filePath("session"));
            open(window, graph);
            edit(window, "layers.0");
            QVERIFY(window.saves().savePlanAs(path));
            QVERIFY(QDir(gone).removeRecursively());
            edit(window, "layers.1");
            QVERIFY(!window.saves().savePlan());
            QVERIFY2(
                window.workspace().notice().text().contains(path + ": it cannot be written: No such file or directory"),
                qPrintable(window.workspace().notice().text()));
            QVERIFY(window.document().current()->modified());
            QCOMPARE(window.session().store(), QString());
        }
        // The next start without the folder tells it, and has the plan once the graph is back.
        MainWindow window(folder.filePath("session"));
        window.openSessionOrSample();
        QTRY_VERIFY_WITH_TIMEOUT(window.document().isOpen() && window.idle(), 60'000);
        QVERIFY2(window.workspace().notice().text().contains(graph + " is gone"),
                 qPrintable(window.workspace().notice().text()));
        QVERIFY(QDir().mkpath(gone));
        QVERIFY(QFile::copy(smallGraphFile(), graph));
        window.openFiles({graph});
        QTRY_COMPARE_WITH_TIMEOUT(window.document().loaded().path, graph, 60'000);
        QCOMPARE(bucketsIn(window, 1), 2u);
        QVERIFY2(window.document().variant(1).modified(), "its file is gone: the plan is kept, unsaved");
    }

    void aPlanFileDeletedWhileOpenIsWrittenAnew() {
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        MainWindow window;
        open(window);
        edit(window, "layers.0");
        QVERIFY(window.saves().savePlanAs(path));
        QVERIFY(QFile::remove(path));
        edit(window, "layers.1");
        QVERIFY(window.saves().savePlan());
        QVERIFY(contentOf(path).contains("layers.1"));
    }

    void aFolderThatMustNotBeWrittenToIsTold() {
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        MainWindow window;
        open(window);
        edit(window, "layers.0");
        QVERIFY(window.saves().savePlanAs(path));
        const QByteArray saved = contentOf(path);
        // The file is anybody's; what hinders is the folder.
        QVERIFY(
            QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup | QFile::WriteGroup));
        QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::ExeOwner | QFile::ReadGroup |
                                                         QFile::ExeGroup | QFile::ReadOther | QFile::ExeOther));
        edit(window, "layers.1");
        {
            const test::OrdinaryUser user;
            QVERIFY(!window.saves().savePlan());
        }
        QVERIFY2(window.workspace().notice().text().contains(path + ": it cannot be written: Permission denied"),
                 qPrintable(window.workspace().notice().text()));
        QCOMPARE(contentOf(path), saved);
        QVERIFY(window.document().current()->modified());
        QVERIFY(QFile::setPermissions(folder.path(), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        QVERIFY(window.saves().savePlan());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::RecoveryTest)
#include "recovery_test.moc"
