#include <QTest>

#include "core/pipeline/evaluation.h"
#include "core/plan/expert_overlap.h"
#include "core/plan/presets.h"
#include "ui/edits/bucket_commands.h"
#include "ui/edits/memory_commands.h"
#include "ui/shell/main_window.h"

namespace overlap::ui {

/// The samples of the menu File show what they are there for.
class SamplesTest : public QObject {
    Q_OBJECT

  private slots:
    void aMemorySectionCanBeTriedOnASample() {
        MainWindow window;
        window.actions().find("file.memorySample")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.document().name(), "llama3_8b_fsdp64", 60'000);
        Document& document = window.document();
        QTRY_VERIFY_WITH_TIMEOUT(document.evaluation() && !document.current()->stale(), 60'000);
        const Plan torchtitans = plan_of(pipeline_presets(*document.graph()).front(), *document.graph(), "Mine");
        QCOMPARE(document.evaluation()->simulation.step_ms,
                 evaluate_like(document.baseline(), torchtitans)->simulation.step_ms);
        BucketCommands(document).startFrom(BucketCommands::Template::block);
        QCOMPARE(MemoryCommands(window.document()).refusal(), QString());
    }

    void expertOverlapCanBeTriedOnASample() {
        MainWindow window;
        window.actions().find("file.expertsSample")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(window.document().name(), "deepseek_v3_16b_fsdp32_ep32", 60'000);
        QVERIFY(window.document().baseline().times_known);
        const Graph& graph = *window.document().graph();
        const ExpertOverlapChoices choices = expert_overlap_choices(graph, window.document().modules());
        QVERIFY2(!choices.list.empty(), choices.obstacle.c_str());
        // torchtitan's pipeline for a graph that is traced for it.
        const auto halved =
            evaluate_like(window.document().baseline(), plan_of(pipeline_presets(graph).front(), graph, "Plan A"));
        QVERIFY(!halved->refused);
        QVERIFY(expert_overlap_of(halved->resolved->plan) == choices.list.front());
        const auto whole = evaluate_like(*halved, edits::without_expert_overlap(halved->resolved->plan));
        // Nothing but the other half of the batch hides an all-to-all.
        QVERIFY2(halved->simulation.exposed_ms < whole->simulation.exposed_ms / 2,
                 qPrintable(QString::number(halved->simulation.exposed_ms)));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SamplesTest)
#include "samples_test.moc"
