// Boxes of a large graph are made in the background.

#include <QFile>

#include "tests/ui/ui_test_support.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/graph/graph_view.h"
#include "ui/tasks/released_elsewhere.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

/// A chain of operators in modules of a thousand nodes each.
QByteArray largeGraph() {
    QByteArray text = R"({"format":"overlap-graph","version":1,"name":"large","nodes":[)"
                      R"({"name":"n0","op":"placeholder","target":"n0"})";
    for (std::uint32_t node = 1; node < large_graph_nodes; ++node) {
        text += QStringLiteral(R"(,{"name":"n%1","op":"call_function","target":"aten.relu.default",)"
                               R"("args":[{"node":"n%2"}],"module_stack":[["layers.%3","Layer"]],)"
                               R"("outputs":[{"dtype":"float32","shape":[4],"stride":[1],"device":"cuda",)"
                               R"("storage":%1,"storage_bytes":16,"storage_offset":0,"requires_grad":false}]})")
                    .arg(node)
                    .arg(node - 1)
                    .arg(node / 1000)
                    .toLatin1();
    }
    return text + "]}";
}

/// The same chain behind a parameter that is gathered twice, which the plan's pass finds.
QByteArray gatheredTwice() {
    QByteArray gathers = R"({"name":"p","op":"placeholder","target":"p"})";
    int storage = static_cast<int>(large_graph_nodes);
    const auto append = [&](const char* name, const char* target, const char* arguments) {
        gathers += QStringLiteral(R"(,{"name":"%1","op":"call_function","target":"%2","args":[%3],)"
                                  R"("module_stack":[["gathered","Gathered"]],"outputs":[{"dtype":"float32",)"
                                  R"("shape":[4],"stride":[1],"device":"cuda","storage":%4,"storage_bytes":16,)"
                                  R"("storage_offset":0,"requires_grad":false}]})")
                       .arg(QLatin1String(name), QLatin1String(target), QLatin1String(arguments))
                       .arg(++storage)
                       .toLatin1();
    };
    append("gather_1", "_c10d_functional.all_gather_into_tensor.default", R"({"node":"p"},2,"0")");
    append("wait_1", "_c10d_functional.wait_tensor.default", R"({"node":"gather_1"})");
    append("gather_2", "_c10d_functional.all_gather_into_tensor.default", R"({"node":"p"},2,"0")");
    append("wait_2", "_c10d_functional.wait_tensor.default", R"({"node":"gather_2"})");
    append("sum", "aten.add.Tensor", R"({"node":"wait_1"},{"node":"wait_2"})");
    QByteArray text = largeGraph();
    return text.replace(R"("nodes":[)", R"("nodes":[)" + gathers + ',');
}

}  // namespace

class LargeGraphTest : public QObject {
    Q_OBJECT

