#include <algorithm>

#include "core/pipeline/step_with_links_shared.h"
#include "core/plan/presets.h"
#include "core/search/plan_search.h"
#include "tests/ui/search/searched_panel.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/search/found_choices.h"
#include "ui/search/found_plans.h"
#include "ui/search/front_chart.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// What was found beside the plan that the search began at, which is edited afterwards.
class EditedStartTest : public QObject, SearchedPanel {
    Q_OBJECT

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    void countsAsItIsNow() {
        find();
        const QString before = panel_->result();
        const StepPeakChart::Point then = *panel_->chart()->current();
        const QString title = document_->current()->title();
        QCOMPARE(then.title, title);
        editStart();
        // Until the plan is evaluated again the figures are those of the plan before its edits, and called so.
        const QString former = QStringLiteral("%1 as it was then").arg(title);
        QCOMPARE(panel_->chart()->current()->title, former);
        QVERIFY2(panel_->result().contains(QStringLiteral(" to %1").arg(former)), qPrintable(panel_->result()));
        QVERIFY2(panel_->result().contains(QStringLiteral("it is evaluated while it is shown")),
                 qPrintable(panel_->result()));
        QVERIFY(waitForEvaluation(*document_));
        const Evaluation& now = *document_->evaluation();
        const StepPeakChart::Point ring = *panel_->chart()->current();
        QCOMPARE(ring.title, title);
        QCOMPARE(ring.step_ms, step_with_links_shared(now));
        QCOMPARE(ring.peak_bytes, now.corrected_memory.peak_bytes);
        QVERIFY(ring.step_ms != then.step_ms);
        const QString said = QStringLiteral("%1 has changed since the search began, and counts here as it is now. ");
        QVERIFY2(panel_->result().startsWith(said.arg(title)), qPrintable(panel_->result()));
        const double best_ms = bestStep();
        const QString to = QStringLiteral("%1 to %2");
        const QString difference = to.arg(formatDifference(best_ms - ring.step_ms, Unit::Time), title);
        QVERIFY2(panel_->result().contains(difference), qPrintable(panel_->result()));
        QVERIFY2(!panel_->result().contains(to.arg(formatDifference(best_ms - then.step_ms, Unit::Time), title)),
                 qPrintable(panel_->result()));
        // Without the edit all is as it was.
        document_->current()->undoStack().undo();
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(panel_->result(), before);
        QCOMPARE(panel_->chart()->current()->step_ms, then.step_ms);
    }

    /// Before the search: the plan as it is now is the one from before that edit.
    void anEditThatIsTakenBackIsNoneSince() {
        editStart();
        QVERIFY(waitForEvaluation(*document_));
        find();
        const QString title = document_->current()->title();
        document_->current()->undoStack().undo();
        QCOMPARE(panel_->chart()->current()->title, QStringLiteral("%1 as it was then").arg(title));
        QVERIFY2(!panel_->result().contains("edit"), qPrintable(panel_->result()));
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY2(panel_->result().startsWith(QStringLiteral("%1 has changed since").arg(title)),
                 qPrintable(panel_->result()));
    }

