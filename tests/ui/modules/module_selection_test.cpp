#include <QApplication>
#include <QClipboard>
#include <QMimeData>

#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/document/module_mime.h"
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
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ModuleSelectionTest)
#include "module_selection_test.moc"
