#include <QApplication>
#include <QClipboard>
#include <QMimeData>
#include <QScrollBar>
#include <algorithm>
#include <string>

#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/modules/module_tree_model.h"
#include "ui/modules/modules_panel.h"

namespace overlap::ui {

/// What is selected in the tree of modules, and what of other views is selected there.
class ModuleSelectionTest : public QObject {
    Q_OBJECT

  private slots:
    void whatIsOpenedForASelectionClosesWithIt() {
        const auto document = openDocument();
        ModulesPanel panel(*document);
        panel.show();
        const auto isOpen = [&](const char* module) {
            return panel.tree()->isExpanded(panel.model()->indexOfModule(QString::fromLatin1(module)));
        };
        document->selection().selectModule("layers.2.feed_forward.w1");
        QVERIFY(isOpen("layers.2") && isOpen("layers.2.feed_forward"));
        document->selection().selectModule("layers.2.attention");
        QVERIFY(isOpen("layers.2") && !isOpen("layers.2.feed_forward"));
        document->selection().clear();
        QVERIFY(!isOpen("layers.2"));
        QVERIFY(isOpen("layers"));  // as it was
        // Who works in the tree keeps what is open.
        document->selection().selectModule("layers.2.attention");
        panel.tree()->setCurrentIndex(panel.model()->indexOfModule("layers.2.feed_forward"));
        document->selection().clear();
        QVERIFY(isOpen("layers.2"));
    }

    void theTreeSharesTheSelection() {
        const auto document = openDocument();
        ModulesPanel panel(*document);
        panel.tree()->setCurrentIndex(panel.model()->indexOfModule("layers.2"));
        QCOMPARE(document->selection().module(), "layers.2");
        document->selection().selectModule("layers.3.attention");
        QCOMPARE(panel.tree()->currentIndex().data(ModuleTreeModel::path_role).toString(), "layers.3.attention");
        QTest::keyClick(panel.tree(), Qt::Key_X, Qt::ControlModifier);
        QCOMPARE(modulesOf(QApplication::clipboard()->mimeData()), QStringList("layers.3.attention"));
        document->selection().clear();
        QVERIFY(panel.tree()->selectionModel()->selectedRows().isEmpty());
    }

    void severalRowsAreOneSelection() {
        const auto document = openDocument();
        ModulesPanel panel(*document);
        panel.resize(400, 800);
        panel.show();
        ModuleTreeView& tree = *panel.tree();
        const auto row = [&](const char* path) { return panel.model()->indexOfModule(QString::fromLatin1(path)); };
        const auto click = [&](const char* path, Qt::KeyboardModifiers modifiers) {
            QTest::mouseClick(tree.viewport(), Qt::LeftButton, modifiers, tree.visualRect(row(path)).center());
        };
        click("layers.1", {});
        QCOMPARE(document->selection().module(), "layers.1");
        click("layers.3", Qt::ControlModifier);
        QCOMPARE(document->selection().modules(), (QStringList{"layers.1", "layers.3"}));
        QCOMPARE(tree.selectedModules(), (QStringList{"layers.1", "layers.3"}));
        click("layers.5", Qt::ShiftModifier);
        QCOMPARE(document->selection().modules(), (QStringList{"layers.1", "layers.3", "layers.4", "layers.5"}));
        click("layers.4", Qt::ControlModifier);
        QCOMPARE(document->selection().modules(), (QStringList{"layers.1", "layers.3", "layers.5"}));
        click("layers.3", {});
        QCOMPARE(document->selection().module(), "layers.3");
        click("layers.3", Qt::ControlModifier);
        QCOMPARE(document->selection().kind(), Selection::Kind::nothing);
        // What another view selects.
        document->selection().selectModules({"norm", "layers.2.attention", "layers.0"});
        QStringList shown = tree.selectedModules();
        shown.sort();
        QCOMPARE(shown, (QStringList{"layers.0", "layers.2.attention", "norm"}));
        QVERIFY(tree.isExpanded(row("layers.2")));
        QCOMPARE(document->selection().modules().size(), 3);  // shown, and not chosen here
        document->selection().selectModule("layers.0");
        QVERIFY2(!tree.isExpanded(row("layers.2")), "it was open for what was selected in it alone");
    }

