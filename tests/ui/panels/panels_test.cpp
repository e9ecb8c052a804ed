#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QMimeData>

#include "tests/ui/ui_test_support.h"
#include "ui/document/module_mime.h"
#include "ui/edits/bucket_commands.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/modules/module_tree_model.h"
#include "ui/modules/modules_panel.h"
#include "ui/panels/log.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"

namespace overlap::ui {

class PanelsTest : public QObject {
    Q_OBJECT

    static QString line(const InspectorContent& content, const QString& label) {
        for (const InspectorRow& row : content.rows)
            if (row.label == label) return row.pieces.front().text;
        return {};
    }

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
            const QRect name = tree.visualRect(tree.currentIndex().siblingAtColumn(ModuleTreeModel::name_column));
            QVERIFY2(name.width() >= tree.fontMetrics().horizontalAdvance("feed_for…"),
                     qPrintable(QString::number(width)));
        }
        panel.resize(600, 500);
        QTRY_COMPARE(tree.header()->hiddenSectionCount(), 0);
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
        QTest::keyClick(panel.searchField(), Qt::Key_Escape);
        QVERIFY(panel.model()->indexOfModule("norm").data(ModuleTreeModel::matches_role).toBool());
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
    }

    void deleteTakesModulesOut() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0+layers.1");
        ModulesPanel panel(*document);
        panel.tree()->setCurrentIndex(panel.model()->indexOfModule("layers.1"));
        QTest::keyClick(panel.tree(), Qt::Key_Delete);
        QCOMPARE(document->buckets()[0].modules, std::vector<std::string>{"layers.0"});
    }

    void problemsAreListedAndMended() {
        const auto document = openDocument();
        ProblemsModel model(*document);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        BucketCommands(*document).addText("layers.0\nlayers.6");
        QVERIFY(waitForEvaluation(*document));
        const auto rowOf = [&](ProblemKind kind) {
            for (int row = 0; row < model.rowCount(); ++row)
                if (model.problem(row).kind == kind) return row;
            return -1;
        };
        const int unknown = rowOf(ProblemKind::unknown_module);
        QVERIFY(unknown >= 0);
        model.goTo(unknown);
        QCOMPARE(document->selection().bucket(), 1);
        QVERIFY(model.index(unknown, ProblemsModel::fix_column).data().toString().startsWith("rename to layers.5"));
        QVERIFY(model.applyFix(unknown));
        QCOMPARE(document->buckets()[1].modules, std::vector<std::string>{"layers.5"});
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(rowOf(ProblemKind::unknown_module), -1);
        QVERIFY(tableText(model).startsWith("Problem\t"));
    }

    void overlappingEntriesAreMended() {
        const auto document = openDocument();
        ProblemsModel model(*document);
        document->editBuckets("overlap", {{{"layers.0"}, false, {}}, {{"layers.1", "layers.0.attention"}, false, {}}});
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(document->evaluation()->refused);
        QCOMPARE(model.problem(0).severity, Severity::error);  // the worst first
        int row = 0;
        while (row < model.rowCount() && model.problem(row).kind != ProblemKind::overlapping_entries) ++row;
        QVERIFY(row < model.rowCount());
        QVERIFY(model.applyFix(row));
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(!document->evaluation()->refused);
    }

    void theInspectorTellsOfNodes() {
        const auto document = openDocument();
        BucketCommands(*document).startFrom(BucketCommands::Template::block);
        QVERIFY(waitForEvaluation(*document));
        const BucketReport bucket = document->evaluation()->reports[0].buckets[1];
        document->selection().selectNode(QString::fromStdString(bucket.start));
        const InspectorContent content = inspect(*document);
        QCOMPARE(content.title, QString::fromStdString(bucket.start));
        QCOMPARE(line(content, "group"), QString::fromStdString(bucket.process_group));
        QVERIFY(plainText(content).contains("8 ranks"));
        QVERIFY(!line(content, "bytes · time").isEmpty());
        QCOMPARE(line(content, "bucket"), BucketCommands(*document).title(static_cast<int>(*bucket.plan_entry)));
        QCOMPARE(line(content, QStringLiteral("merged of %1").arg(bucket.members.size())),
                 QString::fromStdString(bucket.members[0]));
        QVERIFY(!line(content, "inputs").isEmpty() && !line(content, "users").isEmpty());
        followInspectorLink(*document, QStringLiteral("node:%1").arg(QString::fromStdString(bucket.members[0])));
        QCOMPARE(document->selection().node(), QString::fromStdString(bucket.members[0]));
        const InspectorContent replaced = inspect(*document);
        QVERIFY(replaced.rows.front().pieces.front().text.contains("as it was read"));
        QVERIFY(plainText(replaced).contains("Figures of the baseline:\nop\t"));
    }

    void theInspectorTellsOfModulesAndBuckets() {
        const auto document = openDocument();
        BucketCommands(*document).addText("layers.0");
        QVERIFY(waitForEvaluation(*document));
        document->selection().selectModule("layers.0");
        QVERIFY(!line(inspect(*document), "gathers").isEmpty());
        QCOMPARE(line(inspect(*document), "bucket"), "layers.0");
        document->selection().selectBucket(0);
        QCOMPARE(line(inspect(*document), "modules"), "layers.0");
        QVERIFY(!line(inspect(*document), "all gather").isEmpty());
        document->selection().clear();
        QVERIFY(inspect(*document).title.isEmpty());
        InspectorPanel panel(*document);
        QVERIFY(panel.toPlainText().contains("Select a module"));
        document->selection().selectModule("layers.0");
        QTRY_VERIFY(panel.toPlainText().contains("layers.0"));
    }

    void theLogIsBounded() {
        Log log;
        QAbstractItemModelTester tester(&log, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (int i = 0; i < 5000; ++i) log.add(QString::number(i), i % 2 ? Log::Level::failure : Log::Level::note);
        QVERIFY(log.rowCount() <= 2000);
        QVERIFY(log.index(log.rowCount() - 1).data().toString().endsWith("4999"));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::PanelsTest)
#include "panels_test.moc"
