// The main path through the real window, with real mouse events.

#include "ui/shell/main_window.h"

#include <QApplication>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QLineEdit>
#include <QMimeData>
#include <QTabBar>
#include <QTimer>

#include "tests/ui/ui_test_support.h"
#include "ui/document/bucket_commands.h"
#include "ui/panels/module_tree_model.h"
#include "ui/panels/modules_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_model.h"
#include "ui/plan/bucket_view.h"
#include "ui/shell/figures_bar.h"
#include "ui/shell/notice_bar.h"
#include "ui/shell/screenshot.h"
#include "ui/shell/variant_bar.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

class MainWindowTest : public QObject {
    Q_OBJECT

    static bool waitUntilIdle(MainWindow& window) {
        return QTest::qWaitFor(
            [&] { return window.document().isOpen() && window.idle() && !window.document().current()->stale(); },
            60'000);
    }

    static void open(MainWindow& window, const QStringList& files) {
        window.resize(1400, 900);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        window.openFiles(files);
        QVERIFY(waitUntilIdle(window));
    }

    static QStringList figureTexts(const MainWindow& window) {
        QStringList texts;
        for (const Figure& figure : figuresOf(const_cast<MainWindow&>(window).document()))
            texts.append(figure.value + figure.difference);
        return texts;
    }

    /// Presses on a module in the tree, drags to a point of the cards by mouse and lets go. The drag is Qt's own: the
    /// pointer's way is scheduled before the press, because a drag runs an event loop of its own.
    static void dragModule(MainWindow& window, const QString& path, const QPoint& target) {
        ModuleTreeView* tree = window.modulesPanel().tree();
        const QModelIndex index = window.modulesPanel().model()->indexOfModule(path);
        QVERIFY(index.isValid());
        tree->scrollTo(index);
        QCoreApplication::processEvents();
        const QPoint from = tree->visualRect(index).center();
        QWidget* cards = window.bucketBoard().view()->viewport();
        QWindow* handle = window.windowHandle();
        const QPoint end = cards->mapTo(&window, target);
        const QPoint start = tree->viewport()->mapTo(&window, from);
        QTimer::singleShot(20, &window, [=] { QTest::mouseMove(handle, (start + end) / 2); });
        QTimer::singleShot(60, &window, [=] { QTest::mouseMove(handle, end - QPoint(0, 3)); });
        QTimer::singleShot(100, &window, [=] { QTest::mouseMove(handle, end); });
        QTimer::singleShot(140, &window, [=] { QTest::mouseRelease(handle, Qt::LeftButton, {}, end); });
        QTest::mousePress(handle, Qt::LeftButton, {}, start);
        QTest::mouseMove(handle, start + QPoint(0, 2));
        QTest::mouseMove(handle, start + QPoint(30, 2));
        QTest::qWait(300);
    }

    static QPoint belowCards(MainWindow& window) {
        BucketView* view = window.bucketBoard().view();
        return {view->viewport()->width() / 2, view->viewport()->height() - 8};
    }
    static QPoint cardCentre(MainWindow& window, int row) {
        BucketView* view = window.bucketBoard().view();
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

        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(figureTexts(window), with_one);
        QTest::keyClick(&window, Qt::Key_Y, Qt::ControlModifier);
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(figureTexts(window), with_two);

        const QString path = folder.filePath("two.plan.json");
        QVERIFY(window.savePlanAs(path));
        QVERIFY(!window.document().current()->modified());

        MainWindow again;
        open(again, {path, smallGraphFile()});  // in any order
        QTRY_COMPARE(again.document().current()->filePath(), path);
        QVERIFY(waitUntilIdle(again));
        QCOMPARE(figureTexts(again), with_two);
        QCOMPARE(again.document().variantCount(), 2);  // the empty plan made room
    }

    void modulesLeaveTheirBucketByMouse() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0");
        QVERIFY(waitUntilIdle(window));
        BucketView* view = window.bucketBoard().view();
        QWindow* handle = window.windowHandle();
        const QPoint start =
            view->viewport()->mapTo(&window, view->visualRect(view->buckets().index(0)).topLeft() + QPoint(40, 14));
        QWidget* tree = window.modulesPanel().tree()->viewport();
        const QPoint end = tree->mapTo(&window, QPoint(60, tree->height() - 20));
        QTimer::singleShot(40, &window, [=] { QTest::mouseMove(handle, end - QPoint(4, 0)); });
        QTimer::singleShot(80, &window, [=] { QTest::mouseMove(handle, end); });
        QTimer::singleShot(120, &window, [=] { QTest::mouseRelease(handle, Qt::LeftButton, {}, end); });
        QTest::mousePress(handle, Qt::LeftButton, {}, start);
        QTest::mouseMove(handle, start - QPoint(4, 0));
        QTest::mouseMove(handle, start - QPoint(40, 0));
        QTest::qWait(250);
        QVERIFY(window.document().buckets().empty());
    }

