#include "ui/frame/actions.h"

#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QSet>
#include <QTextBrowser>
#include <QTreeView>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/collectives/collectives_panel.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/command_palette.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/frame/shortcut_help.h"
#include "ui/graph/graph_view.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_model.h"
#include "ui/plan/bucket_view.h"
#include "ui/shell/help_controller.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {

class ActionsTest : public QObject {
    Q_OBJECT

  private slots:
    /// In the menu and in the view's own, whichever it was chosen in.
    void theColoursOfTheGraphAreMarkedWhereTheyAreChosen() {
        MainWindow window;
        open(window, {smallGraphFile()});
        GraphModel& model = window.workspace().graphView().model();
        const auto marked = [&] {
            QStringList ids;
            for (const Actions::Entry& entry : window.actions().entries())
                if (entry.id.startsWith("graph.colour.") && entry.action->isChecked()) ids.append(entry.id);
            return ids;
        };
        QCOMPARE(marked(), QStringList("graph.colour." + nameOf(model.colouring())));
        window.actions().find("graph.colour.kind")->trigger();
        QCOMPARE(model.colouring(), BoxColouring::kind);
        QCOMPARE(marked(), QStringList("graph.colour.kind"));
        model.setColouring(BoxColouring::bucket);
        QCOMPARE(marked(), QStringList("graph.colour.bucket"));
    }

    void fuzzyMatching_data() {
        QTest::addColumn<QString>("query");
        QTest::addColumn<QString>("better");
        QTest::addColumn<QString>("worse");
        QTest::newRow("initials") << "sp"
                                  << "Save plan"
                                  << "Keyboard shortcut map";
        QTest::newRow("runs") << "merge"
                              << "Merge buckets"
                              << "Move edge range";
        QTest::newRow("no match") << "xyz"
                                  << "xylophone zebra"
                                  << "Save";
        QTest::newRow("case") << "UNDO"
                              << "Undo"
                              << "Unfold";
        QTest::newRow("later word") << "ax"
                                    << "xax b"
                                    << "none";
    }
    void fuzzyMatching() {
        QFETCH(QString, query);
        QFETCH(QString, better);
        QFETCH(QString, worse);
        QVERIFY(fuzzyScore(query, better) > fuzzyScore(query, worse));
    }

    void everyActionIsWhole() {
        MainWindow window;
        QSet<QString> ids;
        QMultiHash<QString, QString> views_of_key;  // in which view a key works; nothing for the whole window
        for (const Actions::Entry& entry : window.actions().entries()) {
            QVERIFY2(!ids.contains(entry.id), qPrintable(entry.id));
            ids.insert(entry.id);
            QVERIFY2(!entry.action->text().isEmpty(), qPrintable(entry.id));
            QVERIFY2(!entry.action->statusTip().isEmpty(), qPrintable(entry.id));
            QVERIFY2(!entry.menu.isEmpty(), qPrintable(entry.id));
            for (const QKeySequence& sequence : entry.action->shortcuts()) {
                // Two views may have one key, each for its own; the window's keys are nobody else's.
                const bool in_view = entry.action->shortcutContext() == Qt::WidgetWithChildrenShortcut;
                const QString view = in_view ? entry.menu : QString();
                for (const QString& other : views_of_key.values(sequence.toString()))
                    QVERIFY2(in_view && !other.isEmpty() && other != view,
                             qPrintable(entry.id + " has the key of another: " + sequence.toString()));
                views_of_key.insert(sequence.toString(), view);
            }
        }
        QSet<const QAction*> in_menus;
        for (const QMenu* menu : window.menuBar()->findChildren<QMenu*>())
            for (const QAction* action : menu->actions()) in_menus.insert(action);
        for (const Actions::Entry& entry : window.actions().entries())
            QVERIFY2(in_menus.contains(entry.action), qPrintable(entry.id));
    }

    void findLeadsToTheFieldOfWhatHasTheKeys() {
        MainWindow window;
        open(window, {smallGraphFile()});
        Workspace& workspace = window.workspace();
        const auto found = [&](const char* dock, QWidget* focused) {
            QDockWidget* of = workspace.docks().find(QString::fromLatin1(dock));
            if (of) of->raise();
            focused->setFocus();
            window.actions().find("edit.find")->trigger();
            auto* field = qobject_cast<QLineEdit*>(QApplication::focusWidget());
            return field ? field->accessibleName() : QString();
        };
        QCOMPARE(found("inspector", &workspace.inspector()), "Search modules");
        QCOMPARE(found("collectives", workspace.collectives().findChild<QTreeView*>()), "Filter the collectives");
        QCOMPARE(found("collectives", QApplication::focusWidget()), "Filter the collectives");
        window.findChild<CentreTabs*>()->showView(QStringLiteral("graph"));
        QCOMPARE(found("", window.findChild<GraphView*>()), "Search the graph");
        QCOMPARE(found("modules", window.findChild<QTreeView*>("moduleTree")), "Search modules");
    }

