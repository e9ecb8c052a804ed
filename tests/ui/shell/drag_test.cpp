// The main path through the real window, with real mouse events: open, drag, see the figures change, undo, save,
// reopen.
//
// Runs on Qt's minimal platform: the offscreen platform has no drag and drop at all, the minimal one has Qt's own.

#include <QScrollBar>
#include <QTimer>
#include <QWindow>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/figures_bar.h"
#include "ui/graph/graph_model.h"
#include "ui/graph/graph_view.h"
#include "ui/modules/module_tree_model.h"
#include "ui/modules/modules_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_model.h"
#include "ui/plan/bucket_view.h"
#include "ui/shell/files/save_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

class DragTest : public QObject {
    Q_OBJECT

    static QStringList figureTexts(MainWindow& window) {
        QStringList texts;
        for (const Figure& figure : figuresOf(window.document())) texts.append(figure.value + figure.difference);
        return texts;
    }

    /// Presses at `start`, drags by mouse to `end` and lets go; both are points of the window. The drag is Qt's own:
    /// the pointer's way after its first step is scheduled before the press, because a drag runs an event loop of its
    /// own.
    static void drag(MainWindow& window, const QPoint& start, const QPoint& first_step, const QPoint& end) {
        QWindow* handle = window.windowHandle();
        bool has_let_go = false;
        int at_ms = 0;
        for (const QPoint& point : {(start + end) / 2, end - QPoint(0, 3), end})
            QTimer::singleShot(at_ms += 40, handle, [=] { QTest::mouseMove(handle, point); });
        QTimer::singleShot(at_ms += 40, handle, [&] {
            QTest::mouseRelease(handle, Qt::LeftButton, {}, end);
            has_let_go = true;
        });
        QTest::mousePress(handle, Qt::LeftButton, {}, start);
        QTest::mouseMove(handle, start + first_step / 10);
        QTest::mouseMove(handle, start + first_step);
        QTRY_VERIFY(has_let_go);
    }

    static void dragToCards(MainWindow& window, QWidget* source, const QPoint& from, const QPoint& target) {
        QWidget* cards = window.workspace().bucketBoard().view()->viewport();
        drag(window, source->mapTo(&window, from), {30, 2}, cards->mapTo(&window, target));
    }

    static void dragModule(MainWindow& window, const QString& path, const QPoint& target) {
        ModuleTreeView* tree = window.workspace().modulesPanel().tree();
        const QModelIndex index = window.workspace().modulesPanel().model()->indexOfModule(path);
        QVERIFY(index.isValid());
        tree->scrollTo(index);
        QCoreApplication::processEvents();
        dragToCards(window, tree->viewport(), tree->visualRect(index).center(), target);
    }

    static QPoint belowCards(MainWindow& window) {
        BucketView* view = window.workspace().bucketBoard().view();
        return {view->viewport()->width() / 2, view->viewport()->height() - 8};
    }
    static QPoint cardCentre(MainWindow& window, int row) {
        BucketView* view = window.workspace().bucketBoard().view();
        return view->visualRect(view->buckets().index(row)).center();
    }

  private slots:
    void theMainPath() {
        QTemporaryDir folder;
        MainWindow window;
        open(window, {smallGraphFile()});
        QCOMPARE(window.document().name(), "llama3_debugmodel_fsdp8.prebucket");
        const QStringList at_first = figureTexts(window);

        dragModule(window, "layers.0", belowCards(window));
        QCOMPARE(window.document().buckets().size(), 1u);
        QVERIFY(waitUntilIdle(window));
        const QStringList with_one = figureTexts(window);
        QVERIFY(with_one != at_first);

        dragModule(window, "layers.1", cardCentre(window, 0));
        QCOMPARE(window.document().buckets().size(), 1u);
        QCOMPARE(window.document().buckets()[0].modules, (std::vector<std::string>{"layers.0", "layers.1"}));
        QVERIFY(waitUntilIdle(window));
        const QStringList with_two = figureTexts(window);
        QVERIFY(with_two != with_one);

        window.actions().find("edit.undo")->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(figureTexts(window), with_one);
        window.actions().find("edit.redo")->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(figureTexts(window), with_two);

        const QString path = folder.filePath("two.plan.json");
        QVERIFY(window.saves().savePlanAs(path));
        QVERIFY(!window.document().current()->modified());

        MainWindow again;
        open(again, {path, smallGraphFile()});  // in any order
        QTRY_COMPARE(again.document().current()->filePath(), path);
        QVERIFY(waitUntilIdle(again));
        QCOMPARE(figureTexts(again), with_two);
        QCOMPARE(again.document().variantCount(), 2);  // the empty plan made room
    }