    void theEmbeddedSampleOpens() {
        MainWindow window;
        window.openSessionOrSample();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().name(), "llama3_8b_fsdp64.prebucket");
        QVERIFY(window.timeline().timeline() && window.timeline().timeline()->event_count() > 1000);
    }

    void aBadFileIsToldAndChangesNothing() {
        MainWindow window;
        open(window, {smallGraphFile()});
        QTemporaryDir folder;
        QFile bad(folder.filePath("bad.graph.json"));
        QVERIFY(bad.open(QIODevice::WriteOnly));
        bad.write(R"({"format": "overlap-graph", "version": 1, "nodes": [{)");
        bad.close();
        BucketCommands(window.document()).addText("layers.0");
        const auto graph = window.document().graph();
        window.openFiles({bad.fileName()});
        QTRY_VERIFY(window.notice().text().contains("bad.graph.json"));
        QCOMPARE(window.document().graph(), graph);
        QCOMPARE(window.document().buckets().size(), 1u);
        window.openFiles({"/nowhere.plan.json"});
        QVERIFY(window.notice().text().contains("/nowhere.plan.json"));
    }

    void aPlanOfAnotherGraphIsTold() {
        QTemporaryDir folder;
        const QString path = folder.filePath("other.plan.json");
        {
            MainWindow other;
            open(other,
                 {QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")});
            QVERIFY(other.savePlanAs(path));
        }
        MainWindow window;
        open(window, {smallGraphFile()});
        window.openFiles({path});
        QVERIFY(window.notice().text().contains("other.plan.json"));
        QCOMPARE(window.document().variantCount(), 2);
    }

    void filesAreDroppedOnTheWindow() {
        MainWindow window;
        window.show();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(smallGraphFile())});
        QDragEnterEvent enter(QPoint(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(5, 5), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(&window, &drop);
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().loaded().path, smallGraphFile());
    }

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
            window.timeline().setVisibleRange({1'000'000, 3'000'000});
            QTest::qWait(300);
            // No close event: as if the application had been killed.
            QVERIFY(QFile::exists(folder.filePath("session.json")));
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
        QCOMPARE(window.timeline().visibleRange().begin_ns, 1'000'000);
        window.resetLayout();
        QVERIFY(!window.findChild<QDockWidget*>("inspector")->isHidden());
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

    void variantsAreTabs() {
        MainWindow window;
        open(window, {smallGraphFile()});
        QTabBar* tabs = window.variants().tabs();
        QCOMPARE(tabs->count(), 2);
        QCOMPARE(tabs->tabText(0), "Baseline");
        BucketCommands(window.document()).addText("layers.0");
        QCOMPARE(tabs->tabText(1), "Plan A •");
        window.actions().find("plan.new")->trigger();
        QCOMPARE(tabs->count(), 3);
        QCOMPARE(tabs->currentIndex(), 2);
        tabs->setCurrentIndex(0);
        QVERIFY(window.document().current()->readOnly());
        QVERIFY(!window.actions().find("file.save")->isEnabled());
        tabs->setCurrentIndex(2);
        window.actions().find("plan.close")->trigger();
        QCOMPARE(tabs->count(), 2);
        window.actions().find("plan.reopen")->trigger();
        QCOMPARE(tabs->count(), 3);
        QCOMPARE(window.document().buckets().size(), 1u);
    }

    void selectionReachesTheTimeline() {
        MainWindow window;
        open(window, {smallGraphFile()});
        const auto evaluation = window.document().evaluation();
        const NodeId start = evaluation->simulation.collectives[3].start;
        const auto name = evaluation->graph->name(start);
        window.document().selection().selectNode(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
        QVERIFY(window.timeline().selection().valid());
        QCOMPARE(window.timeline().timeline()->reference(window.timeline().selection()), start);
    }

    void themesSwitchAtRunTime() {
        MainWindow window;
        window.actions().find("view.theme.light")->trigger();
        QVERIFY(!currentTheme().dark);
        window.actions().find("view.theme.dark")->trigger();
        QVERIFY(currentTheme().dark);
        QVERIFY(window.actions().find("view.theme.dark")->isChecked());
        QVERIFY(!window.actions().find("view.theme.light")->isChecked());
    }

    void everyViewHasANameForScreenReaders() {
        MainWindow window;
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            if (widget->focusPolicy() == Qt::NoFocus || widget->objectName().startsWith("qt_") ||
                widget->inherits("QTabBar"))
                continue;
            if (widget->accessibleName().isEmpty() && !widget->inherits("QToolButton") &&
                !widget->inherits("QMenuBar") && !widget->inherits("QMenu") && !widget->inherits("QScrollBar") &&
                !widget->inherits("QHeaderView"))
                QVERIFY2(widget->inherits("QLabel"), widget->metaObject()->className());
        }
    }

    void picturesAreWritten() {
        QTemporaryDir folder;
        ScreenshotOptions options;
        options.output = folder.filePath("a.png");
        options.size = {1024, 700};
        QCOMPARE(renderScreenshot({smallGraphFile()}, options), 0);
        QCOMPARE(QImage(options.output).size() / QImage(options.output).devicePixelRatio(), QSize(1024, 700));
        options.view = "timeline";
        options.theme = "light";
        QCOMPARE(renderScreenshot({smallGraphFile()}, options), 0);
        options.view = "no such view";
        QCOMPARE(renderScreenshot({smallGraphFile()}, options), 2);
        options.view = "window";
        QCOMPARE(renderScreenshot({"/nowhere.graph.json"}, options), 1);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::MainWindowTest)
#include "main_window_test.moc"
