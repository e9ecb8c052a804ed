#include <QAction>
#include <QTemporaryDir>
#include <functional>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/actions.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/panels/history_panel.h"
#include "ui/shell/files/save_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/plan_tabs.h"
#include "ui/shell/recovery_controller.h"
#include "ui/shell/session_controller.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

/// What can be undone in a window after the last one was killed, or closed.
class RecoveredHistoryTest : public QObject {
    Q_OBJECT

    static constexpr const char* other_graph =
        OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz";

    static void edit(MainWindow& window, const QString& bucket) {
        QCOMPARE(BucketCommands(window.document()).addText(bucket), QString());
    }

    static void trigger(MainWindow& window, const char* action) {
        QVERIFY2(window.actions().find(action)->isEnabled(), action);
        window.actions().find(action)->trigger();
    }

    static QString textOf(MainWindow& window, const char* action) { return window.actions().find(action)->text(); }

    static QStringList rows(MainWindow& window) {
        const QAbstractItemModel* model = window.workspace().edits().model();
        QStringList texts;
        for (int row = 0; row < model->rowCount(); ++row) texts.append(model->index(row, 0).data().toString());
        return texts;
    }

    static void note(MainWindow& window, const char* text) {
        Plan plan = window.document().current()->plan();
        plan.notes = text;
        window.document().editPlan("Note", std::move(plan), "note");
    }

    /// A run that edits a plan, which a file has in between, and ends without closing its window, as if the process had
    /// been killed. @param further what is done after these edits.
    static void leaveEdits(const QTemporaryDir& folder, const std::function<void(MainWindow&)>& further = {}) {
        MainWindow window(folder.path());
        open(window, {smallGraphFile()});
        edit(window, "layers.0");
        QVERIFY(window.saves().savePlanAs(folder.filePath("a.plan.json")));
        edit(window, "layers.1");
        if (further) further(window);
        QCOMPARE(window.session().store(), QString());
    }

  private slots:
    void editsOfARunThatWasKilledAreUndoneAndRedone() {
        QTemporaryDir folder;
        leaveEdits(folder, [](MainWindow& window) {
            note(window, "t");
            edit(window, "layers.2");
            trigger(window, "edit.undo");
        });
        {
            MainWindow window(folder.path());
            open(window, {smallGraphFile()});
            QCOMPARE(window.recovery().plans().size(), 1u);
            QCOMPARE(textOf(window, "edit.undo"), "Undo Note");
            QCOMPARE(textOf(window, "edit.redo"), "Redo Add layers.2");
            QCOMPARE(rows(window),
                     (QStringList{"As it was opened", "Add layers.0 · saved", "Add layers.1", "Note", "Add layers.2"}));
            // A text that was being typed is typed on.
            note(window, "te");
            QCOMPARE(rows(window), (QStringList{"As it was opened", "Add layers.0 · saved", "Add layers.1", "Note"}));
            trigger(window, "edit.undo");
            trigger(window, "edit.undo");
            QVERIFY(!window.document().current()->modified());
            QCOMPARE(window.document().buckets().size(), 1u);
            trigger(window, "edit.undo");
            QVERIFY(window.document().buckets().empty());
            QVERIFY(!window.actions().find("edit.undo")->isEnabled());
            // And so does the run after that.
            emit window.workspace().edits().clicked(window.workspace().edits().model()->index(3, 0));
            QCOMPARE(window.document().current()->plan().notes, "te");
            QVERIFY(window.close());
        }
        MainWindow third(folder.path());
        open(third, {smallGraphFile()});
        QCOMPARE(rows(third), (QStringList{"As it was opened", "Add layers.0 · saved", "Add layers.1", "Note"}));
    }

    void aClosedPlanIsReopenedWithItsEdits() {
        QTemporaryDir folder;
        {
            MainWindow window(folder.path());
            open(window, {smallGraphFile()});
            edit(window, "layers.0");
            edit(window, "layers.1");
            trigger(window, "plan.close");
            QVERIFY(window.close());
        }
        MainWindow window(folder.path());
        open(window, {smallGraphFile()});
        const int count = window.document().variantCount();
        trigger(window, "plan.reopen");
        // Until its edits have been read the plan stays where it was, and in the session.
        QCOMPARE(window.document().variantCount(), count);
        QCOMPARE(window.session().closedPlans().all().size(), std::size_t{1});
        QVERIFY(!window.actions().find("plan.reopen")->isEnabled());
        QTRY_COMPARE(window.document().variantCount(), count + 1);
        QVERIFY(window.session().closedPlans().empty());
        QCOMPARE(textOf(window, "edit.undo"), "Undo Add layers.1");
        trigger(window, "edit.undo");
        QCOMPARE(window.document().buckets().size(), 1u);
    }

