#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QJsonObject>
#include <QLabel>
#include <QLayout>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QTabBar>
#include <QToolButton>
#include <QTreeView>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/automatic_commands.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/centre_tabs.h"
#include "ui/frame/docks/dock_layout.h"
#include "ui/frame/docks/enlarge_button.h"
#include "ui/frame/docks/enlarged_part.h"
#include "ui/mesh/mesh_view.h"
#include "ui/modules/module_tree_model.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_view.h"
#include "ui/search/search_controls.h"
#include "ui/search/search_panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/timeline_view.h"
#include "ui/widgets/charts/step_peak_chart.h"
#include "ui/widgets/tab_overflow.h"

namespace overlap::ui {

/// Every view can be used in a low window, in the application's fonts and style: 800x500 is what a screen of 1600x1000
/// leaves at scale 2.
class LowWindowTest : public QObject {
    Q_OBJECT

    static constexpr int usual = 180, high = 2000;  ///< heights of the panels below

  private slots:
    void initTestCase() { ThemeManager::instance().apply(); }

    /// A window with a frame is a little narrower than half of a screen, and modules of models lie deep.
    void modulesOfAModelShowAFigure() {
        MainWindow window;
        open(window, {QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz")});
        const auto* tree = window.findChild<QTreeView*>("moduleTree");
        window.resize(798, 487);
        QTRY_COMPARE(window.width(), 798);
        QTRY_VERIFY2(!tree->isColumnHidden(ModuleTreeModel::exposed_column),
                     qPrintable(QString::number(tree->width())));
    }

    void panelsAreNeverLowerThanTheyCanBeUsed_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("800x500") << QSize(800, 500);
        QTest::newRow("800x600") << QSize(800, 600);
        QTest::newRow("1024x640") << QSize(1024, 640);
    }
    void panelsAreNeverLowerThanTheyCanBeUsed() {
        QFETCH(QSize, size);
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0\nlayers.1");
        QVERIFY(waitUntilIdle(window));
        window.resize(size);
        QTRY_COMPARE(window.size(), size);
        for (QDockWidget* dock : window.workspace().docks().all()) {
            if (window.dockWidgetArea(dock) != Qt::BottomDockWidgetArea) continue;
            dock->show();
            dock->raise();
            QTRY_VERIFY2(window.rect().intersects(dock->geometry()), qPrintable(dock->objectName()));
            QVERIFY(waitUntilIdle(window));
            QCOMPARE(window.size(), size);
            const QString name = dock->objectName();
            for (const auto* view : dock->findChildren<QTreeView*>()) {
                if (!view->isVisible() || !view->model() || view->model()->rowCount() < 2) continue;
                const int rows = view->viewport()->height() / std::max(1, view->sizeHintForRow(0));
                QVERIFY2(rows >= 2, qPrintable(QStringLiteral("%1: %2 rows").arg(name).arg(rows)));
            }
            for (const auto* chart : dock->findChildren<StepPeakChart*>()) {
                const int seen = chart->visibleRegion().boundingRect().height();
                QVERIFY2(!chart->isVisible() || seen >= chart->minimumHeight(),
                         qPrintable(QStringLiteral("%1: %2").arg(name).arg(seen)));
            }
            for (const auto* button : dock->findChildren<QAbstractButton*>()) {
                if (!button->isVisible() || button->visibleRegion().isEmpty()) continue;
                QVERIFY2(button->height() >= button->minimumSizeHint().height() &&
                             button->width() >= button->minimumSizeHint().width(),
                         qPrintable(name + u' ' + button->text()));
            }
        }
    }

    /// Overlaps by hand are one column more where a window has the room. 796x487: what a frame leaves at scale 2.
    void passesFitBesideOverlapsByHand() {
        MainWindow window;
        open(window, {smallGraphFile()});
        Plan plan = window.document().current()->plan();
        plan.overlaps.list.push_back({.collective = "all_gather_into_tensor_1", .wait_after = "mm"});
        window.document().editPlan("overlap", plan);
        QVERIFY(waitUntilIdle(window));
        window.resize(796, 487);
        QTRY_COMPARE(window.size(), QSize(796, 487));
        window.actions().find("view.go.passes")->trigger();
        auto* panel = window.findChild<QWidget*>("passesPanel");
        QTRY_VERIFY(panel->isVisible() && panel->findChild<QWidget*>("overlaps")->isVisible());
        runAllDue();
        QCOMPARE(window.size(), QSize(796, 487));
        QVERIFY2(panel->minimumSizeHint().width() <= 640,
                 qPrintable(QString::number(panel->minimumSizeHint().width())));
        // Options have room for their names.
        const auto* options = panel->findChild<QWidget*>("passOptions");
        QVERIFY2(options->width() >= 220, qPrintable(QString::number(options->width())));
        // What the bar has no room for is in its menu.
        const auto* more = panel->findChild<QToolButton*>("morePasses");
        const auto* start = panel->findChild<QToolButton*>("startPipeline");
        QVERIFY(more->isVisible() != start->isVisible());
        QVERIFY(more->menu()->actions().contains(start->menu()->menuAction()));
        for (const auto* button : panel->findChild<QWidget*>("passesBar")->findChildren<QToolButton*>())
            if (button->isVisible())
                QVERIFY2(button->width() >= button->sizeHint().width(), qPrintable(button->text()));
        for (const auto* setting : panel->findChild<QWidget*>("overlaps")->findChildren<QCheckBox*>())
            QVERIFY2(setting->width() >= setting->sizeHint().width(), qPrintable(setting->text()));
    }

    void cardsOfAnAutomaticPlanHaveTheirButtons() {
        MainWindow window;
        open(window, {smallGraphFile()});
        AutomaticCommands(window.document()).addAutomatic();
        BucketCommands(window.document()).addText("layers.0");
        QVERIFY(waitUntilIdle(window));
        window.resize(800, 500);
        QTRY_COMPARE(window.size(), QSize(800, 500));
        BucketBoard& board = window.workspace().bucketBoard();
        const auto* untaken = board.findChild<QWidget*>("untakenCards");
        QTRY_VERIFY(untaken->isVisible());
        QList<QWidget*> controls{board.entryField(), untaken->findChild<QLabel*>()};
        for (auto* button : board.findChildren<QAbstractButton*>()) controls.append(button);
        for (const QWidget* control : controls) {
            if (!control->isVisible()) continue;
            QTRY_VERIFY2(control->height() >= control->minimumSizeHint().height(),
                         qPrintable(control->objectName() + u' ' + control->accessibleName()));
        }
        QVERIFY(board.view()->visibleRegion().boundingRect().height() >= 30);
    }

    /// Nor does the field of a typed limit in Search widen the window.
    void aTypedLimitLeavesTheWindowAsItIs() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.actions().find("view.go.search")->trigger();
        window.resize(800, 500);
        QTRY_COMPARE(window.size(), QSize(800, 500));
        SearchControls& controls = window.workspace().search().controls();
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        runAllDue();
        QCOMPARE(window.size(), QSize(800, 500));
    }

