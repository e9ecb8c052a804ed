#include <QAction>
#include <QDockWidget>
#include <QJsonArray>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/docks/enlarged_part.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/panels/history_panel.h"
#include "ui/panels/problems_panel.h"
#include "ui/shell/files/save_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/session_controller.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// What comes back into the window: plans and edits of the last session, and files that were changed meanwhile.
class WindowSessionTest : public QObject {
    Q_OBJECT

    static QByteArray readFile(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    static void writeFile(const QString& path, const QByteArray& content) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }

    /// The collective that a bucket of the plan was made into, which the graph as it was read does not have.
    static QString nameOfMerged(const Document& document) {
        const Evaluation& shown = *document.evaluation();
        for (const CollectiveTiming& timing : shown.simulation.collectives) {
            const std::string name(shown.graph->name(timing.start));
            if (document.graph()->find(name) == no_node) return QString::fromStdString(name);
        }
        return {};
    }

  private slots:
    void theSessionComesBackWithUnsavedEdits() {
        QTemporaryDir folder;
        {
            MainWindow window(folder.path());
            open(window, {smallGraphFile()});
            BucketCommands(window.document()).addText("layers.0+layers.1");
            window.document().addCopyOfCurrent();
            BucketCommands(window.document()).addText("layers.2");
            window.document().setCurrentIndex(1);
            window.findChild<QDockWidget*>("inspector")->close();
            QVERIFY(waitUntilIdle(window));
            window.workspace().timeline().setVisibleRange({1'000'000, 3'000'000});
            // No close event: as if the application had been killed.
            const QString session = folder.filePath("session.json");
            QTRY_VERIFY(QFile::exists(session) && readFile(session).contains("\"range_start_ms\":1,"));
        }
        MainWindow window(folder.path());
        window.show();
        window.openSessionOrSample();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().loaded().path, smallGraphFile());
        QCOMPARE(window.document().variantCount(), 3);
        QCOMPARE(window.document().currentIndex(), 1);
        QCOMPARE(window.document().buckets().size(), 1u);
        QVERIFY(window.document().current()->modified());
        QCOMPARE(window.document().variant(2).plan().buckets.size(), 2u);
        QVERIFY(window.findChild<QDockWidget*>("inspector")->isHidden());
        QCOMPARE(window.workspace().timeline().visibleRange().begin_ns, 1'000'000);
        window.workspace().resetLayout();
        QVERIFY(!window.findChild<QDockWidget*>("inspector")->isHidden());
    }

    void whatIsSelectedAndInFrontComesBackAfterAKill_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind : {"bucket", "module", "merged"}) QTest::newRow(kind) << kind;
    }

    void whatIsSelectedAndInFrontComesBackAfterAKill() {
        QFETCH(QString, kind);
        QTemporaryDir folder;
        QString merged;
        {
            MainWindow window(folder.path());
            open(window, {smallGraphFile()});
            BucketCommands(window.document()).addText("layers.0");
            BucketCommands(window.document()).addText("layers.1+layers.2");
            QVERIFY(waitUntilIdle(window));
            merged = nameOfMerged(window.document());
            Selection& selection = window.document().selection();
            selection.clear();
            QCOMPARE(window.session().store(), QString());
            const QString session = folder.filePath("session.json");
            const QByteArray before = readFile(session);
            if (kind == "bucket") selection.selectBucket(1);
            if (kind == "module") selection.selectModule("layers.3");
            if (kind == "merged") selection.selectNode(merged);
            QTRY_VERIFY_WITH_TIMEOUT(readFile(session) != before, 2'000);
            const QByteArray selected = readFile(session);
            window.findChild<QDockWidget*>("history")->raise();
            QTRY_VERIFY_WITH_TIMEOUT(readFile(session) != selected, 2'000);
            // No close event: as if the application had been killed.
        }
        MainWindow window(folder.path());
        window.resize(1400, 900);
        window.show();
        window.openSessionOrSample();
        QVERIFY(waitUntilIdle(window));
        const Selection& selection = window.document().selection();
        QCOMPARE(selection.bucket(), kind == "bucket" ? 1 : -1);
        QCOMPARE(selection.modules(), kind == "module" ? QStringList{"layers.3"} : QStringList());
        QCOMPARE(selection.node(), kind == "merged" ? merged : QString());
        QVERIFY(!window.workspace().edits().viewport()->visibleRegion().isEmpty());
        QVERIFY(window.workspace().problems().visibleRegion().isEmpty());
    }

    /// The session has the layout without what is enlarged, whose neighbours are hidden meanwhile.
    void tabsInFrontComeBackWhileAPartIsEnlarged() {
        QTemporaryDir folder;
        const auto isSeen = [](const QWidget& widget) { return !widget.visibleRegion().isEmpty(); };
        {
            MainWindow window(folder.path());
            open(window, {smallGraphFile()});
            QVERIFY(waitUntilIdle(window));
            window.findChild<QDockWidget*>("history")->raise();
            QTRY_VERIFY(isSeen(*window.workspace().edits().viewport()));
            window.workspace().enlarged().enlarge(window.centralWidget());
            QTRY_VERIFY(!isSeen(*window.workspace().edits().viewport()));
            // Qt takes the tabs away a moment later.
            QTRY_VERIFY(std::ranges::all_of(window.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly),
                                            [](const QTabBar* tabs) { return tabs->count() == 0; }));
            // Told beside the layout, which a version with other docks could not restore.
            SessionState state;
            window.workspace().keep(state);
            QVERIFY(state.views["inFront"].toArray().contains("history"));
            QCOMPARE(window.session().store(), QString());
        }
        MainWindow window(folder.path());
        window.resize(1400, 900);
        window.show();
        window.openSessionOrSample();
        QVERIFY(waitUntilIdle(window));
        QVERIFY(!window.workspace().enlarged().any());
        QVERIFY(isSeen(*window.workspace().edits().viewport()));
        QVERIFY(!isSeen(window.workspace().problems()));
    }

    void anotherGraphKeepsThePlansOfTheFirst() {
        QTemporaryDir folder;
        MainWindow window(folder.path());
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.3");
        const QString other =
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz");
        window.openFiles({other});
        QTRY_COMPARE(window.document().loaded().path, other);
        QVERIFY(window.document().buckets().empty());
        window.openFiles({smallGraphFile()});
        QTRY_COMPARE(window.document().loaded().path, smallGraphFile());
        QCOMPARE(window.document().buckets().size(), 1u);
        QVERIFY(window.document().current()->modified());
    }

    void anEditIsStoredAtOnce() {
        QTemporaryDir folder;
        MainWindow window(folder.path());
        open(window, {smallGraphFile()});
        QVERIFY2(window.session().store().isEmpty(), "nothing but the edit is waiting to be stored");
        BucketCommands(window.document()).addText("layers.3");
        QTRY_VERIFY_WITH_TIMEOUT(readFile(folder.filePath("session.json")).contains("layers.3"), 1'000);
    }

    void editsOfASecondWindowComeBackInTheFirst() {
        QTemporaryDir folder;
        {
            MainWindow first(folder.path());
            open(first, {smallGraphFile()});
            MainWindow second(folder.path());
            open(second, {smallGraphFile()});
            BucketCommands(second.document()).addText("layers.2");
            second.close();
            first.close();
        }
        MainWindow again(folder.path());
        open(again, {smallGraphFile()});
        QCOMPARE(again.document().variantCount(), 2);
        QCOMPARE(again.document().buckets().size(), 1u);
        QVERIFY(again.document().current()->modified());
    }

    void closedPlansComeBackWithTheirGraph() {
        QTemporaryDir folder;
        {
            MainWindow window(folder.path());
            open(window, {smallGraphFile()});
            BucketCommands(window.document()).addText("layers.0+layers.1");
            window.actions().find("plan.close")->trigger();
            QCOMPARE(window.document().variantCount(), 1);
            window.close();
        }
        MainWindow window(folder.path());
        const QString other =
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz");
        open(window, {other});
        QVERIFY(!window.actions().find("plan.reopen")->isEnabled());
        window.openFiles({smallGraphFile()});
        QTRY_COMPARE(window.document().loaded().path, smallGraphFile());
        QVERIFY(window.actions().find("plan.reopen")->isEnabled());
        window.actions().find("plan.reopen")->trigger();
        QTRY_COMPARE(window.document().buckets().size(), 1u);
        QVERIFY(window.document().current()->modified());
        QVERIFY(!window.actions().find("plan.reopen")->isEnabled());
    }

    void plansEndInTheirSuffixAndNeverReplaceAFileUnasked() {
        QTemporaryDir folder;
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0");
        QVERIFY(window.saves().savePlanAs(folder.filePath("my.plan")));
        QCOMPARE(window.document().current()->filePath(), folder.filePath("my.plan.json"));
        const QString other = folder.filePath("other.plan.json");
        writeFile(other, "somebody's");
        for (const char* name : {"other", "other.plan", "other.json", "other.plan.json"})
            QVERIFY(!window.saves().savePlanAs(folder.filePath(name)));
        QCOMPARE(readFile(other), "somebody's");
        QVERIFY(window.workspace().notice().text().contains(other));
        window.workspace().notice().button("Replace")->click();
        QCOMPARE(window.document().current()->filePath(), other);
        QVERIFY(readFile(other).contains("layers.0"));
        QVERIFY(window.workspace().notice().text().isEmpty());
    }

    void aFileThatWasChangedOnDiskIsNotOverwrittenUnasked() {
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        MainWindow window, colleague;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0");
        QVERIFY(window.saves().savePlanAs(path));
        QVERIFY(window.saves().savePlan());  // nothing has changed: nothing is asked
        open(colleague, {smallGraphFile(), path});
        QTRY_COMPARE(colleague.document().buckets().size(), 1u);
        BucketCommands(colleague.document()).addText("layers.1");
        QVERIFY(colleague.saves().savePlan());
        const QByteArray newer = readFile(path);

        // No edits here: opening it shows what the file has.
        window.openFiles({path});
        QCOMPARE(window.document().variantCount(), 2);
        QCOMPARE(window.document().buckets().size(), 2u);
        window.document().undoGroup().undo();
        QCOMPARE(window.document().buckets().size(), 1u);

        QVERIFY(window.saves().savePlan());
        QVERIFY(!colleague.saves().savePlan());
        QVERIFY(colleague.workspace().notice().text().contains(path));
        QVERIFY(readFile(path) != newer);
        colleague.openFiles({path});  // no edits: read again
        BucketCommands(window.document()).addText("layers.2");
        QVERIFY(window.saves().savePlan());
        BucketCommands(colleague.document()).addText("layers.3");
        QVERIFY(!colleague.saves().savePlan());
        colleague.openFiles({path});  // edits: beside them
        QCOMPARE(colleague.document().variantCount(), 3);
        QCOMPARE(colleague.document().currentIndex(), 2);
        colleague.document().setCurrentIndex(1);
        QVERIFY(!colleague.saves().savePlan());
        colleague.workspace().notice().button("Overwrite")->click();
        QVERIFY(readFile(path).contains("layers.3"));
        QVERIFY(!readFile(path).contains("layers.2"));
    }

    void theSessionNoticesWhatChangedOnDisk_data() {
        QTest::addColumn<bool>("edited");
        QTest::newRow("without edits") << false;
        QTest::newRow("with edits") << true;
    }

    void theSessionNoticesWhatChangedOnDisk() {
        QFETCH(bool, edited);
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        {
            MainWindow window(folder.filePath("session"));
            open(window, {smallGraphFile()});
            BucketCommands(window.document()).addText("layers.0");
            QVERIFY(window.saves().savePlanAs(path));
            if (edited) BucketCommands(window.document()).addText("layers.1");
            window.close();
        }
        const QByteArray newer = readFile(path).replace("layers.0", "layers.5");
        writeFile(path, newer);
        MainWindow window(folder.filePath("session"));
        open(window, {smallGraphFile()});
        QVERIFY(window.workspace().notice().text().contains(path));
        QCOMPARE(window.document().variantCount(), edited ? 3 : 2);
        QCOMPARE(window.document().currentIndex(), 1);
        QCOMPARE(window.document().buckets().size(), edited ? 2u : 1u);
        QCOMPARE(window.document().current()->modified(), edited);
        const Variant& shown = window.document().variant(window.document().variantCount() - 1);
        QCOMPARE(shown.plan().buckets[0].modules[0], "layers.5");
        QCOMPARE(window.saves().savePlan(), !edited);
        QCOMPARE(readFile(path), newer);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::WindowSessionTest)
#include "window_session_test.moc"