    void aPlanThatIsBeingReopenedStaysWithItsGraph() {
        QTemporaryDir folder;
        {
            MainWindow window(folder.path());
            open(window, {smallGraphFile()});
            edit(window, "layers.0");
            trigger(window, "plan.close");
            QVERIFY(window.close());
        }
        {
            MainWindow window(folder.path());
            open(window, {smallGraphFile()});
            trigger(window, "plan.reopen");
            QVERIFY(window.close());  // before it has been read
        }
        MainWindow window(folder.path());
        open(window, {smallGraphFile()});
        trigger(window, "plan.reopen");
        QTRY_COMPARE(window.document().buckets().size(), 1u);
        QCOMPARE(textOf(window, "edit.undo"), "Undo Add layers.0");
    }

    void plansOfAGraphThatIsOpenedLaterHaveTheirEdits() {
        QTemporaryDir folder;
        leaveEdits(folder);
        {
            MainWindow window(folder.path());
            open(window, {other_graph});
            edit(window, "layers.2");
            QCOMPARE(window.session().store(), QString());
        }
        MainWindow window(folder.path());
        open(window, {other_graph});
        QCOMPARE(textOf(window, "edit.undo"), "Undo Add layers.2");
        window.openFiles({smallGraphFile()});
        QTRY_COMPARE_WITH_TIMEOUT(window.document().loaded().path, smallGraphFile(), 60'000);
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(textOf(window, "edit.undo"), "Undo Add layers.1");
        window.openFiles({other_graph});
        QTRY_COMPARE_WITH_TIMEOUT(window.document().loaded().path, QString(other_graph), 60'000);
        QCOMPARE(textOf(window, "edit.undo"), "Undo Add layers.2");
    }

    void whatWasDiscardedComesBackWithItsEdits() {
        QTemporaryDir folder;
        leaveEdits(folder);
        for (const char* graph : {other_graph, ""}) {
            const bool is_open = !*graph;
            MainWindow window(folder.path());
            open(window, {is_open ? smallGraphFile() : QString(graph)});
            trigger(window, "plan.discardRecovered");
            if (is_open) {
                QTRY_VERIFY(!window.document().current()->modified());
                QVERIFY(!window.document().undoGroup().canUndo());
            }
            QToolButton* back = window.workspace().notice().button("Take back");
            QVERIFY(back);
            back->click();
            if (!is_open) {
                window.openFiles({smallGraphFile()});
                QTRY_COMPARE_WITH_TIMEOUT(window.document().loaded().path, smallGraphFile(), 60'000);
            }
            QVERIFY(window.document().current()->modified());
            QCOMPARE(textOf(window, "edit.undo"), "Undo Add layers.1");
            QCOMPARE(window.session().store(), QString());
        }
    }

    void aHistoryThatDoesNotFitIsToldAndThePlanStays() {
        QTemporaryDir folder;
        {
            MainWindow window(folder.path());
            open(window, {smallGraphFile()});
            edit(window, "layers.0");
            QCOMPARE(window.session().store(), QString());
        }
        QFile session(folder.filePath("session.json"));
        QVERIFY(session.open(QIODevice::ReadWrite));
        QByteArray text = session.readAll();
        const qsizetype before = text.size();
        text.replace("\"done\":1", "\"done\":7");
        QVERIFY(text.size() == before && session.seek(0) && session.write(text) == before);
        session.close();
        MainWindow window(folder.path());
        open(window, {smallGraphFile()});
        QCOMPARE(window.document().buckets().size(), 1u);
        QVERIFY2(window.workspace().notice().text().contains("Earlier edits of Plan A can no longer be undone: "),
                 qPrintable(window.workspace().notice().text()));
        QCOMPARE(rows(window), QStringList{"As it was, with earlier edits that can no longer be undone"});
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::RecoveredHistoryTest)
#include "recovered_history_test.moc"
