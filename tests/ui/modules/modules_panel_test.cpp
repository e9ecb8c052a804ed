#include "ui/modules/modules_panel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>

#include "core/base/byte_units.h"
#include "core/plan/presets.h"
#include "core/views/computed_time.h"
#include "core/views/module_figures.h"
#include "core/views/removed_collectives.h"
#include "tests/ui/ui_test_support.h"
#include "ui/cost/graph_cost_model.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/memory_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/modules/module_tree_model.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

class ModulesPanelTest : public QObject {
    Q_OBJECT

  private slots:
    void theTreeStaysConsistent_data() {
        QTest::addColumn<QString>("file");
        for (const char* name : {"llama3_debugmodel_fsdp8.prebucket", "llama3_debugmodel_fsdp8_aot_fw",
                                 "deepseek_v3_debugmodel_fsdp8_ep4.prebucket"})
            QTest::newRow(name)
                << QStringLiteral(OVERLAP_TEST_DATA "/graphs/%1.graph.json.gz").arg(QString::fromLatin1(name));
    }
    void theTreeStaysConsistent() {
        QFETCH(QString, file);
        Document document;
        ModuleTreeModel model(document);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(model.rowCount(), 0);
        document.setGraph(loadGraph(file));
        QVERIFY(model.rowCount() >= 1);
        model.setSearch("attention");
        QVERIFY(!model.found().empty());
        model.setSearch("");
        BucketCommands(document).startFrom(BucketCommands::Template::block);
        document.setGraph(loadGraph(smallGraphFile()));
    }

