#include "ui/session/graph_finder.h"

#include "core/io/plan/plan_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/files/file_looks.h"
#include "ui/files/resources.h"
#include "ui/session/session_state.h"

namespace overlap::ui {

/// Which graph a plan is for, without reading graphs.
class GraphFinderTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    FileLooks looks_;
    const GraphFingerprint wanted_{"wanted", 7, "0123456789abcdef"};

    QString makeFile(const QString& name) const {
        const QString path = folder_.filePath(name);
        QFile file(path);
        return file.open(QIODevice::WriteOnly) ? path : QString();
    }
    static SessionVariant planFor(const GraphFingerprint& graph) {
        Plan plan;
        plan.name = "Plan A";
        plan.graph = graph;
        return {QByteArray::fromStdString(write_plan_text(plan)), {}, true};
    }

  private slots:
    void initTestCase() { loadResources(); }

    void theSessionKnowsItByItsPlans() {
        SessionState state;
        SessionDocument other, kept;
        other.graph = makeFile("other.json");
        other.variants = {planFor({"wanted", 7, "fedcba9876543210"})};
        kept.graph = makeFile("renamed.json");
        kept.closed = {planFor(wanted_)};
        state.documents = {other, kept};
        QCOMPARE(findGraph(wanted_, "/plans/a.plan.json", state, looks_), kept.graph);
        QVERIFY(QFile::remove(kept.graph));
        QVERIFY(findGraph(wanted_, "/plans/a.plan.json", state, looks_).isEmpty());
    }

    void elseItsNameTells() {
        SessionState state;
        state.recent_files = {"/gone/wanted.graph.json", makeFile("another.graph.json")};
        QVERIFY(findGraph(wanted_, folder_.filePath("a.plan.json"), state, looks_).isEmpty());
        const QString beside = makeFile("wanted.graph.json.gz");
        QCOMPARE(findGraph(wanted_, folder_.filePath("a.plan.json"), state, looks_), beside);
    }

    void theEmbeddedGraphIsFoundByItsPlan() {
        const std::optional<GraphFingerprint> sample = loadGraph(sampleGraph()).empty_plan.graph;
        QVERIFY(sample);
        QCOMPARE(findGraph(*sample, "/plans/a.plan.json", {}, looks_), sampleGraph());
    }

    void embeddedGraphsAreThere() {
        QVERIFY(isThere(sampleGraph(), looks_));
        QVERIFY(!isThere(folder_.filePath("missing.json"), looks_));
        QVERIFY(isThere(makeFile("there.json"), looks_));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::GraphFinderTest)
#include "graph_finder_test.moc"
