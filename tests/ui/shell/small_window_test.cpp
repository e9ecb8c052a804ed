#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QTabBar>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <set>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/figures_bar.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/frame/variant_bar.h"
#include "ui/mesh/inputs_form.h"
#include "ui/mesh/mesh_view.h"
#include "ui/modules/module_tree_model.h"
#include "ui/shell/main_window.h"
#include "ui/shell/session_controller.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

/// Windows of little width or height: nothing is squeezed away, and what was wide is wide again.
class SmallWindowTest : public QObject {
    Q_OBJECT

    /// As a person does who presses the mouse on the border between docks.
    static void dragBorder(QMainWindow& window, int x, int by) {
        const auto* modules = window.findChild<QDockWidget*>("modules");
        const auto* buckets = window.findChild<QDockWidget*>("buckets");
        const auto widths = [&] { return std::pair(modules->width(), buckets->width()); };
        const auto before = widths();
        const int y = modules->geometry().center().y();
        QTest::mousePress(&window, Qt::LeftButton, {}, {x + 1, y});
        QTest::mouseMove(&window, {x + 1 + by, y});
        QTRY_VERIFY(widths() != before);  // docks follow the border a moment later
        QTest::mouseRelease(&window, Qt::LeftButton, {}, {x + 1 + by, y});
    }

    /// What was changed is laid out, and what that changes in turn.
    static void layOut() {
        for (int round = 0; round < 4; ++round) {
            QCoreApplication::sendPostedEvents();
            QCoreApplication::processEvents();
        }
    }

  private slots:
    void figuresShrinkAndStay() {
        MainWindow window;
        open(window, {smallGraphFile()});
        auto* figures = window.findChild<FiguresBar*>();
        window.show();
        for (const int width : {1400, 900, 760}) {
            window.resize(width, 700);
            QTRY_VERIFY(figures->isVisible() && figures->width() >= figures->minimumSizeHint().width());
            const QString help = figures->helpAt(figures->width() - 1);
            QVERIFY(!help.isEmpty());
            if (figures->width() < figures->sizeHint().width()) QVERIFY(help.contains("collectives"));
        }
    }

