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

  private slots:
    void theEmbeddedSampleOpens() {
        MainWindow window;
        window.openSessionOrSample();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().name(), "llama3_8b_fsdp64.prebucket");
        QVERIFY(window.timeline().timeline() && window.timeline().timeline()->event_count() > 1000);
    }

    void undoAndRedoByKeys() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0+layers.1");
        window.modulesPanel().tree()->setFocus();
        QTest::keyClick(window.modulesPanel().tree(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window.document().buckets().empty());
        QTest::keyClick(window.modulesPanel().tree(), Qt::Key_Y, Qt::ControlModifier);
        QCOMPARE(window.document().buckets().size(), 1u);
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
