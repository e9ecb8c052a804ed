#include <QCheckBox>
#include <QLabel>
#include <memory>
#include <optional>

#include "core/cost/shared_links.h"
#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/found_note.h"
#include "core/plan/presets.h"
#include "core/search/plan_search.h"
#include "tests/ui/search/searched_panel.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/search/found_choices.h"
#include "ui/search/found_plans_json.h"
#include "ui/search/front_chart.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// Whether process groups share links or each has its own, as a search tells it.
class SearchLinksTest : public QObject, SearchedPanel {
    Q_OBJECT

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    void linksOfTheirOwnAreACommandLinesToo() {
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        QVERIFY(waitForEvaluation(*document_));
        panel_->controls().separateLinks()->setChecked(true);
        find(60);
        QVERIFY2(panel_->chart()->stepsText().contains("link of its own"), qPrintable(panel_->chart()->stepsText()));
        QVERIFY(panel_->chart()->current());
        QCOMPARE(panel_->chart()->current()->step_ms, document_->evaluation()->simulation.step_ms);
        SearchOptions options;
        options.effort = 60;
        const SearchResult same = search_plans(with_shared_links(document_->graph(), LinkSharing::by_group), options);
        QVERIFY2(panel_->result().contains(formatTime(same.best.step_ms)), qPrintable(panel_->result()));
    }

    void nothingIsSaidOfLinksWhereTheyMakeNoDifference() {
        QVERIFY(!document_->evaluation()->on_shared_links);
        QCOMPARE(panel_->chart()->stepsText(), QString());
        QCOMPARE(panel_->findChild<QLabel*>("searchResult")->toolTip(), QString());
        find();
        std::optional<KeptFoundPlans> kept = foundPlansFromJson(panel_->kept());
        QVERIFY(kept);
        for (const bool differs : {false, true}) {
            for (FoundChoice& choice : kept->found.choices) choice.shown_ms = choice.step_ms;
            if (differs) *kept->found.choices.back().shown_ms -= 1;
            panel_ = std::make_unique<SearchPanel>(*document_);
            panel_->restore(toJson(kept->found, 0));
            QCOMPARE(panel_->chart()->stepsText().contains("with links shared"), differs);
        }
    }

    /// Expert parallelism has several process groups.
    void bothStepsAreSaidWhereLinksAreShared() {
        document_->setGraph(loadGraph(
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/deepseek_v3_debugmodel_fsdp8_ep4.prebucket.graph.json.gz")));
        QVERIFY(waitForEvaluation(*document_));
        find();
        const QString found = panel_->result();
        std::optional<KeptFoundPlans> kept = foundPlansFromJson(panel_->kept());
        panel_->openButton()->click();
        QVERIFY(waitForEvaluation(*document_));
        const QString shown = formatTime(document_->evaluation()->simulation.step_ms);
        QVERIFY2(found.contains(QStringLiteral(" with links shared and %1 without").arg(shown)), qPrintable(found));
        // What that means is the same for all that was found, and no sentence of any.
        const auto help = [&] { return panel_->findChild<QLabel*>("searchResult")->toolTip(); };
        QVERIFY2(help().startsWith("Plans are compared with links shared"), qPrintable(help()));
        QVERIFY2(!found.contains("compared with links"), qPrintable(found));
        // Where a search is stopped, nobody waits for the steps without.
        QVERIFY(kept);
        for (FoundChoice& choice : kept->found.choices) choice.shown_ms.reset();
        kept->found.links_differ = true;
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->restore(toJson(kept->found, 0));
        const QString step = formatTime(kept->found.best().step_ms);
        QVERIFY2(panel_->result().contains(QStringLiteral("step %1 with links shared (").arg(step)),
                 qPrintable(panel_->result()));
        QVERIFY2(!panel_->result().contains("share links"), qPrintable(panel_->result()));
        QVERIFY(help().startsWith("Plans are compared with links shared"));
    }

    /// Of two steps that hardly differ the window tells one, and so does the tab of a plan that was found.
    void anOpenedPlanIsCalledByTheStepOfTheToolbar() {
        FoundChoice choice;
        choice.step_ms = 61.416;
        choice.shown_ms = 61.404;
        choice.peak_bytes = std::int64_t{2} << 30;
        QCOMPARE(openedName(choice), QStringLiteral("Found 61.4 ms at 2 GiB"));
        choice.shown_ms = 55;
        QCOMPARE(openedName(choice), QStringLiteral("Found 61.42 ms at 2 GiB"));
        choice.shown_ms.reset();
        QCOMPARE(openedName(choice), QStringLiteral("Found 61.42 ms at 2 GiB"));
        document_->setGraph(loadGraph(
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/deepseek_v3_debugmodel_fsdp8_ep4.prebucket.graph.json.gz")));
        QVERIFY(waitForEvaluation(*document_));
        find();
        panel_->openButton()->click();
        QVERIFY(waitForEvaluation(*document_));
        const Evaluation& opened = *document_->evaluation();
        QCOMPARE(document_->current()->title().toStdString(),
                 found_plan_name(step_with_links_shared(opened), opened.corrected_memory.peak_bytes));
    }

    /// All points of the chart are of one kind: no plan is drawn below the bound because its links are not shared.
    void thePlanThatIsOpenIsDrawnWithLinksShared() {
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        PipelineCommands(*document_).startFrom(pipeline_presets(*document_->graph()).at(1));
        QVERIFY(waitForEvaluation(*document_));
        const auto evaluation = document_->evaluation();
        QVERIFY(evaluation->on_shared_links);
        QVERIFY(panel_->chart()->stepsText().contains("with links shared"));
        for (const double ms : {evaluation->on_shared_links->step_ms, evaluation->simulation.step_ms})
            QVERIFY2(panel_->result().contains(formatTime(ms)), qPrintable(panel_->result()));
        panel_->findOrFinish();
        QVERIFY(panel_->chart()->current());
        QCOMPARE(panel_->chart()->current()->step_ms, evaluation->on_shared_links->step_ms);
        panel_->findOrFinish();
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->busy(), 60'000);
        QCOMPARE(panel_->chart()->current()->step_ms, evaluation->on_shared_links->step_ms);
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SearchLinksTest)
#include "search_links_test.moc"
