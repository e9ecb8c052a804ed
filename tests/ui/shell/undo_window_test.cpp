#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QStatusBar>
#include <QTemporaryDir>
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <vector>

#include "core/io/plan/plan_file.h"
#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/actions/cost_actions.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/edits/bucket_commands.h"
#include "ui/files/write_file.h"
#include "ui/frame/actions.h"
#include "ui/frame/centre_tabs.h"
#include "ui/measure/trace_times.h"
#include "ui/mesh/inputs_form.h"
#include "ui/mesh/mesh_view.h"
#include "ui/mesh/sharding_board.h"
#include "ui/mesh/state_editor.h"
#include "ui/panels/history_panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/times_controller.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/timeline/notes/timeline_edits.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// Undo of what is no edit of one plan, such as the times that figures are of, and of plans that were just opened.
class UndoWindowTest : public QObject {
    Q_OBJECT

    static QAction* undo(MainWindow& window) { return window.actions().find("edit.undo"); }
    static QAction* redo(MainWindow& window) { return window.actions().find("edit.redo"); }

    /// The change has been made and noted.
    static bool settled(MainWindow& window) {
        QTest::qWait(20);
        return waitUntilIdle(window);
    }

    static QStringList rows(MainWindow& window) {
        const QAbstractItemModel* model = window.workspace().edits().model();
        QStringList texts;
        for (int row = 0; row < model->rowCount(); ++row) texts.append(model->index(row, 0).data().toString());
        return texts;
    }

    static bool told(MainWindow& window, const QString& sentence) {
        return std::ranges::any_of(window.statusBar()->findChildren<QLabel*>(),
                                   [&](const QLabel* label) { return label->text() == sentence; });
    }

  private slots:
    void anEditEndsWhatCouldBeRedone() {
        MainWindow window;
        open(window, {smallGraphFile()});
        QVERIFY(settled(window));
        window.times().cost().model().use("h100-sxm");
        QVERIFY(settled(window));
        undo(window)->trigger();
        QVERIFY(settled(window));
        QCOMPARE(redo(window)->text(), "Redo Cost model h100-sxm");
        BucketCommands(window.document()).addText("layers.0");
        QVERIFY2(!redo(window)->isEnabled(), qPrintable(redo(window)->text()));
        BucketCommands(window.document()).addText("layers.1");
        undo(window)->trigger();
        undo(window)->trigger();
        QCOMPARE(redo(window)->text(), "Redo Add layers.0");
        redo(window)->trigger();
        QCOMPARE(redo(window)->text(), "Redo Add layers.1");
        redo(window)->trigger();
        QVERIFY(!redo(window)->isEnabled());
        QCOMPARE(window.document().buckets().size(), std::size_t{2});
    }

    void aPlanThatIsReopenedIsNotSaidToBeClosed() {
        MainWindow window;
        open(window, {smallGraphFile()});
        QVERIFY(settled(window));
        const QString title = window.document().current()->title();
        window.actions().find("plan.close")->trigger();
        QVERIFY(told(window, "Closed " + title + "; Plan ▸ Reopen closed plan brings it back"));
        window.actions().find("plan.reopen")->trigger();
        QVERIFY(told(window, "Reopened " + title));
    }

    /// History lists the plan's edits; the timeline's are told where they are undone.
    void undoOfTheTimelinesArrangementIsTold() {
        MainWindow window;
        open(window, {smallGraphFile()});
        QVERIFY(settled(window));
        window.workspace().timeline().edits().arrange("Pin Compute", {{}, {"compute"}, {}});
        QCOMPARE(undo(window)->text(), "Undo Pin Compute");
        undo(window)->trigger();
        QVERIFY(told(window, "Undone: Pin Compute"));
        redo(window)->trigger();
        QVERIFY(told(window, "Redone: Pin Compute"));
    }

    void editsOfAnotherPlanEndNoRedo() {
        MainWindow window;
        open(window, {smallGraphFile()});
        QVERIFY(settled(window));
        const int first = window.document().currentIndex();
        BucketCommands(window.document()).addText("layers.0");
        undo(window)->trigger();
        window.document().addVariant(window.document().loaded().empty_plan);
        BucketCommands(window.document()).addText("layers.1");
        window.document().setCurrentIndex(first);
        QCOMPARE(redo(window)->text(), "Redo Add layers.0");
    }