    void panelsStayBesideAMemoryCurveThatIsAskedFor() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.resize(1024, 540);
        TimelineView& timeline = window.workspace().timeline();
        auto* hint = timeline.findChild<QAbstractButton*>("memoryHint");
        QTRY_VERIFY(timeline.geometryOfParts().memory.isEmpty() && hint->isVisible());
        hint->click();
        QTRY_VERIFY(!timeline.geometryOfParts().memory.isEmpty() && !hint->isVisible());
        for (const char* dock : {"modules", "buckets", "problems"})
            QVERIFY2(window.workspace().docks().find(dock)->isVisible(), dock);
        QVERIFY(!window.workspace().enlarged().any());
    }

    /// The view above the timeline is there as long as there is room for both, in a share that stays.
    void aMemoryCurveThatIsAskedForTakesNoMoreRoomThanItNeeds_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<int>("panels");
        QTest::addColumn<bool>("open_before");
        QTest::addColumn<bool>("open_after");
        QTest::addColumn<bool>("enlarged");
        QTest::addColumn<QString>("told");
        const QString panels = QStringLiteral("Panels are hidden; View, Enlarge this part, shows them again");
        QTest::newRow("the view above is lower") << QSize(1280, 800) << usual << true << true << false << QString();
        QTest::newRow("it closes") << QSize(1024, 540) << usual << true << false << false
                                   << QStringLiteral(
                                          "The view above the timeline is closed; View, Show views above "
                                          "the timeline, opens it");
        QTest::newRow("panels are hidden") << QSize(1280, 800) << high << true << true << true << panels;
        QTest::newRow("panels are hidden and it closes")
            << QSize(1280, 440) << high << true << false << true
            << QStringLiteral(
                   "Panels are hidden, and the view above the timeline is closed; View, Enlarge this part, "
                   "and View, Show views above the timeline, show them again");
        QTest::newRow("it was closed") << QSize(1280, 800) << high << false << false << true << panels;
    }
    void aMemoryCurveThatIsAskedForTakesNoMoreRoomThanItNeeds() {
        QFETCH(QSize, size);
        QFETCH(int, panels);
        QFETCH(bool, open_before);
        QFETCH(bool, open_after);
        QFETCH(bool, enlarged);
        QFETCH(QString, told);
        MainWindow window;
        open(window, {QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")});
        CentreTabs& centre = window.workspace().centre();
        constexpr double high_share = 0.8;
        centre.restore({{"view", "graph"}, {"upper_share", QJsonObject{{"graph", high_share}}}, {"open", open_before}});
        window.resize(size);
        QTRY_COMPARE(window.size(), size);
        // Panels at the sides would keep some height for the middle.
        for (const char* side : {"modules", "buckets", "inspector"})
            window.workspace().docks().find(side)->setVisible(panels == usual);
        runAllDue();
        window.resizeDocks({window.workspace().docks().find("problems")}, {panels}, Qt::Vertical);
        runAllDue();
        TimelineView& timeline = window.workspace().timeline();
        auto* hint = timeline.findChild<QAbstractButton*>("memoryHint");
        QTRY_VERIFY(hint->isVisible());
        QStringList sentences;
        connect(&window.workspace(), &Workspace::told, &timeline,
                [&](const QString& sentence) { sentences.append(sentence); });
        hint->click();
        QTRY_VERIFY(timeline.geometryOfParts().memory.height() >= 20 && !hint->isVisible());
        runAllDue();
        QVERIFY(!timeline.geometryOfParts().memory.isEmpty() && timeline.isVisible());
        QCOMPARE(centre.open(), open_after);
        // The next start has what the user had opened.
        QCOMPARE(centre.state()["open"].toBool(), open_before);
        QCOMPARE(window.workspace().enlarged().any(), enlarged);
        QCOMPARE(sentences.join(u'|'), told);
        // What is closed opens as it was.
        const double share = centre.state()["upper_share"].toObject()["graph"].toDouble();
        QVERIFY2(open_after == (share < high_share), qPrintable(QString::number(share)));
        if (open_after) QVERIFY(centre.view(QStringLiteral("graph"))->visibleRegion().boundingRect().height() >= 48);
        // Another view and back: the curve is still there.
        if (!open_after) return;
        const int height = timeline.height();
        centre.showView(QStringLiteral("mesh"));
        centre.showView(QStringLiteral("graph"));
        QTRY_VERIFY(std::abs(timeline.height() - height) <= 1);  // a share of it is rounded
    }

    void aMemoryCurveWithoutRoomIsTold() {
        MainWindow window;
        open(window, {smallGraphFile()});
        TimelineView& timeline = window.workspace().timeline();
        const auto* hint = timeline.findChild<QAbstractButton*>("memoryHint");
        QVERIFY(!timeline.geometryOfParts().memory.isEmpty() && !hint->isVisible());
        window.resize(800, 500);
        QTRY_VERIFY(timeline.geometryOfParts().memory.isEmpty() && hint->isVisible());
        QVERIFY(timeline.geometryOfParts().header.contains(hint->geometry()));
        const_cast<QAbstractButton*>(hint)->click();
        QTRY_VERIFY(!timeline.geometryOfParts().memory.isEmpty() && !hint->isVisible());
    }

    void thePlanThatIsShownHasTheTabsOfANarrowWindow() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.document().renameCurrent(QStringLiteral("As torchtitan plans it"));
        window.resize(800, 500);
        const auto* tabs = window.findChild<QWidget*>("variantBar")->findChild<QTabBar*>();
        QTRY_VERIFY(tabs->width() < TabOverflow::narrow_bar);
        const int shown = tabs->currentIndex();
        const auto* list = tabs->findChild<QWidget*>("allTabs");
        QTRY_VERIFY(tabs->tabRect(shown).left() >= 0 && tabs->tabRect(shown).right() <= list->x());
        QVERIFY2(tabs->tabRect(0).right() <= 1, qPrintable(QString::number(tabs->tabRect(0).right())));
        // A shorter name leaves something of its neighbour, which is not drawn and takes no click.
        window.document().renameCurrent(QStringLiteral("Plan A"));
        QTRY_VERIFY(tabs->tabRect(0).left() < 0 && tabs->tabRect(0).right() > 1);
        const QImage picture = const_cast<QTabBar*>(tabs)->grab().toImage();
        const QColor ground = picture.pixelColor(0, 0);
        for (int x = 4; x < tabs->tabRect(0).right() - 4; ++x)
            QCOMPARE(picture.pixelColor(x, tabs->height() / 2), ground);
        QTest::mouseClick(const_cast<QTabBar*>(tabs), Qt::LeftButton, {}, QPoint(4, tabs->height() / 2));
        QCOMPARE(tabs->currentIndex(), shown);
    }

    void namesOfPanelsAreAllThereInANarrowWindow() {
        MainWindow window;
        open(window, {smallGraphFile()});
        auto* problems = window.findChild<QDockWidget*>("problems");
        const auto tabsOf = [&]() -> QTabBar* {
            for (auto* bar : window.findChildren<QTabBar*>(Qt::FindDirectChildrenOnly))
                if (bar->tabText(0) == problems->windowTitle()) return bar;
            return nullptr;
        };
        for (const int width : {800, 1024, 1600}) {
            window.resize(width, 600);
            QTRY_COMPARE(window.width(), width);
            QTabBar* tabs = tabsOf();
            QVERIFY(tabs);
            const auto areWhole = [&] {
                const int end = tabs->findChild<EnlargeButton*>()->x();
                for (int tab = 0; tab < tabs->count(); ++tab) {
                    const QRect place = tabs->tabRect(tab);
                    const int text = tabs->fontMetrics().horizontalAdvance(tabs->tabText(tab));
                    if (place.left() < 0 || place.width() < text) return false;
                    if (place.left() + (place.width() + text) / 2 > end) return false;
                }
                return true;
            };
            QTRY_VERIFY2(areWhole(), qPrintable(QString::number(width)));
        }
    }

    void onePanelOrTheMiddleHasTheWholeWindow() {
        MainWindow window;
        open(window, {smallGraphFile()});
        window.resize(800, 500);
        QTRY_COMPARE(window.width(), 800);
        auto* compare = window.findChild<QDockWidget*>("compare");
        window.actions().find("view.go.compare")->trigger();
        QTRY_VERIFY(!compare->visibleRegion().isEmpty());
        const int low = compare->height();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F11);
        QTRY_VERIFY(window.workspace().enlarged().any());
        QTRY_VERIFY2(compare->height() > low + 100, qPrintable(QString::number(compare->height())));
        // Whatever is asked for is there.
        window.actions().find("view.go.timeline")->trigger();
        QVERIFY(window.workspace().timeline().isVisible());
        QTRY_COMPARE(compare->height(), low);
        window.actions().find("view.go.mesh")->trigger();
        window.actions().find("view.enlarge")->trigger();
        QTRY_VERIFY(window.findChild<QDockWidget*>("modules")->isHidden());
        QTRY_VERIFY(window.workspace().mesh().width() >= 780);
        window.actions().find("view.go.modules")->trigger();
        QTRY_VERIFY(window.findChild<QDockWidget*>("modules")->isVisible() && compare->isVisible());
    }

    void theMeshViewDoesNotScrollSideways() {
        MainWindow window;
        open(window, {smallGraphFile()});
        for (const QSize size : {QSize(800, 500), QSize(1024, 640), QSize(1280, 800), QSize(1600, 1000)}) {
            window.resize(size);
            QTRY_COMPARE(window.size(), size);
            window.workspace().centre().showView("mesh");
            for (const char* name : {"meshArea", "meshPaths"}) {
                const auto* area = window.workspace().mesh().findChild<QScrollArea*>(QString::fromLatin1(name));
                QTRY_VERIFY2(area->horizontalScrollBar()->maximum() == 0,
                             qPrintable(QStringLiteral("%1 at %2: %3")
                                            .arg(QString::fromLatin1(name))
                                            .arg(size.width())
                                            .arg(area->horizontalScrollBar()->maximum())));
            }
        }
    }

    void anotherViewAboveTheTimelineMovesNoBorder() {
        MainWindow window;
        open(window, {smallGraphFile()});
        for (const QSize size : {QSize(800, 500), QSize(1024, 640)}) {
            window.resize(size);
            QTRY_COMPARE(window.size(), size);
            window.workspace().centre().showView("graph");
            runAllDue();
            const int modules = window.findChild<QDockWidget*>("modules")->width();
            const int buckets = window.findChild<QDockWidget*>("buckets")->width();
            window.workspace().centre().showView("mesh");
            QTRY_VERIFY(!window.workspace().mesh().visibleRegion().isEmpty());
            runAllDue();
            window.layout()->activate();
            QCOMPARE(window.findChild<QDockWidget*>("modules")->width(), modules);
            QCOMPARE(window.findChild<QDockWidget*>("buckets")->width(), buckets);
        }
    }

    void aHeightOutlivesAWindowThatIsTooLowForIt() {
        MainWindow window;
        open(window, {smallGraphFile()});
        auto* problems = window.findChild<QDockWidget*>("problems");
        const int height = problems->height();
        window.resize(800, 500);
        QTRY_VERIFY(problems->height() < height);
        for (const char* name : {"compare", "memory", "problems"}) {
            window.findChild<QDockWidget*>(QString::fromLatin1(name))->raise();
            runAllDue();
        }
        window.resize(1400, 900);
        QTRY_COMPARE(problems->height(), height);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::LowWindowTest)
#include "low_window_test.moc"