    void everyModuleIsInTheTree() {
        const auto document = openDocument();
        ModuleTreeModel model(*document);
        const ModuleTree& tree = document->modules();
        for (std::size_t module = 1; module < tree.module_count(); ++module) {
            const QString path = QString::fromStdString(tree.path(static_cast<ModuleTree::ModuleId>(module)));
            const QModelIndex index = model.indexOfModule(path);
            QVERIFY2(index.isValid(), qPrintable(path));
            QCOMPARE(index.data(ModuleTreeModel::path_role).toString(), path);
        }
        int outside = 0;
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, 0).data(ModuleTreeModel::kind_role).toInt() == ModuleTreeModel::outside_kind)
                outside = model.rowCount(model.index(row, 0));
        QCOMPARE(outside, static_cast<int>(tree.nodes_without_module().size()));
    }

    /// What a pass takes away is not communicated.
    void communicationIsThatOfThePlan() {
        Document document;
        document.setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz")));
        ModuleTreeModel model(document);
        QVERIFY(waitForEvaluation(document));
        const auto communicated_mib = [&](const QModelIndex& index) {
            QString text = index.siblingAtColumn(ModuleTreeModel::communication_column).data().toString();
            return text.remove(thinSpace).toDouble();
        };
        const QModelIndex block = model.indexOfModule(QStringLiteral("layers.0"));
        const double before_mib = communicated_mib(block);
        QVERIFY(before_mib > 0);
        Plan plan = document.loaded().empty_plan;
        plan.pipeline = {{"deduplicate_fsdp_unshard_chains_pass", {}}};
        document.addNew(std::move(plan));
        QVERIFY(waitForEvaluation(document));
        const std::vector<NodeId> removed = removed_collectives(*document.evaluation());
        QVERIFY(!removed.empty());
        const auto module = document.modules().find("layers.0");
        const ModuleFiguresTable taken = communicated_by(*document.graph(), document.modules(), removed);
        const double taken_mib = static_cast<double>(taken.modules[module].communication_bytes()) / bytes_per_mib;
        QVERIFY(taken_mib > 1);
        constexpr double rounding = 1;
        QTRY_VERIFY(std::abs(communicated_mib(block) - (before_mib - taken_mib)) <= rounding);
        document.setCurrentIndex(0);
        QTRY_COMPARE(communicated_mib(block), before_mib);
    }

    /// What a memory policy has computed again is time of its module in that plan.
    void timesHaveWhatIsComputedAgain() {
        Document document;
        document.setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.graph.json.gz")));
        ModuleTreeModel model(document);
        PipelineCommands(document).startFrom(pipeline_presets(*document.graph()).front());
        QVERIFY(waitForEvaluation(document));
        const auto shown = [&](const char* module) {
            return model.indexOfModule(module).siblingAtColumn(ModuleTreeModel::compute_column).data().toString();
        };
        MemoryCommands(document).setPolicy(QStringLiteral("save_all"));
        QVERIFY(waitForEvaluation(document));
        QTRY_VERIFY(!model.busy());
        const QString traced = shown("layers");
        MemoryCommands(document).setPolicy(QStringLiteral("full"));
        QVERIFY(waitForEvaluation(document));
        QTRY_VERIFY(!model.busy());
        const ModuleSums computed =
            module_computed_ms(computed_time(*document.evaluation(), document.modules()), document.modules());
        const double sum_ms = computed.modules_ms[document.modules().find("layers")];
        QCOMPARE(shown("layers").remove(thinSpace), QString::number(sum_ms, 'f', 1));
        QVERIFY2(shown("layers") != traced, qPrintable(traced));
        // With what is in no module it is what the compute stream runs.
        const QString outside = model.index(1, ModuleTreeModel::compute_column).data().toString().remove(thinSpace);
        const QString told = shown("").remove(thinSpace) + u' ' + outside + u' ' +
                             QString::number(document.evaluation()->simulation.compute_ms);
        const QStringList parts = told.split(u' ');
        const double sum = parts[0].toDouble() + parts[1].toDouble();
        QVERIFY2(std::abs(sum - parts[2].toDouble()) < 1, qPrintable(told));
    }

    void exposedTimesAreThoseOfThePlan() {
        const auto document = openDocument();
        ModuleTreeModel model(*document);
        const auto exposed = [&](const char* module) {
            const QModelIndex index = model.indexOfModule(QString::fromLatin1(module));
            return index.siblingAtColumn(ModuleTreeModel::exposed_column).data().toString();
        };
        const auto shown = [&](const char* module) {
            const ModuleExposure exposure = module_exposed_ms(*document->evaluation(), document->modules());
            return QString::number(exposure.modules_ms[document->modules().find(module)], 'f', 1);
        };
        QVERIFY(waitForEvaluation(*document));
        QTRY_VERIFY(!model.busy());
        const QString before = exposed("layers.0");
        QCOMPARE(before, shown("layers.0"));
        BucketCommands(*document).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForEvaluation(*document));
        QTRY_VERIFY(!model.busy());
        QCOMPARE(exposed("layers.0"), shown("layers.0"));
        QVERIFY(exposed("layers.0") != before);
        // A refused plan has none.
        document->editBuckets("overlap", {{{"layers.0"}, false, {}}, {{"layers.1", "layers.0.attention"}, false, {}}});
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(document->evaluation()->refused);
        QCOMPARE(exposed("layers.0"), QStringLiteral("–"));
    }

    void anotherCostModelHasExposedTimesToo() {
        const auto document = openDocument();
        ModuleTreeModel model(*document);
        QVERIFY(waitForEvaluation(*document));
        QStringList notes;
        document->setCostModel(withCostModel(document->loaded(), "h100-sxm", {}, notes));
        QVERIFY(waitForEvaluation(*document));
        QTRY_VERIFY(!model.busy());
        const ModuleExposure exposure = module_exposed_ms(*document->evaluation(), document->modules());
        const double expected = exposure.modules_ms[document->modules().find("layers.0")];
        QVERIFY(expected > 0);
        QCOMPARE(model.indexOfModule("layers.0").siblingAtColumn(ModuleTreeModel::exposed_column).data().toString(),
                 expected < 0.05 ? QStringLiteral("0.0") : QString::number(expected, 'f', 1));
    }

    void numberedChildrenAreInOrder() {
        const auto document = openDocument();
        ModuleTreeModel model(*document);
        const QModelIndex layers = model.indexOfModule("layers");
        for (int row = 0; row < model.rowCount(layers); ++row)
            QCOMPARE(model.index(row, 0, layers).data().toString(), QString::number(row));
    }

    void bucketsColourTheirModules() {
        const auto document = openDocument();
        ModuleTreeModel model(*document);
        BucketCommands(*document).addText("norm\nlayers.1");
        QCOMPARE(model.indexOfModule("layers.1").data(ModuleTreeModel::bucket_role).toInt(), 1);
        QCOMPARE(model.indexOfModule("layers.1.attention.wo").data(ModuleTreeModel::bucket_role).toInt(), 1);
        QCOMPARE(model.indexOfModule("norm").data(ModuleTreeModel::bucket_role).toInt(), 0);
        QCOMPARE(model.indexOfModule("layers").data(ModuleTreeModel::bucket_role).toInt(), -1);
        const auto hue = [&](const char* module) {
            return model.indexOfModule(module).data(ModuleTreeModel::hue_role);
        };
        const QVariant of_layer = hue("layers.1");
        QVERIFY(of_layer.isValid() && of_layer != hue("norm") && !hue("layers").isValid());
        QCOMPARE(hue("layers.1.attention.wo"), of_layer);
        BucketCommands(*document).remove({0});
        QCOMPARE(hue("layers.1"), of_layer);
        document->undoGroup().undo();
        PipelineCommands(*document).setEnabled(0, false);  // then no step takes them
        QCOMPARE(model.indexOfModule("layers.1").data(ModuleTreeModel::bucket_role).toInt(), -1);
        document->undoGroup().undo();
        QCOMPARE(model.indexOfModule("layers.1").data(ModuleTreeModel::bucket_role).toInt(), 1);
        document->undoGroup().undo();
        QCOMPARE(model.indexOfModule("norm").data(ModuleTreeModel::bucket_role).toInt(), -1);
    }

    void namesStayReadableInANarrowTree() {
        const auto document = openDocument();
        ModulesPanel panel(*document);
        panel.resize(600, 500);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const ModuleTreeView& tree = *panel.tree();
        const QString deep = QStringLiteral("layers.2.feed_forward.w1");
        document->selection().selectModule(deep);
        QTRY_COMPARE(tree.header()->hiddenSectionCount(), 0);
        for (const int width : {190, 120}) {
            panel.resize(width, 500);
            QTRY_VERIFY(tree.header()->hiddenSectionCount() > 0);
            const QModelIndex name = tree.currentIndex().siblingAtColumn(ModuleTreeModel::name_column);
            QTRY_VERIFY2(tree.visualRect(name).width() >= tree.fontMetrics().horizontalAdvance("feed_for…"),
                         qPrintable(QString::number(width)));
        }
        panel.resize(600, 500);
        QTRY_COMPARE(tree.header()->hiddenSectionCount(), 0);
        const int indentation = tree.indentation();
        // As wide as the panel is in a window of 1024x640: the figure that modules are chosen by stays in sight.
        panel.resize(195, 500);
        QTRY_VERIFY(!tree.header()->isSectionHidden(ModuleTreeModel::exposed_column));
        QVERIFY(tree.indentation() < indentation);
        QVERIFY(tree.columnViewportPosition(ModuleTreeModel::exposed_column) +
                    tree.columnWidth(ModuleTreeModel::exposed_column) <=
                tree.viewport()->width());
    }

    /// Whatever is selected, opened or closed, and whether the tree scrolls or not.
    void figuresDependOnTheWidthAlone() {
        const auto document = openDocument();
        ModulesPanel panel(*document);
        panel.resize(400, 2000);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        ModuleTreeView& tree = *panel.tree();
        const auto shown = [&] {
            QString columns;
            for (int column = 0; column < ModuleTreeModel::column_count; ++column)
                columns += tree.isColumnHidden(column) ? QStringLiteral("-") : QString::number(column);
            return columns;
        };
        const auto settled = [&] {
            QCoreApplication::processEvents();  // what is open is counted when the loop is idle
            return shown();
        };
        QMap<int, QString> first;
        for (int width = 110; width < 320; width += 5) {
            panel.resize(width, 2000);
            first[width] = settled();
        }
        QVERIFY(first.first() != first.last());
        document->selection().selectModule("layers.2.feed_forward.w1");
        for (int width = 319; width >= 110; --width) {
            panel.resize(width, 120);
            if (first.contains(width)) QCOMPARE(std::pair(width, settled()), std::pair(width, first[width]));
        }
        for (const int width : first.keys()) {
            panel.resize(width, 120);
            tree.expandAll();
            QCOMPARE(std::pair(width, settled()), std::pair(width, first[width]));
            tree.collapseAll();
            document->selection().clear();
            QCOMPARE(std::pair(width, settled()), std::pair(width, first[width]));
        }
    }

    void draggedModulesAreNotInsideOneAnother() {
        const auto document = openDocument();
        const ModuleTreeModel model(*document);
        const std::unique_ptr<QMimeData> data(model.mimeData(
            {model.indexOfModule("layers.0"), model.indexOfModule("layers.0.attention"), model.indexOfModule("norm")}));
        QCOMPARE(modulesOf(data.get()), QStringList({"layers.0", "norm"}));
    }

    void searchStepsAndDims() {
        const auto document = openDocument();
        ModulesPanel panel(*document);
        panel.show();
        QTest::keyClicks(panel.searchField(), "feed_forward");
        QCOMPARE(panel.model()->found().size(), 6u);
        QCOMPARE(panel.tree()->currentIndex().data(ModuleTreeModel::path_role).toString(), "layers.0.feed_forward");
        QTest::keyClick(panel.searchField(), Qt::Key_Return);
        QCOMPARE(panel.tree()->currentIndex().data(ModuleTreeModel::path_role).toString(), "layers.1.feed_forward");
        QTest::keyClick(panel.searchField(), Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(panel.searchField(), Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(panel.tree()->currentIndex().data(ModuleTreeModel::path_role).toString(), "layers.5.feed_forward");
        QVERIFY(!panel.model()->indexOfModule("norm").data(ModuleTreeModel::matches_role).toBool());
        QVERIFY(panel.model()->rowCount(panel.model()->indexOfModule("layers")) == 6);  // nothing is hidden
        const auto labels = panel.findChildren<QLabel*>();
        const auto count = std::ranges::find(labels, QStringLiteral("6 of 6"), &QLabel::text);
        QVERIFY(count != labels.end());
        QCOMPARE_GE((*count)->x(), panel.searchField()->geometry().right() + 8);
        QTest::keyClick(panel.searchField(), Qt::Key_Escape);
        QVERIFY(panel.model()->indexOfModule("norm").data(ModuleTreeModel::matches_role).toBool());
        QVERIFY((*count)->isHidden());
    }

    void aLetterThatFindsNothingSaysSo() {
        const auto document = openDocument();
        ModulesPanel panel(*document);
        panel.show();
        panel.tree()->setCurrentIndex(panel.model()->indexOfModule("layers.0"));
        QSignalSpy refused(&panel, &ModulesPanel::refused);
        QTest::keyClick(panel.tree(), Qt::Key_K);
        QCOMPARE(refused.count(), 1);
        QVERIFY(refused[0][0].toString().contains(QStringLiteral("Memory")));
        QTest::qWait(QApplication::keyboardInputInterval() + 1);  // letters that follow at once are one word
        QTest::keyClick(panel.tree(), Qt::Key_N);
        QCOMPARE(panel.tree()->currentIndex().data(ModuleTreeModel::path_role).toString(), QStringLiteral("norm"));
        QCOMPARE(refused.count(), 1);
    }

    void deleteTakesModulesOut() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0+layers.1");
        ModulesPanel panel(*document);
        panel.tree()->setCurrentIndex(panel.model()->indexOfModule("layers.1"));
        QTest::keyClick(panel.tree(), Qt::Key_Delete);
        QCOMPARE(document->buckets()[0].modules, std::vector<std::string>{"layers.0"});
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ModulesPanelTest)
#include "modules_panel_test.moc"