  private slots:
    void initTestCase() {
        QFile file(folder_.filePath("large.graph.json"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(largeGraph()) > 0);
        file.close();
        loaded_ = loadGraph(file.fileName());
        QCOMPARE(loaded_.graph->node_count(), large_graph_nodes);
        users_ = loaded_.graph.use_count();
        QFile gathered(folder_.filePath("gathered.graph.json"));
        QVERIFY(gathered.open(QIODevice::WriteOnly) && gathered.write(gatheredTwice()) > 0);
    }

    void boxesComeFromTheBackground() {
        Document document;
        GraphModel model(document);
        GraphView view(model);
        QSignalSpy reset(&model, &GraphModel::reset);
        document.setGraph(loaded_);
        QVERIFY2(model.reading() && !model.isOpen(), "the window's thread makes none");
        QCOMPARE(reset.size(), 1);
        // Who asks meanwhile is told that there are none; what is selected then is selected in the end.
        view.grab();
        document.selection().selectModule("layers.7");
        QVERIFY(model.openKeys().isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(model.isOpen(), 60'000);
        QVERIFY(!model.reading());
        QCOMPARE(reset.size(), 2);
        QVERIFY(model.tree().box_count() > 100);
        QCOMPARE(model.selectedBoxes().size(), 1u);
        view.grab();
    }

    void whatWasOpenComesBackWithTheBoxes() {
        Document document;
        GraphModel model(document);
        GraphView view(model);
        document.setGraph(loaded_);
        QTRY_VERIFY_WITH_TIMEOUT(model.isOpen(), 60'000);
        const BoxId layer = model.boxOfKey(keyOf(model, "layers.3"));
        QVERIFY(layer != no_box);
        model.setOpen(layer, true);
        const QJsonObject state = view.state();

        Document second;
        GraphModel second_model(second);
        GraphView second_view(second_model);
        second_view.restore(state);
        second.setGraph(loaded_);
        QCOMPARE(second_view.state()["open"], state["open"]);  // a session that is written now has it still
        QTRY_VERIFY_WITH_TIMEOUT(second_model.isOpen(), 60'000);
        QCOMPARE(second_view.state()["open"], state["open"]);
    }

    void bucketsReachOperationsInSlicesAndWhatIsAroundTheirModule() {
        Document document;
        GraphModel model(document);
        document.setGraph(loaded_);
        QTRY_VERIFY_WITH_TIMEOUT(model.isOpen(), 60'000);
        const BoxTree& tree = model.tree();
        const ModuleTree& modules = document.modules();
        const BoxId layer = tree.box_of(modules.find("layers.3"), Phase::forward);
        const BoxId other = tree.box_of(modules.find("layers.4"), Phase::forward);
        QVERIFY(layer != no_box && other != no_box);
        const BoxId operation = tree.operation_of(modules.nodes("layers.3")[500]);
        QCOMPARE(tree.box(tree.box(operation).parent).kind, BoxKind::slice);
        const std::vector<int> none;
        QCOMPARE(model.colours().buckets(operation), none);

        document.editBuckets("Add", {{.modules = {"layers.8"}}, {.modules = {"layers.3"}}});
        const std::vector<int> its{1};
        for (const BoxId inside : {layer, tree.box(operation).parent, operation})
            QCOMPARE(model.colours().buckets(inside), its);
        QCOMPARE(model.colours().buckets(other), none);
        const BoxId around = tree.box(layer).parent;  // the layers are alike and make a run
        QCOMPARE(tree.box(around).kind, BoxKind::run);
        QCOMPARE(model.colours().buckets(around), (std::vector<int>{0, 1}));
    }

    void figuresOfOtherTimesComeFromTheBackground() {
        Document document;
        GraphModel model(document);
        document.setGraph(loaded_);
        QTRY_VERIFY_WITH_TIMEOUT(model.isOpen(), 60'000);
        QSignalSpy arranged(&model, &GraphModel::arranged);
        emit document.timesChanged();
        QVERIFY2(arranged.isEmpty() && model.isOpen(), "what was shown stays until there are others");
        QSignalSpy delivered(&model, &GraphModel::changed);
        QTRY_VERIFY_WITH_TIMEOUT(!delivered.isEmpty(), 60'000);
        QVERIFY2(arranged.isEmpty(), "the figures are the same, and move no box");
    }

    /// Plan A without the second gather, and the graph as it is.
    void figuresAreOfThePlanThatIsShown() {
        Document document;
        document.setGraph(loadGraph(folder_.filePath("gathered.graph.json")));
        document.setCurrentIndex(1);
        PipelineCommands(document).add("deduplicate_fsdp_unshard_chains_pass", 0);
        QVERIFY(waitForEvaluation(document));
        document.setCurrentIndex(0);
        QVERIFY(waitForEvaluation(document));
        GraphModel model(document);
        document.setCurrentIndex(1);  // while the boxes are made for the graph as it is
        QVERIFY(model.reading());
        QTRY_VERIFY_WITH_TIMEOUT(model.isOpen(), 60'000);
        const auto figures = [&model] { return model.texts().figures(model.boxOfKey(keyOf(model, "gathered"))); };
        QTRY_VERIFY2_WITH_TIMEOUT(figures().endsWith(formatBytes(16)), qPrintable(figures()), 60'000);

        // There and back while the figures are made: they are the same again, so that no box moves.
        document.setCurrentIndex(0);
        document.setCurrentIndex(1);
        QSignalSpy delivered(&model, &GraphModel::changed);
        QTRY_VERIFY_WITH_TIMEOUT(!delivered.isEmpty(), 60'000);
        QVERIFY2(figures().endsWith(formatBytes(16)), qPrintable(figures()));
    }

    void anotherGraphMeanwhileWins() {
        Document document;
        GraphModel model(document);
        document.setGraph(loaded_);
        QVERIFY(model.reading());
        document.setGraph(loadGraph(smallGraphFile()));
        QVERIFY(model.isOpen() && !model.reading());
        const std::uint32_t nodes = model.graph().node_count();
        // Once the task and what it has made of the large graph are gone, nothing of them is shown any more. What the
        // step of the empty plan made of it may be known to the baseline from now on.
        QTRY_VERIFY_WITH_TIMEOUT(loaded_.graph.use_count() <= users_ + 1, 60'000);
        QCOMPARE(model.graph().node_count(), nodes);
    }

  private:
    static QString keyOf(const GraphModel& model, const char* module) {
        for (BoxId box = 1; box < model.tree().box_count(); ++box)
            if (model.texts().key(box).contains(QLatin1String(module))) return model.texts().key(box);
        return {};
    }

    QTemporaryDir folder_;
    LoadedGraph loaded_;
    long users_ = 0;  ///< of its graph, where no document has it
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::LargeGraphTest)
#include "large_graph_test.moc"
