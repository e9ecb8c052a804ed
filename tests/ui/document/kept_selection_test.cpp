#include "ui/document/kept_selection.h"

#include <QSignalSpy>

#include "core/pipeline/manual_start.h"
#include "tests/ui/ui_test_support.h"

namespace overlap::ui {

/// Two plans of a small graph that merge the same collectives differently.
class KeptSelectionTest : public QObject {
    Q_OBJECT

    static Plan planOf(Document& document, const char* name, std::vector<std::string> modules) {
        Plan plan = document.loaded().empty_plan;
        plan.name = name;
        plan.buckets = {{std::move(modules), false, {}}};
        return plan;
    }

    /// A merged collective of the shown plan.
    FinalBucket merged() const {
        for (const FinalBucket& bucket : final_buckets(*document_->evaluation()))
            if (bucket.members.size() > 1) return bucket;
        return {};
    }

  private slots:
    void init() {
        document_ = openDocument();
        document_->addVariant(planOf(*document_, "layer", {"layers.0"}));
        QVERIFY(waitForEvaluation(*document_));
        document_->addVariant(planOf(*document_, "both", {"layers.0", "layers.1"}));
        QVERIFY(waitForEvaluation(*document_));
    }

    void aMergedCollectiveIsItsFirstMemberInTheBaseline() {
        const FinalBucket bucket = merged();
        QVERIFY(!bucket.start.empty());
        document_->selection().selectNode(QString::fromStdString(bucket.start));
        document_->setCurrentIndex(0);
        QCOMPARE(document_->selection().node().toStdString(), bucket.members.front());
        QCOMPARE(document_->findNode(document_->selection().node()).node,
                 document_->graph()->find(bucket.members.front()));
    }

    void itIsAnotherMergedOneInAnotherPlan() {
        const FinalBucket bucket = merged();
        document_->selection().selectNode(QString::fromStdString(bucket.start));
        document_->setCurrentIndex(2);
        QVERIFY(waitForEvaluation(*document_));
        bool contains = false;
        for (const FinalBucket& other : final_buckets(*document_->evaluation()))
            if (other.start == document_->selection().node().toStdString())
                contains = std::ranges::find(other.members, bucket.members.front()) != other.members.end();
        QVERIFY(contains);
    }

    void theWaitStaysAWait() {
        const auto evaluation = document_->evaluation();
        const std::string member = merged().members.front();
        const NodeId start = evaluation->graph->find(merged().start);
        const std::int32_t collective = evaluation->simulation.collective_of_node[start];
        const NodeId wait = evaluation->simulation.collectives[static_cast<std::size_t>(collective)].wait;
        document_->selection().selectNode(QString::fromStdString(std::string(evaluation->graph->name(wait))));
        document_->setCurrentIndex(0);
        const Graph& graph = *document_->evaluation()->graph;
        const NodeId selected = graph.find(document_->selection().node().toStdString());
        QVERIFY(selected != no_node && graph.target_info(selected).is_wait);
        QCOMPARE(std::string(graph.name(graph.awaited_start(selected))), member);
    }

    void anEditMergesWhatIsSelected() {
        const std::string first = merged().members.front();
        document_->setCurrentIndex(1);
        QVERIFY(waitForEvaluation(*document_));
        document_->selection().selectNode(QString::fromStdString(first));
        document_->editBuckets("merge", {{{"layers.0"}, false, {}}});
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(document_->evaluation()->graph->find(document_->selection().node().toStdString()) != no_node);
        QVERIFY(document_->selection().node().toStdString() != first);
    }

    /// Views that show the modules of what is selected are told, though it is called the same.
    void oneThatIsMadeOfOthersUnderItsOldNameIsToldAnew() {
        const std::string before = merged().start;
        const std::vector<std::string> members = merged().members;
        document_->selection().selectNode(QString::fromStdString(before));
        QSignalSpy changed(&document_->selection(), &Selection::changed);
        document_->editBuckets("split", {{{"layers.0"}, false, {}}});
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(document_->selection().node().toStdString(), before);
        QVERIFY(merged().members != members);
        QCOMPARE(changed.count(), 1);
        document_->editBuckets("the same", {{{"layers.0"}, false, {}}, {{"norm"}, false, {}}});
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(document_->selection().node().toStdString(), before);
        QCOMPARE(changed.count(), 1);
    }

    /// In the plan between it is part of a bucket, whose first member is another one.
    void backInItsPlanItIsTheOneThatWasSelected() {
        const QString last = QString::fromStdString(merged().members.back());
        document_->setCurrentIndex(2);
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(document_->evaluation()->graph->find(last.toStdString()) != no_node);
        document_->selection().selectNode(last);
        document_->setCurrentIndex(3);
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(document_->selection().node().toStdString(), merged().start);
        document_->setCurrentIndex(2);
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(document_->selection().node(), last);
    }

    void otherNodesKeepTheirNames() {
        const Graph& graph = *document_->graph();
        NodeId node = 0;
        while (!graph.target(node).starts_with("aten.mm")) ++node;
        const QString name = QString::fromStdString(std::string(graph.name(node)));
        document_->selection().selectNode(name);
        QSignalSpy changed(&document_->selection(), &Selection::changed);
        for (const int variant : {0, 2, 3}) {
            document_->setCurrentIndex(variant);
            QVERIFY(waitForEvaluation(*document_));
        }
        QCOMPARE(document_->selection().node(), name);
        QCOMPARE(changed.count(), 0);
    }

  private:
    std::unique_ptr<Document> document_;
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::KeptSelectionTest)
#include "kept_selection_test.moc"
