#include "ui/shell/main_window.h"

#include <QApplication>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMimeData>
#include <QStatusBar>
#include <QTabBar>
#include <QToolButton>
#include <set>

#include "tests/ui/shell/opened_window.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/figures_bar.h"
#include "ui/frame/notices/notice_bar.h"
#include "ui/frame/variant_bar.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/modules/modules_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/plan/bucket_model.h"
#include "ui/shell/files/save_controller.h"
#include "ui/shell/screenshot.h"
#include "ui/shell/workspace/workspace.h"
#include "ui/theme/theme.h"
#include "ui/theme/theme_manager.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

class MainWindowTest : public QObject {
    Q_OBJECT

  private slots:
    void theEmbeddedSampleOpens() {
        MainWindow window;
        window.openSessionOrSample();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.document().name(), "llama3_8b_fsdp128.prebucket");
        QCOMPARE(window.document().current()->title(), "torchtitan default");
        QCOMPARE(window.document().variantCount(), 3);  // the baseline, this plan, an empty one
        QVERIFY(window.workspace().timeline().timeline() &&
                window.workspace().timeline().timeline()->event_count() > 1000);
    }

    void isolatingExpertsAddsALaneAndChangesTheStep() {
        MainWindow window;
        open(window, {QStringLiteral(OVERLAP_TEST_DATA "/graphs/deepseek_v3_debugmodel_fsdp8_ep8_epo_graph_moe_batch."
                                                       "pipeline-08-ep_overlap_chunk_pass.graph.json.gz")});
        // Gathers of the experts are in flight while tokens are exchanged.
        QStringList buckets{"tok_embeddings", "layers.0.attention", "layers.0.feed_forward"};
        for (int layer = 1; layer < 6; ++layer)
            buckets << QStringLiteral("layers.%1.attention").arg(layer) << QStringLiteral("layers.%1.moe").arg(layer);
        buckets << "norm+lm_head";
        QCOMPARE(BucketCommands(window.document()).addText(buckets.join(u'\n')), QString());
        QVERIFY(waitUntilIdle(window));
        const auto lanes = [&] { return window.workspace().timeline().timeline()->lanes().size(); };
        const std::size_t lanes_before = lanes();
        const double before_ms = window.document().evaluation()->simulation.step_ms;
        window.actions().find("plan.isolateExperts")->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(lanes(), lanes_before + 1);
        QVERIFY(window.document().evaluation()->simulation.step_ms < before_ms);

        // What runs on the new group stands out in the timeline.
        window.document().selection().selectGroup("0#ep_extra");
        const auto evaluation = window.document().evaluation();
        QVERIFY(!window.workspace().timeline().highlightedReferences().empty());
        for (const quint32 reference : window.workspace().timeline().highlightedReferences())
            QCOMPARE(evaluation->graph->group_name(reference), std::string_view("0#ep_extra"));

        window.actions().find("edit.undo")->trigger();
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(lanes(), lanes_before);
        QCOMPARE(window.document().evaluation()->simulation.step_ms, before_ms);
    }

    void aModuleLightsUpWhatItsCollectivesWereMergedInto() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.1");
        QVERIFY(waitUntilIdle(window));
        window.document().selection().selectModule("layers.1.attention");
        QVERIFY(waitUntilIdle(window));
        const auto evaluation = window.document().evaluation();
        const auto& lit = window.workspace().timeline().highlightedReferences();
        std::size_t merged = 0;
        for (const CollectiveTiming& timing : evaluation->simulation.collectives)
            if (evaluation->entry_of_node[timing.start] == 0 && evaluation->origin[timing.start] == no_node) {
                QVERIFY(std::ranges::count(lit, timing.start) > 0);
                ++merged;
            }
        QVERIFY(merged > 0);
        QVERIFY2(plainText(window.workspace().inspector().content()).contains("exposed"), "the Inspector says it, too");
        // What several modules light up is what each does.
        const std::set<quint32> of_one(lit.begin(), lit.end());
        window.document().selection().selectModule("norm");
        std::set<quint32> of_each(lit.begin(), lit.end());
        QVERIFY(of_each != of_one);
        of_each.insert(of_one.begin(), of_one.end());
        window.document().selection().selectModules({"norm", "layers.1.attention"});
        QCOMPARE((std::set<quint32>(lit.begin(), lit.end())), of_each);
        QCOMPARE(window.workspace().modulesPanel().tree()->selectedModules().size(), 2);
        QVERIFY(waitUntilIdle(window));
        QCOMPARE(window.workspace().inspector().content().title, "2 modules");
    }

    void undoAndRedoByKeys() {
        MainWindow window;
        open(window, {smallGraphFile()});
        BucketCommands(window.document()).addText("layers.0+layers.1");
        window.workspace().modulesPanel().tree()->setFocus();
        QTest::keyClick(window.workspace().modulesPanel().tree(), Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window.document().buckets().empty());
        QTest::keyClick(window.workspace().modulesPanel().tree(), Qt::Key_Y, Qt::ControlModifier);
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
        QTRY_VERIFY(window.workspace().notice().text().contains("bad.graph.json"));
        QCOMPARE(window.document().graph(), graph);
        QCOMPARE(window.document().buckets().size(), 1u);
        window.openFiles({"/nowhere.plan.json"});
        QVERIFY(window.workspace().notice().text().contains("/nowhere.plan.json"));
    }

    void aPlanOfAnotherGraphIsTold() {
        QTemporaryDir folder;
        const QString path = folder.filePath("other.plan.json");
        {
            MainWindow other;
            open(other,
                 {QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")});
            QVERIFY(other.saves().savePlanAs(path));
        }
        MainWindow window;
        open(window, {smallGraphFile()});
        window.openFiles({path});
        QVERIFY(window.workspace().notice().text().contains("other.plan.json"));
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
    void aRefusedPlanHasNoFigures() {
        MainWindow window;
        open(window, {smallGraphFile()});
        Document& document = window.document();
        // Both modules hold the same nodes, which PyTorch refuses.
        document.editBuckets("overlap", {BucketEntry{{"layers.0", "layers.0.attention"}, {}}});
        QTRY_VERIFY(!document.evaluating() && document.evaluation()->refused);
        const std::vector<Figure> figures = figuresOf(document);
        for (const Figure& figure : figures) QCOMPARE(figure.value, QStringLiteral("—"));
        QCOMPARE(figures.front().difference, "refused");
        QVERIFY(window.workspace().bucketBoard().model()->index(0).data(BucketModel::exposed_role).toDouble() < 0);
    }

    void aPlanAloneFindsItsGraph() {
        QTemporaryDir folder;
        const QString path = folder.filePath("a.plan.json");
        {
            MainWindow window(folder.filePath("session"));
            open(window, {smallGraphFile()});
            BucketCommands(window.document()).addText("layers.0");
            QVERIFY(window.saves().savePlanAs(path));
            window.actions().find("file.sample")->trigger();
            QTRY_COMPARE_WITH_TIMEOUT(window.document().name(), "llama3_8b_fsdp128.prebucket", 60'000);
            window.close();
        }
        MainWindow window(folder.filePath("session"));
        open(window, {path});
        QTRY_COMPARE(window.document().current()->filePath(), path);
        QCOMPARE(window.document().loaded().path, smallGraphFile());
        MainWindow of_sample;
        const QString sample_plan = folder.filePath("sample.plan.json");
        QVERIFY(QFile::copy(":/samples/llama3_8b_fsdp128.plan.json", sample_plan));
        open(of_sample, {sample_plan});
        // The sample opens with its own, of which this is a copy.
        QTRY_COMPARE(of_sample.document().current()->title(), "torchtitan default 2");
        QCOMPARE(of_sample.document().variant(1).title(), "torchtitan default");
        QCOMPARE(of_sample.workspace().notice().text(), QString());
        MainWindow without;
        without.openFiles({path});
        QVERIFY(without.workspace().notice().text().contains("llama3_debugmodel_fsdp8"));
        open(without, {smallGraphFile()});
        QTRY_COMPARE(without.document().current()->filePath(), path);
    }

    void messagesNameTheFileAndTipsItsPlace() {
        QTemporaryDir folder;
        MainWindow window;
        open(window, {smallGraphFile()});
        const QString path = folder.filePath("a.plan.json");
        QVERIFY(window.saves().savePlanAs(path));
        QLabel* message = nullptr;
        for (QLabel* label : window.statusBar()->findChildren<QLabel*>())
            if (label->text() == "Saved a.plan.json") message = label;
        QVERIFY(message);
        QCOMPARE(message->toolTip(), path);
    }

    void variantsAreTabs() {
        MainWindow window;
        open(window, {smallGraphFile()});
        QTabBar* tabs = window.workspace().variants().tabs();
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

    void aPlanThatWasClosedComesBackWhereItWas() {
        MainWindow window;
        open(window, {smallGraphFile()});
        Document& document = window.document();
        for (const char* name : {"B", "C", "D"}) {
            document.addCopyOfCurrent();
            document.renameCurrent(name);
        }
        const auto titles = [&] {
            QStringList all;
            for (int i = 1; i < document.variantCount(); ++i) all.append(document.variant(i).title());
            return all;
        };
        const QStringList first{"Plan A", "B", "C", "D"};
        QCOMPARE(titles(), first);
        const auto run = [&](const char* action) { window.actions().find(QString::fromLatin1(action))->trigger(); };
        document.setCurrentIndex(2);
        run("plan.close");
        document.setCurrentIndex(1);
        run("plan.close");
        QCOMPARE(titles(), (QStringList{"C", "D"}));
        run("plan.reopen");
        QCOMPARE(titles(), (QStringList{"Plan A", "C", "D"}));
        QCOMPARE(document.current()->title(), "Plan A");
        run("plan.reopen");
        QCOMPARE(titles(), first);
        QCOMPARE(document.current()->title(), "B");
        // Where there is no such place any more it comes as near to it as it can.
        for (const int index : {4, 3, 2}) {
            document.setCurrentIndex(index);
            run("plan.close");
        }
        document.setCurrentIndex(1);
        run("plan.close");
        for (int i = 0; i < 4; ++i) run("plan.reopen");
        QCOMPARE(titles(), first);
    }

    void selectionReachesTheTimeline() {
        MainWindow window;
        open(window, {smallGraphFile()});
        const auto evaluation = window.document().evaluation();
        const NodeId start = evaluation->simulation.collectives[3].start;
        const auto name = evaluation->graph->name(start);
        window.document().selection().selectNode(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
        QVERIFY(window.workspace().timeline().selection().valid());
        QCOMPARE(window.workspace().timeline().timeline()->reference(window.workspace().timeline().selection()), start);
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
