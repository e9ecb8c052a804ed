// Boxes of a large graph are made in the background.

#include <QFile>

#include "tests/ui/ui_test_support.h"
#include "ui/graph/graph_view.h"
#include "ui/tasks/released_elsewhere.h"

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
        QTRY_COMPARE_WITH_TIMEOUT(arranged.size(), 1, 60'000);
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