    void aCostModelIsAnUndoStep() {
        MainWindow window;
        open(window, {smallGraphFile()});
        QVERIFY(settled(window));
        const double own_ms = window.document().baseline().simulation.step_ms;
        BucketCommands(window.document()).addText("layers.0");
        QVERIFY(!window.actions().find("plan.graphTimes")->isEnabled());
        window.times().cost().model().use("h100-sxm");
        QVERIFY(settled(window));
        QCOMPARE(undo(window)->text(), "Undo Cost model h100-sxm");
        QVERIFY(window.actions().find("plan.graphTimes")->isEnabled());
        QCOMPARE(rows(window),
                 (QStringList{"As it was opened", "Add layers.0", "All plans: Times as the graph was opened",
                              "All plans: Cost model h100-sxm · now"}));
        undo(window)->trigger();
        QVERIFY(settled(window));
        QCOMPARE(window.document().baseline().simulation.step_ms, own_ms);
        QCOMPARE(window.document().buckets().size(), std::size_t{1});  // the edit before it stays
        QCOMPARE(redo(window)->text(), "Redo Cost model h100-sxm");
        undo(window)->trigger();
        QVERIFY(window.document().buckets().empty());
        redo(window)->trigger();
        redo(window)->trigger();
        QVERIFY(settled(window));
        QCOMPARE(window.times().cost().model().used(), "h100-sxm");
        // The row of the history leads there as well, and so does the action.
        emit window.workspace().edits().clicked(window.workspace().edits().model()->index(2, 0));
        QVERIFY(settled(window));
        QCOMPARE(window.times().cost().model().used(), "");
        redo(window)->trigger();
        QVERIFY(settled(window));
        window.actions().find("plan.graphTimes")->trigger();
        QVERIFY(settled(window));
        QCOMPARE(window.document().baseline().simulation.step_ms, own_ms);
        QCOMPARE(undo(window)->text(), "Undo Times as the graph was read");
    }