    /// As long as nobody knows whether a job could run it, it does not stand in the way of what was found.
    void isKeptWhereNothingBetterWasFound() {
        find(400);
        panel_->openButton()->click();
        Plan best = document_->current()->plan();
        document_->setCurrentIndex(1);
        QVERIFY(waitForEvaluation(*document_));
        find(20);
        const QString title = document_->current()->title();
        const QString nothing = QStringLiteral("othing better than %1 was found").arg(title);
        QVERIFY2(!panel_->caption().contains(nothing), qPrintable(panel_->caption()));
        best.name = document_->current()->plan().name;
        document_->editPlan(QStringLiteral("the best there is"), best);
        QVERIFY(waitForEvaluation(*document_));
        QTRY_VERIFY_WITH_TIMEOUT(panel_->caption().contains(nothing), 30'000);
        QVERIFY2(panel_->result().contains(nothing), qPrintable(panel_->result()));
        QVERIFY2(panel_->result().contains(QStringLiteral("keep it")), qPrintable(panel_->result()));
    }

    void isToldWhileASearchRuns() {
        panel_->findButton()->click();
        QVERIFY(panel_->busy());
        const QString title = document_->current()->title();
        editStart();
        QCOMPARE(panel_->chart()->current()->title, QStringLiteral("%1 as it was then").arg(title));
        panel_->findButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->busy(), 60'000);
    }

    /// The session has the plan as it is now, and what was found as it was; another plan may have taken its name.
    void comesBackWithTheSession() {
        find();
        const QString former = document_->current()->title(), title = QStringLiteral("Renamed");
        const int place = document_->currentIndex();
        editStart();
        QVERIFY(waitForEvaluation(*document_));
        document_->renameCurrent(title);
        document_->addNew(make_plan(*document_->graph(), former.toStdString()));
        document_->setCurrentIndex(place);
        const QJsonObject kept = panel_->kept();
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->restore(kept);
        QVERIFY2(panel_->result().startsWith(QStringLiteral("%1 has changed").arg(title)),
                 qPrintable(panel_->result()));
    }

    /// A new plan of its name is another one.
    void isGoneWhereItWasClosed() {
        find();
        const QString title = document_->current()->title();
        const int place = document_->currentIndex();
        document_->addUnderFreeName(make_plan(*document_->graph(), "Other"));
        document_->closeVariant(place);
        document_->renameCurrent(title);
        editStart();
        QVERIFY(waitForEvaluation(*document_));
        const QJsonObject kept = panel_->kept();
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->restore(kept);
        QVERIFY2(!panel_->result().contains(QStringLiteral("has changed")), qPrintable(panel_->result()));
    }

    /// Memory decides between a plan and one that is hardly faster.
    void isNotTakenForWorseThanAHardlyFasterPlan() {
        FoundPlans found;
        found.start.title = QStringLiteral("Mine");
        found.start.plan.emplace();
        found.start.step_ms = 1000;
        found.start.peak_bytes = 1000;
        found.choices.resize(1);
        const auto nothingBetterThan = [&](double step_ms, std::int64_t peak_bytes) {
            found.choices[0].step_ms = step_ms;
            found.choices[0].peak_bytes = peak_bytes;
            return found.nothingBetter();
        };
        QVERIFY(nothingBetterThan(1000, 900));
        QVERIFY(!nothingBetterThan(999, 900));
        QVERIFY(!nothingBetterThan(990, 2000));
        QVERIFY(nothingBetterThan(999, 2024));
        const QString said = sentencesOn(found, 0).front();
        QCOMPARE(said,
                 QStringLiteral("Nothing better than Mine was found: the best of the others takes 1%1KiB more for "
                                "less than 0.3%1%: keep it.")
                     .arg(QChar(0x202f)));
    }

    /// A sentence on the start stands behind those that are of the choice: `It` is the choice.
    void sentencesOnTheChoiceStandBeforeThoseOnTheStart() {
        FoundPlans found;
        found.start.title = QStringLiteral("Mine");
        found.start.left_out = QStringLiteral("mm");
        found.changes_order = true;
        found.choices.resize(1);
        const QString said = sentencesOn(found, 0).join(u' ');
        const qsizetype order = said.indexOf("It changes the order"), start = said.indexOf("No bound holds for Mine");
        QVERIFY2(order >= 0 && start > order, qPrintable(said));
    }

    /// It may stand below the bound in the chart.
    void thatNoBoundHoldsForItIsSaidWhereItLeavesOutWork() {
        find();
        QVERIFY2(!panel_->result().contains("No bound holds"), qPrintable(panel_->result()));
        Plan less = document_->current()->plan();
        less.pipeline = {PassStep{"deduplicate_fsdp_unshard_chains_pass"}};
        document_->editPlan("less", less);
        QVERIFY(waitForEvaluation(*document_));
        find();
        const QString said =
            QStringLiteral("No bound holds for %1, since it leaves out work that the bound counts on: ")
                .arg(document_->current()->title());
        const QString result = panel_->result();
        QVERIFY2(result.contains(said), qPrintable(result));
        // Also as a session brings it back, and not of what it has become since.
        const QJsonObject kept = panel_->kept();
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->restore(kept);
        QCOMPARE(panel_->result(), result);
        editStart();
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY2(!panel_->result().contains(said), qPrintable(panel_->result()));
    }

    /// The graph without any pass has a name of its own beside that of the plan.
    void theGraphAsItIsIsCalledSo() {
        SearchResult result;
        result.best.step_ms = 1;
        Candidate& baseline = result.baselines.emplace_back();
        baseline.origin = "as it is";
        baseline.step_ms = 3;
        const FoundPlans found = foundPlansOf(result, {}, {});
        QCOMPARE(found.choices.back().title, QStringLiteral("graph as it is"));
    }

    /// In the tab of a plan, in menus and here.
    void aPresetHasOneName() {
        SearchResult result;
        result.best.step_ms = 1;
        result.best.origin = "torchtitan_default, buckets of 2 blocks";
        Candidate& baseline = result.baselines.emplace_back();
        baseline.origin = "torchtitan_performance";
        baseline.step_ms = 3;
        const FoundPlans found = foundPlansOf(result, {}, {});
        QCOMPARE(found.choices.back().title, QStringLiteral("torchtitan performance"));
        QCOMPARE(found.origin, QStringLiteral("torchtitan default, buckets of 2 blocks"));
    }

    /// Which is a point of the front as others are, and stands in the chart once.
    void theKneeIsNamedAlsoWhereItIsTheBest() {
        SearchResult result;
        result.best.step_ms = 2;
        result.best.corrected_peak_bytes = 20;
        result.baselines.emplace_back().step_ms = 4;
        result.front = {{10, 3, 10, 1, "least", {}}, {20, 2, 20, 1, "best", {}}, {40, 1.9, 40, 1, "fastest", {}}};
        const auto titles = [&] {
            QStringList list;
            for (const FoundChoice& choice : foundPlansOf(result, {}, {}).choices) list.append(choice.title);
            list.removeLast();  // the baseline
            return list.join(QStringLiteral("; "));
        };
        QCOMPARE(titles(), QStringLiteral("found; front; front"));
        result.front[1].knee = true;
        QCOMPARE(titles(), QStringLiteral("found, knee; front; front"));
        QCOMPARE(foundPlansOf(result, {}, {}).best().name_rank, 2);
        std::swap(result.front[0].knee, result.front[1].knee);
        QCOMPARE(titles(), QStringLiteral("found; knee; front"));
    }

  private:
    void editStart() { PipelineCommands(*document_).startFrom(pipeline_presets(*document_->graph()).at(1)); }

    double bestStep() const {
        const auto& points = panel_->chart()->points();
        return std::ranges::find_if(points, [](const auto& point) { return point.id == 0; })->step_ms;
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::EditedStartTest)
#include "edited_start_test.moc"