    /// Pressing a module selects it, and its card comes into view only when the mouse is let go.
    void cardsStayInPlaceUnderADraggedModule() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.[0-5]");
        QVERIFY(waitUntilIdle(window));
        window.resize(1200, 560);
        BucketView* view = window.workspace().bucketBoard().view();
        QTRY_VERIFY(view->verticalScrollBar()->maximum() > 0);
        window.document().selection().selectModule("layers.0");
        QTRY_COMPARE(view->verticalScrollBar()->value(), 0);
        const QRect own = view->visualRect(view->buckets().index(5));
        QVERIFY(!view->viewport()->rect().contains(own.center()));
        dragModule(window, "layers.5", cardCentre(window, 0));
        QCOMPARE(window.document().buckets().size(), 5u);
        QCOMPARE(window.document().buckets()[0].modules, (std::vector<std::string>{"layers.0", "layers.5"}));

        // A click selects as before.
        ModuleTreeView* tree = window.workspace().modulesPanel().tree();
        const QModelIndex last = window.workspace().modulesPanel().model()->indexOfModule("layers.4");
        tree->scrollTo(last);
        QTest::mouseClick(window.windowHandle(), Qt::LeftButton, {},
                          tree->viewport()->mapTo(&window, tree->visualRect(last).center()));
        QTRY_COMPARE(view->currentIndex().row(), 4);
        QVERIFY(view->viewport()->rect().intersects(view->visualRect(view->buckets().index(4))));
    }

    void boxesOfTheGraphAreDraggedIntoCards() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0");
        QVERIFY(waitUntilIdle(window));
        window.workspace().centre().showView("graph");
        GraphView& graph = window.workspace().graphView();
        const auto boxOf = [&](const char* module) {
            return graph.model().tree().box_of(window.document().modules().find(module), Phase::forward);
        };
        const auto dragBox = [&](const char* module, const QPoint& target) {
            graph.select(boxOf(module));
            graph.focusSelection();
            QCoreApplication::processEvents();
            dragToCards(window, &graph, graph.boxRect(boxOf(module)).center().toPoint(), target);
            QVERIFY(waitUntilIdle(window));
        };
        dragBox("layers.1", cardCentre(window, 0));
        QCOMPARE(window.document().buckets().size(), 1u);
        QCOMPARE(window.document().buckets()[0].modules, (std::vector<std::string>{"layers.0", "layers.1"}));
        dragBox("norm", belowCards(window));
        QCOMPARE(window.document().buckets().size(), 2u);
        QCOMPARE(window.document().buckets()[1].modules, std::vector<std::string>{"norm"});
    }

    void modulesLeaveTheirBucketByMouse() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0");
        QVERIFY(waitUntilIdle(window));
        BucketView* view = window.workspace().bucketBoard().view();
        const QPoint start =
            view->viewport()->mapTo(&window, view->visualRect(view->buckets().index(0)).topLeft() + QPoint(40, 14));
        QWidget* tree = window.workspace().modulesPanel().tree()->viewport();
        drag(window, start, {-40, 0}, tree->mapTo(&window, QPoint(60, tree->height() - 20)));
        QVERIFY(window.document().buckets().empty());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::DragTest)
#include "drag_test.moc"
