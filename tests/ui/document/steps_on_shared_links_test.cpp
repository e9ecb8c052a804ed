#include "ui/files/steps_on_shared_links.h"

#include <QSignalSpy>

#include "core/plan/presets.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/background_evaluator.h"

namespace overlap::ui {

/// Who makes the step with links shared, so that views on the window's thread need not.
class StepsOnSharedLinksTest : public QObject {
    Q_OBJECT

    static LoadedGraph loaded() {
        return loadGraph(
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz"));
    }

    /// Whether it has been made: one that is not wanted any more is not made now.
    static bool isMade(const std::shared_ptr<const Evaluation>& evaluation) {
        std::stop_source stopped;
        stopped.request_stop();
        return withLinksShared(evaluation, stopped.get_token()) != nullptr;
    }

    /// Gives groups to collectives that share a link.
    static Plan planFor(const LoadedGraph& graph) {
        return plan_of(pipeline_presets(*graph.graph).at(1), *graph.graph, "Performance");
    }

  private slots:
    void thePlansOfTheDocumentHaveIt() {
        Document document;
        const LoadedGraph graph = loaded();
        document.setGraph(graph);
        document.addVariant(planFor(graph));
        QVERIFY(waitForEvaluation(document));
        QVERIFY(document.evaluation()->on_shared_links);
        QVERIFY(isMade(document.evaluation()));
    }

    /// Nobody asks for one.
    void previewsDoNotMakeIt() {
        const LoadedGraph graph = loaded();
        BackgroundEvaluator preview;
        std::shared_ptr<const Evaluation> answer;
        connect(&preview, &BackgroundEvaluator::ready, this,
                [&](quint64, const std::shared_ptr<const Evaluation>& evaluation) { answer = evaluation; });
        preview.request(graph.graph, planFor(graph), 1);
        QTRY_VERIFY(answer);
        QVERIFY(answer->on_shared_links);
        QVERIFY(!isMade(answer));
        QVERIFY(withLinksShared(answer));
        QVERIFY(isMade(answer));
    }
};

}  // namespace overlap::ui

QTEST_GUILESS_MAIN(overlap::ui::StepsOnSharedLinksTest)
#include "steps_on_shared_links_test.moc"