    void everyMenuFitsALowScreen() {
        MainWindow window;
        constexpr int lowest_screen = 500;  // 1000 pixels at scale 2
        for (const QMenu* menu : window.menuBar()->findChildren<QMenu*>())
            QVERIFY2(menu->sizeHint().height() + window.menuBar()->sizeHint().height() <= lowest_screen,
                     qPrintable(QString("%1: %2").arg(menu->title()).arg(menu->sizeHint().height())));
    }

    void plansFromPresetsAreNamedAfterThem() {
        MainWindow window;
        window.document().setGraph(loadGraph(smallGraphFile()));
        window.actions().find("plan.new.torchtitan_default")->trigger();
        QCOMPARE(window.document().current()->title(), "torchtitan default");
        window.actions().find("plan.new.torchtitan_default")->trigger();
        QCOMPARE(window.document().current()->title(), "torchtitan default 2");
        window.actions().find("plan.new.torchtitan_performance")->trigger();
        QCOMPARE(window.document().current()->title(), "torchtitan performance");
    }

    void thePaletteFindsAndRuns() {
        MainWindow window;
        window.document().setGraph(loadGraph(smallGraphFile()));
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(window.help().palette().isVisible());
        QVERIFY(window.help().palette().list()->count() >= static_cast<int>(window.actions().entries().size()) - 1);
        QTest::keyClicks(window.help().palette().field(), "one bucket a block");

        QTest::keyClick(window.help().palette().field(), Qt::Key_Return);
        QVERIFY(!window.help().palette().isVisible());
        QVERIFY(!window.document().buckets().empty());
        // What cannot be done says why, and Enter does not close the palette as if it had been done.
        QAction* refused = window.actions().find("file.save");
        const QString title = refused->text().remove(u'&').remove(u'…');
        setAvailable(*refused, QStringLiteral("The disk is full"));
        window.help().palette().open();
        QTest::keyClicks(window.help().palette().field(), title);
        QVERIFY(window.help().palette().list()->count() > 0);
        auto* list = window.help().palette().list();
        QCOMPARE(list->currentItem()->data(Qt::UserRole).toString(), QStringLiteral("file.save"));
        const auto* why = list->itemWidget(list->currentItem())->findChild<QLabel*>("whyNot");
        QVERIFY(why);
        QCOMPARE(why->text(), QStringLiteral("The disk is full"));
        const auto* keys = list->itemWidget(list->currentItem())->findChild<QLabel*>("keys");
        QVERIFY(keys);
        QVERIFY(!keys->text().isEmpty());
        QCOMPARE(keys->text(), refused->shortcut().toString(QKeySequence::NativeText));
        QTest::keyClick(window.help().palette().field(), Qt::Key_Return);
        QVERIFY(window.help().palette().isVisible());
        setAvailable(*refused, {});
        // What there is not is said, and is nothing to run.
        window.help().palette().field()->setText("qqqzzz");
        QCOMPARE(list->count(), 1);
        QCOMPARE(list->item(0)->text(), "No command is called that");
        QTest::keyClick(window.help().palette().field(), Qt::Key_Return);
        QVERIFY(window.help().palette().isVisible());
        for (const char* word : {"slow", "microbatch", "schedule", "waiting"}) {
            window.help().palette().field()->setText(word);
            QVERIFY2(list->item(0)->data(Qt::UserRole).toString().startsWith("view.job"), word);
        }
        QTest::keyClick(window.help().palette().field(), Qt::Key_Escape);
        QVERIFY(!window.help().palette().isVisible());
    }

    void shortcutsAreListed() {
        MainWindow window;
        const ShortcutHelp help(window.actions(), &window);
        const QString text = help.findChild<QTextBrowser*>()->toPlainText();
        for (const Actions::Entry& entry : window.actions().entries())
            if (!entry.action->shortcut().isEmpty())
                QVERIFY2(text.contains(entry.action->shortcut().toString(QKeySequence::NativeText)),
                         qPrintable(entry.id));
    }

    void bucketKeysWorkOnlyInTheCards() {
        MainWindow window;
        window.document().setGraph(loadGraph(smallGraphFile()));
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.actions().find("plan.startBlock")->trigger();
        const auto count = window.document().buckets().size();
        BucketView* view = window.workspace().bucketBoard().view();
        view->setCurrentIndex(view->buckets().index(0));
        window.workspace().bucketBoard().entryField()->setFocus();
        QTest::keyClick(window.workspace().bucketBoard().entryField(), Qt::Key_Delete);
        QCOMPARE(window.document().buckets().size(), count);
        view->setFocus();
        QTest::keyClick(view, Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(view->currentIndex().row(), 1);
        QTest::keyClick(view, Qt::Key_Delete);
        QCOMPARE(window.document().buckets().size(), count - 1);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ActionsTest)
#include "actions_test.moc"
