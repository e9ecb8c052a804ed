#include "ui/document/removed_collectives.h"

#include "core/views/removed_collectives.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/removed_collectives_found.h"

namespace overlap::ui {

class RemovedCollectivesTest : public QObject {
    Q_OBJECT

    static std::unique_ptr<Document> openLarge() {
        auto document = std::make_unique<Document>();
        document->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_8b_fsdp64.prebucket.graph.json.gz")));
        return document;
    }

  private slots:
    /// Views of several documents ask in turn.
    void eachDocumentKeepsItsOwn() {
        const auto plain = openLarge(), deduplicated = openLarge();
        Plan plan = deduplicated->loaded().empty_plan;
        plan.pipeline = {{"deduplicate_fsdp_unshard_chains_pass", {}}};
        deduplicated->addNew(std::move(plan));
        QVERIFY(waitForEvaluation(*plain) && waitForEvaluation(*deduplicated));
        const std::vector<NodeId> expected = removed_collectives(*deduplicated->evaluation());
        QVERIFY(!expected.empty());
        QCOMPARE(removedCollectives(*deduplicated), expected);
        const auto kept = [&] {
            auto* found = deduplicated->findChild<RemovedCollectivesFound*>();
            return found->of(deduplicated->evaluation()).data();
        };
        const NodeId* before = kept();
        QCOMPARE(removedCollectives(*plain), std::vector<NodeId>());
        QCOMPARE(kept(), before);  // not found anew
        deduplicated->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*deduplicated));
        QCOMPARE(removedCollectives(*deduplicated), std::vector<NodeId>());
        deduplicated->setCurrentIndex(deduplicated->variantCount() - 1);
        QCOMPARE(removedCollectives(*deduplicated), expected);
        // Nor when its plan is shown again: those of both plans are kept.
        QCOMPARE(kept(), before);
        QCOMPARE(deduplicated->findChild<RemovedCollectivesFound*>()->known(), 2u);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::RemovedCollectivesTest)
#include "removed_collectives_test.moc"