    void howTheJobIsModelledComesBackWithTheCostModel() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.times().cost().model().use("h100-sxm");
        QVERIFY(settled(window));
        window.actions().find("plan.compiledBlocks")->trigger();
        QVERIFY(settled(window));
        QCOMPARE(undo(window)->text(), "Undo Figures compiled in blocks");
        const double compiled_ms = window.document().baseline().simulation.step_ms;
        window.times().cost().model().use({});
        QVERIFY(settled(window));
        undo(window)->trigger();
        QVERIFY(settled(window));
        QCOMPARE(window.document().baseline().simulation.step_ms, compiled_ms);
        undo(window)->trigger();
        QVERIFY(settled(window));
        QVERIFY(!window.times().traceTimes().model().compiled);
    }

    void anEditOfTheMeshIsAnUndoStep() {
        MainWindow window;
        open(window, {smallGraphFile()});
        QVERIFY(settled(window));
        BucketCommands(window.document()).addText("layers.0");
        auto* mesh = window.findChild<MeshView*>();
        MeshInputs inputs = mesh->inputs();
        const QString before = inputs.cost_model;
        inputs.cost_model = QStringLiteral("h100-sxm");
        mesh->edit(inputs, QStringLiteral("Choose costs"));
        QCOMPARE(undo(window)->text(), "Undo Mesh: Choose costs");
        window.findChild<CentreTabs*>()->showView(QStringLiteral("graph"));
        QVERIFY(!mesh->isVisible());
        undo(window)->trigger();
        QCOMPARE(mesh->inputs().cost_model, before);
        QCOMPARE(window.document().buckets().size(), std::size_t{1});  // the plan's last edit stays
        QVERIFY(mesh->isVisible());                                    // what was undone is seen
        QCOMPARE(redo(window)->text(), "Redo Mesh: Choose costs");
        undo(window)->trigger();
        QVERIFY(window.document().buckets().empty());
        redo(window)->trigger();
        redo(window)->trigger();
        QCOMPARE(mesh->inputs().cost_model, "h100-sxm");
    }

    /// The keys do what the menu says, wherever they are pressed.
    void keysInTheMeshRedoWhatTheMenuNames() {
        MainWindow window;
        open(window, {smallGraphFile()});
        QVERIFY(settled(window));
        window.findChild<CentreTabs*>()->showView(QStringLiteral("mesh"));
        auto* mesh = window.findChild<MeshView*>();
        BucketCommands(window.document()).addText("layers.0");
        const MeshInputs before = mesh->inputs();
        MeshInputs after = before;
        after.source = QStringLiteral("S(0)S(0)R");
        mesh->edit(after, QStringLiteral("Move"));
        for (QWidget* with_keys :
             std::initializer_list<QWidget*>{&mesh->form().source().board(), &mesh->form().field(MeshField::source)}) {
            with_keys->setFocus();
            QTRY_VERIFY(with_keys->hasFocus());
            const auto press = [&](Qt::KeyboardModifiers modifiers) {
                QTest::keyClick(with_keys, Qt::Key_Z, modifiers);
            };
            press(Qt::ControlModifier);
            QCOMPARE(mesh->inputs(), before);
            press(Qt::ControlModifier);
            QVERIFY(window.document().buckets().empty());
            QCOMPARE(redo(window)->text(), "Redo Add layers.0");
            press(Qt::ControlModifier | Qt::ShiftModifier);
            QCOMPARE(window.document().buckets().size(), std::size_t{1});
            QCOMPARE(mesh->inputs(), before);
            press(Qt::ControlModifier | Qt::ShiftModifier);
            QCOMPARE(mesh->inputs(), after);
        }
        // What is being typed is an edit already.
        QLineEdit& field = mesh->form().field(MeshField::source);
        field.selectAll();
        QTest::keyClicks(&field, "S(0)RR");
        QCOMPARE(mesh->inputs().source, "S(0)RR");
        QTest::keyClick(&field, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(mesh->inputs(), after);
        // Of an older edit of the view and a newer one of the plan the newer one is undone.
        BucketCommands(window.document()).addText("layers.1");
        QTest::keyClick(&mesh->form().source().board(), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(window.document().buckets().size(), std::size_t{1});
        QCOMPARE(mesh->inputs(), after);
    }

    void graphsWithEditedPlansTakeTurns() {
        MainWindow window;
        const QString other = QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz");
        open(window, {smallGraphFile()});
        QVERIFY(settled(window));
        BucketCommands(window.document()).addText("layers.[0-1]");
        for (int turn = 0; turn < 3; ++turn) {
            for (const QString& file : {other, smallGraphFile()}) {
                open(window, {file});
                QVERIFY(settled(window));
                window.document().addUnderFreeName(window.document().current()->plan());
                BucketCommands(window.document()).addText("layers.2");
                window.document().addUnderFreeName(window.document().current()->plan());
            }
        }
        QVERIFY(window.document().variantCount() > 6);
    }

    void anotherGraphBeginsAnew() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.times().cost().model().use("h100-sxm");
        QVERIFY(settled(window));
        auto* mesh = window.findChild<MeshView*>();
        MeshInputs inputs = mesh->inputs();
        inputs.source = QStringLiteral("S(0)S(0)R");
        mesh->edit(inputs, QStringLiteral("Type"));
        QCOMPARE(undo(window)->text(), "Undo Mesh: Type");
        window.openFiles({smallGraphFile()});
        QTRY_VERIFY(!undo(window)->isEnabled());
        QVERIFY(settled(window));
        QCOMPARE(rows(window), QStringList{"As it was opened"});
        QCOMPARE(mesh->inputs(), inputs);  // only that it can be undone is over
    }

    /// However a plan was opened: the history is of edits, and a plan goes when it is closed.
    void aPlanThatWasJustOpenedHasNothingToUndo() {
        const QTemporaryDir folder;
        MainWindow window;
        open(window, {smallGraphFile()});
        Document& document = window.document();
        BucketCommands(document).addText("layers.0");
        Plan found = document.current()->plan();
        found.name = "Found";
        const QString file = folder.filePath("other.plan.json");
        QCOMPARE(writeFile(file, QByteArray::fromStdString(write_plan_text(found))), QString());
        const std::vector<std::function<void()>> ways{[&] { window.actions().find("plan.newEmpty")->trigger(); },
                                                      [&] { window.actions().find("plan.new")->trigger(); },
                                                      [&] { document.addNew(found); },  // as the search and presets do
                                                      [&] { window.openFiles({file}); },
                                                      [&] {
                                                          window.actions().find("plan.close")->trigger();
                                                          window.actions().find("plan.reopen")->trigger();
                                                      }};
        for (const auto& opened : ways) {
            document.setCurrentIndex(1);
            QVERIFY(undo(window)->isEnabled());
            const int count = document.variantCount();
            opened();
            if (document.variantCount() == count) {  // reopened, with its edits
                QCOMPARE(undo(window)->text(), "Undo Add layers.0");
                continue;
            }
            QVERIFY2(!undo(window)->isEnabled(), qPrintable(undo(window)->text()));
            undo(window)->trigger();
            QCOMPARE(document.variantCount(), count + 1);
            // Who tries the keys is told why nothing happens, and what takes the plan away.
            QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
            const auto says_why = [](const QLabel* label) {
                return label->isVisible() && label->text().contains("this plan has no edits yet");
            };
            QVERIFY(std::ranges::any_of(window.statusBar()->findChildren<QLabel*>(), says_why));
            BucketCommands(document).addText("layers.1");
            QCOMPARE(undo(window)->text(), "Undo Add layers.1");
            undo(window)->trigger();
            QVERIFY2(!undo(window)->isEnabled(), qPrintable(undo(window)->text()));
            QCOMPARE(redo(window)->text(), "Redo Add layers.1");
        }
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::UndoWindowTest)
#include "undo_window_test.moc"