    /// A selection is the same in all views: the rows of a card's modules are those that are selected.
    void theModulesOfTheSelectedBucketAreMarked() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.1+layers.4.attention\nnorm");
        ModulesPanel panel(*document);
        panel.resize(400, 120);
        panel.show();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        ModuleTreeView& tree = *panel.tree();
        const auto row = [&](const char* path) { return panel.model()->indexOfModule(QString::fromLatin1(path)); };
        const auto isSeen = [&](const char* path) {
            return tree.viewport()->rect().contains(tree.visualRect(row(path)).center());
        };
        panel.searchField()->setFocus();
        document->selection().selectBucket(0);
        QStringList marked = tree.selectedModules();
        marked.sort();
        QCOMPARE(marked, (QStringList{"layers.1", "layers.4.attention"}));
        QVERIFY(tree.isExpanded(row("layers.4")));
        QVERIFY(isSeen("layers.1"));
        QVERIFY2(panel.searchField()->hasFocus(), "who chooses a card goes on there");
        QCOMPARE(document->selection().bucket(), 0);  // shown, and not chosen here
        // The bucket gets another module, another bucket is selected, none is.
        BucketCommands(*document).put({"layers.0"}, 0);
        QVERIFY(tree.selectedModules().contains("layers.0"));
        document->selection().selectBucket(1);
        QCOMPARE(tree.selectedModules(), QStringList("norm"));
        QVERIFY(isSeen("norm") && !isSeen("layers.0"));
        QVERIFY(!tree.isExpanded(row("layers.4")));
        document->selection().clear();
        QVERIFY(tree.selectedModules().isEmpty());
        // Who works in the tree, as one who has dragged a row onto a card, stays there.
        tree.setFocus();
        tree.setCurrentIndex(row("norm"));
        QVERIFY(isSeen("norm") && !isSeen("layers.0"));
        document->selection().selectBucket(0);
        QVERIFY(tree.selectedModules().contains("layers.0"));
        QVERIFY(isSeen("norm") && !isSeen("layers.0"));
        QCOMPARE(tree.currentIndex().data(ModuleTreeModel::path_role).toString(), QStringLiteral("norm"));
        // What is seen already is not scrolled to another place.
        panel.searchField()->setFocus();
        tree.scrollTo(row("layers.4"), QAbstractItemView::PositionAtBottom);
        const int place = tree.verticalScrollBar()->value();
        document->selection().selectModules({"layers.0", "layers.4"});
        QVERIFY(isSeen("layers.4"));
        QCOMPARE(tree.verticalScrollBar()->value(), place);
    }

    /// Of a collective that a plan has merged, the modules of its bucket; of another, the module that it is in.
    void theModulesOfACollectiveAreMarked() {
        const auto document = openDocument();
        BucketCommands(*document).putIntoNew({"layers.1", "norm"});
        QVERIFY(waitForEvaluation(*document));
        ModulesPanel panel(*document);
        const Evaluation& evaluation = *document->evaluation();
        const auto select = [&](bool merged) {
            for (const CollectiveTiming& timing : evaluation.simulation.collectives) {
                const bool is_merged = evaluation.origin[timing.start] == no_node;
                if (is_merged != merged) continue;
                const auto name = evaluation.graph->name(timing.start);
                document->selection().selectNode(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
                return true;
            }
            return false;
        };
        QVERIFY(select(true));
        QStringList marked = panel.tree()->selectedModules();
        marked.sort();
        QCOMPARE(marked, (QStringList{"layers.1", "norm"}));
        QVERIFY(select(false));
        QCOMPARE(panel.tree()->selectedModules().size(), 1);
    }

    /// Its part keeps the name of the whole.
    void theModulesOfACollectiveThatIsSplitAreMarkedAnew() {
        const auto document = openDocument();
        BucketCommands(*document).putIntoNew({"layers.0", "layers.1"});
        QVERIFY(waitForEvaluation(*document));
        ModulesPanel panel(*document);
        const auto evaluation = document->evaluation();
        const auto& collectives = evaluation->simulation.collectives;
        const auto merged = std::ranges::find_if(
            collectives, [&](const CollectiveTiming& timing) { return evaluation->origin[timing.start] == no_node; });
        QVERIFY(merged != collectives.end());
        const std::string name(evaluation->graph->name(merged->start));
        document->selection().selectNode(QString::fromStdString(name));
        QStringList marked = panel.tree()->selectedModules();
        marked.sort();
        QCOMPARE(marked, (QStringList{"layers.0", "layers.1"}));
        document->editBuckets("split", {{{"layers.0"}, false, {}}, {{"layers.1"}, false, {}}});
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(panel.tree()->selectedModules(), QStringList{"layers.0"});
    }

    /// Also where no row is the current one yet.
    void rowsThatAreOpenedAboveMoveNothing() {
        const auto document = openDocument();
        ModulesPanel panel(*document);
        panel.resize(400, 120);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        ModuleTreeView& tree = *panel.tree();
        tree.selectionModel()->clearCurrentIndex();
        const QModelIndex norm = panel.model()->indexOfModule("norm");
        tree.scrollTo(norm, QAbstractItemView::PositionAtCenter);
        const QRect before = tree.visualRect(norm);
        QVERIFY(tree.viewport()->rect().contains(before.center()));
        document->selection().selectModules({"layers.0.attention", "norm"});
        QVERIFY(tree.isExpanded(panel.model()->indexOfModule("layers.0")));
        QCOMPARE(tree.visualRect(norm), before);
    }

    void anotherGraphBeginsAtTheTop() {
        const auto document = openDocument();
        ModulesPanel panel(*document);
        panel.resize(400, 120);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QScrollBar& bar = *panel.tree()->verticalScrollBar();
        QTRY_VERIFY(bar.maximum() > 0);
        bar.setValue(bar.maximum());
        document->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        runAllDue();
        QVERIFY(bar.maximum() > 0);
        QCOMPARE(bar.value(), 0);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ModuleSelectionTest)
#include "module_selection_test.moc"