    void aLongNoticeLeavesTheWindowAsItIs() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.resize(1024, 640);
        layOut();
        QCOMPARE(window.width(), 1024);
        const int centre = window.centralWidget()->width();
        const QString path = "/home/someone" + QString("/a_folder_with_a_long_name").repeated(20) + "/a.plan.json";
        window.workspace().notice().showNotice(
            path + " was changed on disk since it was read; the plan was not saved",
            {{"Overwrite what is in the file now", [] {}}, {"Save the plan under another name", [] {}}});
        layOut();
        QCOMPARE(window.size(), QSize(1024, 640));
        QCOMPARE(window.centralWidget()->width(), centre);
        QVERIFY2(window.workspace().notice().height() < 110,
                 qPrintable(QString::number(window.workspace().notice().height())));
    }

    /// A window with a frame has less than half of a screen at scale 2, and a toolbar leaves out what does not fit.
    void theStepIsToldInTheNarrowestWindow() {
        MainWindow window;
        open(window, {smallGraphFile()});
        auto* figures = window.findChild<FiguresBar*>();
        std::vector<Figure> wide = figures->figures();
        QVERIFY(wide.size() >= 4);
        for (Figure& figure : wide) figure.value = QStringLiteral("10000.0 milliseconds");
        figures->showInstead(wide);
        for (const int width : {900, 798, 700}) {
            window.resize(width, 487);
            QTRY_COMPARE(window.width(), width);
            layOut();
            QVERIFY2(figures->isVisible(), qPrintable(QString::number(width)));
            QVERIFY(!figures->labels().isEmpty());
            QVERIFY(figures->labels().front().startsWith(QStringLiteral("step")));
            QVERIFY2(figures->width() >= figures->minimumSizeHint().width(), qPrintable(QString::number(width)));
        }
    }

    void figuresKeepTheirNamesInASmallWindow() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0");
        QVERIFY(waitForEvaluation(window.document()));
        auto* figures = window.findChild<FiguresBar*>();
        window.resize(1024, 640);
        window.show();
        QTRY_VERIFY(figures->isVisible());
        // The upper line, in which names stand, is not empty.
        const QImage upper = figures->grab(QRect(0, 0, figures->width(), 10)).toImage();
        std::set<QRgb> colours;
        for (int x = 0; x < upper.width(); ++x)
            for (int y = 0; y < upper.height(); ++y) colours.insert(upper.pixel(x, y));
        QVERIFY(colours.size() > 3);
    }

    void titlesOfPlansAreElidedBeforeTabsScroll() {
        MainWindow window;
        open(window, {smallGraphFile()});
        for (int i = 0; i < 3; ++i) {
            if (i > 0) window.document().addCopyOfCurrent();
            window.document().renameCurrent(QStringLiteral("A plan whose name is long, %1").arg(i));
        }
        window.resize(1024, 640);
        window.show();
        QTabBar* tabs = window.workspace().variants().tabs();
        QTRY_VERIFY(tabs->isVisible());
        const QFontMetrics metrics(textFont(normalTextPx, QFont::DemiBold));
        QTRY_VERIFY(tabs->tabRect(1).width() < metrics.horizontalAdvance(tabs->tabText(1)));
        for (const auto* button : tabs->findChildren<QToolButton*>()) QVERIFY(!button->isVisible());
        for (int tab = 0; tab < tabs->count(); ++tab) QVERIFY(tabs->rect().contains(tabs->tabRect(tab)));
        QVERIFY(tabs->tabRect(0).width() > metrics.horizontalAdvance(tabs->tabText(0)));
        QVERIFY(tabs->tabToolTip(1).contains(window.document().variant(1).title()));
    }

    /// Whether a plan is better is told before titles are whole.
    void theStepsDifferenceStandsBesideSeveralPlans() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0");
        for (int i = 0; i < 3; ++i) {
            if (i > 0) window.document().addCopyOfCurrent();
            window.document().renameCurrent(QStringLiteral("A plan whose name is long, %1").arg(i));
        }
        QVERIFY(waitForEvaluation(window.document()));
        window.resize(1024, 640);
        window.show();
        const FiguresBar& figures = window.workspace().figures();
        QTRY_VERIFY(figures.isVisible() && !figures.differences().isEmpty());
        QVERIFY(!figures.differences().front().isEmpty());
    }

    void sixPlansAreToldApartInASmallWindow() {
        MainWindow window;
        open(window, {smallGraphFile()});
        for (int i = 0; i < 5; ++i) window.document().addCopyOfCurrent();
        window.resize(1024, 640);
        QTabBar* tabs = window.workspace().variants().tabs();
        const auto* list = tabs->findChild<QToolButton*>("allTabs");
        const QFontMetrics metrics(textFont(normalTextPx, QFont::DemiBold));
        for (int tab = 0; tab < tabs->count(); ++tab)
            QTRY_VERIFY(tabs->tabRect(tab).width() > metrics.horizontalAdvance(tabs->tabText(tab)));
        const bool all = tabs->tabRect(tabs->count() - 1).right() <= tabs->width() && tabs->tabRect(0).left() >= 0;
        QVERIFY(all || list->isVisible());
    }

    void captionsGiveWayToPlansAndFigures() {
        MainWindow window;
        open(window, {smallGraphFile()});
        const auto* bar = window.findChild<QToolBar*>();
        const auto* run = static_cast<QToolButton*>(bar->widgetForAction(window.actions().find("run.show")));
        QTRY_COMPARE(run->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
        const auto isWhole = [&] { return run->isVisible() && run->width() >= run->sizeHint().width(); };
        QTRY_VERIFY(isWhole());
        for (int i = 0; i < 5; ++i) window.document().addCopyOfCurrent();
        for (const int width : {1024, 800}) {
            window.resize(width, 640);
            QTRY_COMPARE(run->toolButtonStyle(), Qt::ToolButtonIconOnly);
            QTRY_VERIFY(isWhole());
            QTRY_VERIFY(window.workspace().figures().isVisible() && window.workspace().variants().isVisible());
        }
        while (window.document().variantCount() > 2) window.document().closeVariant(2);
        window.resize(1600, 900);
        QTRY_COMPARE(run->toolButtonStyle(), Qt::ToolButtonTextBesideIcon);
    }

    void panelsBelowKeepTheirShareOfALowWindow() {
        MainWindow window;
        open(window, {smallGraphFile()});
        auto* problems = window.findChild<QDockWidget*>("problems");
        const int height = problems->height();
        // Behind the one in front, docks have sizes that say nothing.
        window.findChild<QDockWidget*>("log")->resize(400, 70);
        window.resize(1024, 640);
        QTRY_VERIFY(problems->height() < height);
        QVERIFY(problems->height() >= 100);
        const int low = problems->height();
        window.findChild<QDockWidget*>("memory")->raise();
        QTRY_VERIFY(!window.findChild<QDockWidget*>("memory")->visibleRegion().isEmpty());
        QCOMPARE(window.findChild<QDockWidget*>("memory")->height(), low);
        window.resize(1400, 900);
        QTRY_COMPARE(window.findChild<QDockWidget*>("memory")->height(), height);
    }

    void processGroupsShowButtonsAndRowsInASmallWindow() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.resize(1024, 640);
        window.show();
        auto* dock = window.findChild<QDockWidget*>("groups");
        dock->raise();
        auto* view = dock->findChild<QTreeView*>();
        QTRY_VERIFY(view->isVisible());
        QTRY_VERIFY(view->viewport()->height() >= 2 * view->sizeHintForRow(0));
        const auto buttonsAreWhole = [&] {
            for (const auto* button : dock->widget()->findChildren<QToolButton*>())
                if (button->height() < button->sizeHint().height()) return false;
            return true;
        };
        QVERIFY(buttonsAreWhole());
        const int height = dock->height();
        window.resizeDocks({dock}, {1}, Qt::Vertical);  // as low as a person can make it
        QTRY_VERIFY(dock->height() < height);
        QVERIFY(buttonsAreWhole());
    }

    void compareShowsRowsInALowWindow() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0");
        QVERIFY(waitUntilIdle(window));
        window.resize(1024, 640);
        auto* dock = window.findChild<QDockWidget*>("compare");
        dock->raise();
        auto* view = dock->findChild<QTreeView*>();
        QTRY_VERIFY(view->isVisible() && view->model()->rowCount() > 0);
        QTRY_VERIFY2(view->viewport()->height() >= 2 * view->sizeHintForRow(0),
                     qPrintable(QString::number(view->viewport()->height())));
    }

    void theMeshViewLeavesDocksTheirWidths() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.resize(1024, 640);
        auto* buckets = window.findChild<QDockWidget*>("buckets");
        QTRY_COMPARE(window.width(), 1024);
        const int width = buckets->width();
        window.workspace().centre().showView("mesh");
        QTRY_VERIFY(window.workspace().mesh().isVisible());
        layOut();
        QCOMPARE(buckets->width(), width);
    }

    /// 800x500 is what a screen of 1600x1000 leaves at scale 2.
    void modulesShowFiguresInTheSmallestWindow() {
        MainWindow window;
        open(window, {smallGraphFile()});
        auto* tree = window.findChild<QTreeView*>("moduleTree");
        for (const QSize size : {QSize(1024, 640), QSize(800, 500)}) {
            window.resize(size);
            QTRY_COMPARE(window.size(), size);
            QTRY_VERIFY2(!tree->isColumnHidden(ModuleTreeModel::exposed_column),
                         qPrintable(QString::number(size.width())));
            QVERIFY(tree->columnWidth(ModuleTreeModel::name_column) > 80);
            // No view needs more than its share.
            for (const char* view : {"mesh", "job", "graph"}) {
                window.workspace().centre().showView(view);
                layOut();
                QCOMPARE(window.size(), size);
                QVERIFY2(!tree->isColumnHidden(ModuleTreeModel::exposed_column), view);
            }
        }
        const auto* devices = window.findChild<QWidget*>("meshInputs");
        QVERIFY(window.workspace().mesh().form().hosts()->parentWidget() == devices);
    }

    /// Also of a column that was hidden before.
    void headingsOfModulesAreWholeAtAnyWidth() {
        MainWindow window;
        open(window, {smallGraphFile()});
        auto* modules = window.findChild<QDockWidget*>("modules");
        auto* tree = window.findChild<QTreeView*>("moduleTree");
        const int heading = tree->header()->sectionSizeHint(ModuleTreeModel::exposed_column);
        QVERIFY(heading > 0);
        const auto* more = tree->findChild<QLabel*>("hiddenColumns");
        bool hidden = false, shown = false;
        for (int width = 130; width < 260; width += 2) {
            window.resizeDocks({modules}, {width}, Qt::Horizontal);
            layOut();
            const bool is_hidden = tree->isColumnHidden(ModuleTreeModel::exposed_column);
            hidden = hidden || is_hidden;
            // That there are others is seen, and which.
            const auto lacks = [&](int column) { return tree->isColumnHidden(column); };
            const bool any = lacks(ModuleTreeModel::compute_column) || lacks(ModuleTreeModel::communication_column);
            QCOMPARE(more->isVisible(), any || is_hidden);
            if (is_hidden) QVERIFY2(more->toolTip().contains("Exposed"), qPrintable(more->toolTip()));
            if (is_hidden) QVERIFY(!more->visibleRegion().isEmpty());
            if (is_hidden) {
                const QPoint place = more->mapTo(tree, QPoint());
                tree->header()->setOffset(30);  // as a tree that is scrolled sideways does
                QCOMPARE(more->mapTo(tree, QPoint()), place);
                tree->header()->setOffset(0);
            }
            if (is_hidden) continue;
            shown = true;
            QVERIFY2(tree->columnWidth(ModuleTreeModel::exposed_column) >= heading, qPrintable(QString::number(width)));
        }
        QVERIFY(hidden && shown);
    }

    void theFirstWindowFitsTheScreen() {
        const MainWindow window;
        const QSize available = window.screen()->availableGeometry().size();
        QVERIFY(window.width() <= available.width() && window.height() <= available.height());
    }

    /// Whatever the session brings back, such as the window of a larger screen.
    void allOfTheWindowIsOnTheScreen() {
        MainWindow window;
        const QRect available = window.screen()->availableGeometry();
        window.setGeometry(QRect(available.topLeft() + QPoint(40, 60), available.size()));
        window.showOnScreen();
        QTRY_VERIFY2(available.contains(window.frameGeometry()),
                     qPrintable(QString::number(window.frameGeometry().y())));
    }

    void docksReturnToTheirWidths() {
        MainWindow window;
        open(window, {smallGraphFile()});
        auto* modules = window.findChild<QDockWidget*>("modules");
        auto* buckets = window.findChild<QDockWidget*>("buckets");
        dragBorder(window, modules->geometry().right(), 340 - modules->width());
        dragBorder(window, buckets->geometry().left() - 2, buckets->width() - 360);
        QTRY_COMPARE(modules->width(), 340);
        QTRY_COMPARE(buckets->width(), 360);
        window.resize(window.minimumSizeHint().width(), 900);
        QTRY_VERIFY2(modules->width() < 340, "the window squeezes the docks");
        window.resize(1400, 900);
        QTRY_COMPARE(modules->width(), 340);
        QTRY_COMPARE(buckets->width(), 360);
    }

    void whatASmallWindowSqueezedIsWideInALaterOne() {
        QTemporaryDir folder;
        {
            MainWindow window(folder.path());
            window.resize(800, 500);
            window.show();
            window.openFiles({smallGraphFile()});
            QVERIFY(waitUntilIdle(window));
            QTRY_VERIFY(window.findChild<QDockWidget*>("modules")->width() < 280);
            QCOMPARE(window.session().store(), QString());
        }
        MainWindow window(folder.path());
        open(window, {smallGraphFile()});
        window.resize(1600, 1000);
        QTRY_COMPARE(window.findChild<QDockWidget*>("modules")->width(), 300);
        const auto* modules = window.findChild<QTreeView*>("moduleTree");
        for (int column = 0; column < modules->model()->columnCount(); ++column)
            QTRY_VERIFY2(!modules->isColumnHidden(column), qPrintable(QString::number(column)));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SmallWindowTest)
#include "small_window_test.moc"
