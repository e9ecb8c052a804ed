// What is selected while one part of the window is enlarged is seen in the others when they are back.
#include <QScrollBar>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/actions.h"
#include "ui/frame/docks/enlarged_part.h"
#include "ui/graph/graph_view.h"
#include "ui/modules/module_tree_view.h"
#include "ui/modules/modules_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_view.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

class SelectionInSightTest : public QObject {
    Q_OBJECT

    std::unique_ptr<MainWindow> window_;

    Workspace& views() { return window_->workspace(); }
    ModuleTreeView& modules() { return *views().modulesPanel().tree(); }
    BucketView& buckets() { return *views().bucketBoard().view(); }

    bool moduleIsSeen() {
        const QModelIndexList rows = modules().selectionModel()->selectedRows();
        return rows.size() == 1 && modules().viewport()->rect().contains(modules().visualRect(rows.front()).center());
    }
    bool bucketIsSeen() {
        const std::vector<int> rows = buckets().selectedBuckets();
        if (rows.size() != 1) return false;
        const QRect card = buckets().visualRect(buckets().model()->index(rows.front(), 0));
        return buckets().viewport()->rect().contains(card.center());
    }
    bool boxIsSeen() {
        const GraphView& graph = views().graphView();
        return graph.current() != no_box && QRectF(graph.rect()).contains(graph.boxRect(graph.current()));
    }

    void enlarge(QWidget* part) {
        views().enlarged().enlarge(part);
        runAllDue();
    }
    void end() {
        views().enlarged().end();
        runAllDue();
    }

  private slots:
    void init() {
        window_ = std::make_unique<MainWindow>();
        open(*window_, {QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz")});
        window_->resize(1024, 640);
        QTRY_COMPARE(window_->width(), 1024);
        BucketCommands(window_->document()).startFrom(BucketCommands::Template::block);
        QVERIFY(waitUntilIdle(*window_));
        window_->document().selection().selectModule("layers.0");
        runAllDue();
        QVERIFY(moduleIsSeen() && bucketIsSeen() && boxIsSeen());
    }
    void cleanup() { window_.reset(); }

    void whatIsSelectedBesideHiddenViewsIsSeenWhenTheyAreBack() {
        enlarge(window_->centralWidget());
        window_->document().selection().selectModule("layers.31");
        end();
        QVERIFY(!views().enlarged().any());
        QVERIFY(moduleIsSeen());
        QVERIFY(bucketIsSeen());
        QVERIFY(boxIsSeen());
    }

    /// The views are where the user left them.
    void withoutAnotherSelectionNothingScrolls() {
        modules().verticalScrollBar()->setValue(modules().verticalScrollBar()->maximum());
        buckets().verticalScrollBar()->setValue(buckets().verticalScrollBar()->maximum());
        QVERIFY(!moduleIsSeen() && !bucketIsSeen());
        enlarge(window_->centralWidget());
        end();
        QVERIFY(!moduleIsSeen() && !bucketIsSeen());
    }

    void whatIsSelectedWhileADockIsClosedIsSeenWhenItIsOpened() {
        auto* dock = window_->findChild<QDockWidget*>("modules");
        dock->hide();
        window_->document().selection().selectModule("layers.31");
        dock->show();
        runAllDue();
        QVERIFY(moduleIsSeen());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SelectionInSightTest)
#include "selection_in_sight_test.moc"
