#include "ui/search/search_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/byte_units.h"
#include "core/cost/shared_links.h"
#include "core/graph/graph_editor.h"
#include "core/plan/presets.h"
#include "core/search/plan_search.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/search/found_plans_json.h"
#include "ui/search/front_chart.h"
#include "ui/search/limit_slider.h"
#include "ui/search/lock_button.h"
#include "ui/search/search_controls.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// Searches on a small graph.
class SearchPanelTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Document> document_;
    std::unique_ptr<SearchPanel> panel_;

    void find(int effort = 60) {
        panel_->controls().effort()->setItemData(0, effort);
        panel_->controls().effort()->setCurrentIndex(0);
        panel_->findButton()->click();
        QVERIFY(panel_->busy());
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->busy(), 60'000);
    }

    /// The same graph, on a device that holds so much.
    void setDeviceMemory(std::int64_t bytes) {
        GraphHeader header = document_->graph()->header();
        QVERIFY(header.cost);
        header.cost->memory_bytes = bytes;
        LoadedGraph other = document_->loaded();
        GraphEditor editor(other.graph);
        editor.set_header(std::move(header));
        std::vector<NodeId> origin;
        other.graph = editor.finish(origin);
        document_->setCostModel(other);
        QVERIFY(waitForEvaluation(*document_));
    }

  private slots:
    void init() {
        document_ = openDocument();
        QVERIFY(waitForEvaluation(*document_));
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->resize(1200, 300);
        panel_->show();
    }
    void cleanup() {
        panel_.reset();
        document_.reset();
    }

    void whatIsFoundOpensAsAPlanWithItsFigures() {
        QVERIFY(!panel_->openButton()->isEnabled());
        find();
        QVERIFY2(panel_->caption().contains(QStringLiteral("at most 60 may be evaluated")),
                 qPrintable(panel_->caption()));
        QVERIFY2(!panel_->caption().contains(QStringLiteral("words")), qPrintable(panel_->caption()));
        QVERIFY2(panel_->result().contains(QStringLiteral("above the bound")), qPrintable(panel_->result()));
        QVERIFY(panel_->chart()->points().size() > 2);
        const int before = document_->variantCount();
        const double baseline_ms = document_->baseline().simulation.step_ms;
        panel_->openButton()->click();
        QCOMPARE(document_->variantCount(), before + 1);
        QCOMPARE(document_->currentIndex(), before);
        QVERIFY(document_->current()->modified());
        Plan edited = document_->current()->plan();
        QVERIFY(QString::fromStdString(edited.notes).startsWith(QStringLiteral("Found by a search of")));
        edited.buckets.clear();
        edited.pipeline.clear();
        document_->editPlan(QStringLiteral("no passes"), edited);
        QVERIFY(QString::fromStdString(document_->current()->plan().notes).startsWith(QStringLiteral("Before it was")));
        document_->current()->undoStack().undo();
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!document_->evaluation()->refused);
        QVERIFY(document_->evaluation()->simulation.step_ms < baseline_ms);
        QVERIFY(panel_->elements()->rowCount() > 0);
        // A second time it is shown, not added.
        document_->setCurrentIndex(0);
        panel_->openButton()->click();
        QCOMPARE(document_->variantCount(), before + 1);
        QCOMPARE(document_->currentIndex(), before);
    }

    /// Every change to the best plans was tried: it does not go on to its effort, and says so.
    void saysWhyItEndsEarly() {
        find(5000);
        QVERIFY2(panel_->caption().contains(QStringLiteral(" plans of 5000, since no change to the best plans helps")),
                 qPrintable(panel_->caption()));
    }

    /// The table is of the plan that is chosen, and has the values of options.
    void thePartsAreThoseOfTheChosenPlan() {
        find(150);
        const auto parts = [&] {
            QStringList names;
            for (int row = 0; row < panel_->elements()->rowCount(); ++row)
                names.append(panel_->elements()->item(row, 0)->text());
            return names;
        };
        const auto title = [&] { return panel_->elements()->horizontalHeaderItem(0)->text(); };
        QCOMPARE(title(), QStringLiteral("Part of found"));
        const QStringList of_best = parts();
        QStringList with_values;
        int automatic = -1;
        for (const StepPeakChart::Point& point : panel_->chart()->points()) {
            emit panel_->chart()->chosen(point.id);
            QTRY_VERIFY_WITH_TIMEOUT(!panel_->weighing(), 60'000);
            QCOMPARE(title(), QStringLiteral("Part of %1").arg(point.title));
            const QStringList names = parts();
            if (names != of_best) automatic = point.id;
            for (const QString& name : names)
                if (name.contains(QStringLiteral(" = "))) with_values.append(name);
        }
        QVERIFY(automatic >= 0);  // not all points have the parts of the best
        QVERIFY(!with_values.isEmpty());
        // What was weighed is shown at once the next time.
        emit panel_->chart()->chosen(0);
        QVERIFY(!panel_->weighing());
        QCOMPARE(parts(), of_best);
    }

    void thatNothingBetterWasFoundIsSaid() {
        find(400);
        panel_->openButton()->click();  // the best there is
        QVERIFY(waitForEvaluation(*document_));
        const QString best = document_->current()->title();
        find(60);
        const QString nothing = QStringLiteral("othing better than %1 was found").arg(best);
        QVERIFY2(panel_->result().contains(nothing), qPrintable(panel_->result()));
        QVERIFY2(panel_->caption().contains(nothing), qPrintable(panel_->caption()));
        QVERIFY2(!panel_->result().contains(QStringLiteral("Found: ")), qPrintable(panel_->result()));
        QVERIFY2(panel_->result().contains(QStringLiteral("keep it")), qPrintable(panel_->result()));
        QCOMPARE(document_->current()->title(), best);  // it stays
    }

    void computeInAnyOrderHasItsOwnBound() {
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!panel_->controls().anyOrder()->toolTip().isEmpty());
        find(250);
        QVERIFY2(!panel_->result().contains(QStringLiteral("order of heavy compute")), qPrintable(panel_->result()));
        panel_->controls().anyOrder()->setChecked(true);
        QVERIFY(panel_->findChild<QToolButton*>(QStringLiteral("searchOptions"))->text().contains("any order"));
        find(250);
        QVERIFY2(panel_->result().contains(QStringLiteral("It changes the order of heavy compute")),
                 qPrintable(panel_->result()));
        QVERIFY2(panel_->result().contains(QStringLiteral("whatever the order of compute")),
                 qPrintable(panel_->result()));
        panel_->openButton()->click();
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!document_->evaluation()->refused);
        // A plan that moves compute is refused by name of what would take it, and taken by that.
        panel_->controls().fromCurrent()->setChecked(true);
        panel_->controls().anyOrder()->setChecked(false);
        find(60);
        QVERIFY2(panel_->caption().contains(QStringLiteral("compute in any order")), qPrintable(panel_->caption()));
        QVERIFY2(!panel_->caption().contains(QStringLiteral("--")), qPrintable(panel_->caption()));
    }

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

    void saysHowFarItIsFromThePlanThatWasShown() {
        find();
        const QString from_plan = QStringLiteral("From %1 to it, what changes: ").arg(document_->current()->title());
        QVERIFY2(panel_->result().contains(from_plan), qPrintable(panel_->result()));
        document_->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*document_));
        find();
        QVERIFY2(!panel_->result().contains(QStringLiteral("what changes")), qPrintable(panel_->result()));
    }

    void anotherPointIsChosenByKeys() {
        find();
        const QString best = panel_->result();
        QTest::keyClick(panel_->chart(), Qt::Key_Right);
        QTest::keyClick(panel_->chart(), Qt::Key_Right);
        const auto focused = static_cast<std::size_t>(panel_->chart()->focused());
        const StepPeakChart::Point point = panel_->chart()->points()[focused];
        QTest::keyClick(panel_->chart(), Qt::Key_Return);
        QVERIFY2(panel_->result().startsWith(point.title, Qt::CaseInsensitive), qPrintable(panel_->result()));
        QSignalSpy compared(panel_.get(), &SearchPanel::compareWanted);
        panel_->compareButton()->click();
        QCOMPARE(compared.size(), 1);
        QCOMPARE(compared.front()[1].toInt(), document_->currentIndex());
    }

    void aLimitHolds() {
        const std::int64_t peak = document_->baseline().corrected_memory.peak_bytes;
        panel_->controls().limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::baseline));
        find();
        panel_->openButton()->click();
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(document_->evaluation()->corrected_memory.peak_bytes <= peak);
    }

    /// By keys and by the pointer: the best within the limit is chosen, and the next search has this limit.
    void theLimitIsChosenAlongTheChart() {
        find();
        LimitSlider& slider = *panel_->limitSlider();
        QVERIFY(slider.isVisible());
        QCOMPARE(slider.limit(), std::optional<std::int64_t>());
        QCOMPARE(panel_->chart()->peakLimit(), std::optional<std::int64_t>());
        QTest::keyClick(&slider, Qt::Key_Home);
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (const StepPeakChart::Point& point : panel_->chart()->points()) least = std::min(least, point.peak_bytes);
        QVERIFY(slider.limit());
        QVERIFY(*slider.limit() >= least && *slider.limit() < least + 1024);
        QCOMPARE(panel_->chart()->peakLimit(), slider.limit());
        QCOMPARE(panel_->controls().limitBytes(), slider.limit());
        QVERIFY2(panel_->result().startsWith(QStringLiteral("Within ")), qPrintable(panel_->result()));
        QVERIFY2(panel_->result().contains(formatBytes(static_cast<double>(least))), qPrintable(panel_->result()));
        // A point beyond the limit is chosen all the same, and told as what it is.
        const std::vector<StepPeakChart::Point>& points = panel_->chart()->points();
        const auto most = std::ranges::max_element(points, {}, &StepPeakChart::Point::peak_bytes);
        emit panel_->chart()->chosen(most->id);
        QVERIFY2(panel_->result().startsWith(QStringLiteral("This plan takes more than the limit of ")),
                 qPrintable(panel_->result()));
        // Each page is a plan of the front.
        const QString before = panel_->result();
        QTest::keyClick(&slider, Qt::Key_PageUp);
        QVERIFY(panel_->result() != before);
        QTest::keyClick(&slider, Qt::Key_End);
        QCOMPARE(panel_->controls().limitBytes(), std::optional<std::int64_t>());
        // By the pointer, on the slider and at the chart's line.
        const int at_half = static_cast<int>(panel_->chart()->xOfPeak((slider.minimum() + slider.maximum()) * 512LL));
        QTest::mouseClick(&slider, Qt::LeftButton, {}, QPoint(at_half, slider.height() / 2));
        QVERIFY(slider.limit());
        const std::int64_t half = *slider.limit();
        const int line = static_cast<int>(panel_->chart()->xOfPeak(half));
        QTest::mousePress(panel_->chart(), Qt::LeftButton, {}, QPoint(line, 30));
        QTest::mouseMove(panel_->chart(), QPoint(line + 40, 30));
        QTest::mouseRelease(panel_->chart(), Qt::LeftButton, {}, QPoint(line + 40, 30));
        QVERIFY(!slider.limit() || *slider.limit() > half);
        // A number that is typed moves the line, too.
        panel_->controls().setLimit(half);
        QCOMPARE(panel_->chart()->peakLimit(), std::optional(half));
        find();
        panel_->openButton()->click();
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(document_->evaluation()->corrected_memory.peak_bytes <= half);
    }

    void aLimitThatIsTypedStaysUntilTheKnobIsMoved() {
        SearchControls& controls = panel_->controls();
        setDeviceMemory(0);
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        QCOMPARE(controls.limitBytes(), std::optional<std::int64_t>());
        QCOMPARE(controls.otherLimit()->text(), "no limit");
        const std::int64_t device = 80LL << 30;
        setDeviceMemory(device);
        QCOMPARE(controls.limitBytes(), std::optional(device));
        QVERIFY2(controls.otherLimit()->toolTip().contains("at first what the device holds"),
                 qPrintable(controls.otherLimit()->toolTip()));
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::none));
        find();
        LimitSlider& slider = *panel_->limitSlider();
        const std::int64_t middle = (std::int64_t{slider.minimum()} + slider.maximum()) * 512;
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        // Larger than what was found it is told as what it is.
        QCOMPARE(slider.limit(), std::optional(device));
        QVERIFY2(slider.text().contains(formatBytes(static_cast<double>(device))), qPrintable(slider.text()));
        QVERIFY2(!panel_->result().contains("may find more"), qPrintable(panel_->result()));
        controls.otherLimit()->setValue(static_cast<double>(middle) / bytes_per_gib);
        const auto typed = controls.limitBytes();
        QVERIFY(typed && *typed != device);
        QCOMPARE(slider.limit(), typed);
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::baseline));
        QVERIFY(controls.limitBytes() != typed);
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        QCOMPARE(controls.limitBytes(), typed);
        // A press on the knob moves nothing, a drag of it does.
        const QPoint knob(static_cast<int>(std::lround(panel_->chart()->xOfPeak(*typed))), slider.height() / 2);
        QTest::mouseClick(&slider, Qt::LeftButton, {}, knob + QPoint(2, 0));
        QCOMPARE(controls.limitBytes(), typed);
        QTest::mousePress(&slider, Qt::LeftButton, {}, knob);
        QTest::mouseMove(&slider, knob + QPoint(40, 0));
        QTest::mouseRelease(&slider, Qt::LeftButton, {}, knob + QPoint(40, 0));
        QVERIFY(controls.limitBytes() != typed);
    }

    void theFastestIsChosenByItsLink() {
        find();
        std::optional<KeptFoundPlans> kept = foundPlansFromJson(panel_->kept());
        QVERIFY(kept && kept->found.choices.size() > 1);
        FoundPlans& found = kept->found;
        found.shortest_ms = found.choices[1].step_ms = found.best().step_ms * 0.999;
        found.choices[1].shown_ms.reset();
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->show();
        panel_->restore(toJson(found, 0));
        QVERIFY2(panel_->caption().contains("the fastest, "), qPrintable(panel_->caption()));
        QVERIFY2(panel_->caption().contains("less than " + formatPercent(alike_share)), qPrintable(panel_->caption()));
        auto* caption = panel_->findChild<QLabel*>("searchCaption");
        QVERIFY2(caption->text().contains("<a href=\"1\">the fastest</a>"), qPrintable(caption->text()));
        emit caption->linkActivated("1");
        QVERIFY2(panel_->result().startsWith(found.choices[1].title, Qt::CaseInsensitive),
                 qPrintable(panel_->result()));
        QCOMPARE(panel_->kept()["chosen"].toInt(), 1);
    }

    void whatItIsComparedWithIsToldApart() {
        find();
        const auto& points = panel_->chart()->points();
        const auto compared = std::ranges::count_if(points, &StepPeakChart::Point::compared);
        QVERIFY(compared > 0 && compared < std::ssize(points));
        QVERIFY(panel_->chart()->shapesText().contains("compared with"));
        // Also of what a session brings back.
        const std::optional<KeptFoundPlans> kept = foundPlansFromJson(panel_->kept());
        QVERIFY(kept);
        QCOMPARE(std::ranges::count_if(kept->found.choices, &FoundChoice::compared), compared);
    }

    void whatIsKeptIsInEveryPlanThatIsFound() {
        const std::vector<BucketEntry> mine = parse_bucket_entries("layers.0+layers.3, layers.1");
        document_->editBuckets(QStringLiteral("mine"), mine);
        QVERIFY(waitForEvaluation(*document_));
        LockButton& lock = *panel_->controls().lockButton();
        QVERIFY(lock.isEnabled());
        QVERIFY(!panel_->controls().startsFromCurrent());
        QSignalSpy changed(&lock, &LockButton::changed);
        emit lock.menu()->aboutToShow();
        emit lock.menu()->aboutToShow();  // a second time it is filled anew
        QVERIFY(lock.menu()->findChildren<QMenu*>().size() <= 3);
        QMenu* const cards = lock.menu()->findChild<QMenu*>();
        QVERIFY(cards);
        const auto items = cards->actions();
        const auto item = std::ranges::find(items, QStringLiteral("bucket layers.0 + layers.3"), &QAction::text);
        QVERIFY(item != items.end());
        (*item)->trigger();
        QCOMPARE(changed.size(), 1);
        QCOMPARE(lock.text(), QStringLiteral("Keep 1…"));
        QCOMPARE(panel_->controls().locks().buckets.size(), 1u);
        QVERIFY(panel_->controls().startsFromCurrent());
        QVERIFY(!panel_->controls().fromCurrent()->isEnabled());
        find(200);  // with fewer plans the front is one plan, and has no slider
        QVERIFY2(panel_->result().contains(QStringLiteral("keep of")), qPrintable(panel_->result()));
        const auto opens_with_what_is_kept = [&] {
            panel_->openButton()->click();
            if (!waitForEvaluation(*document_)) return false;  // without figures there is no limit
            const Plan& opened = document_->current()->plan();
            return std::ranges::find(opened.buckets, mine[0].modules, &BucketEntry::modules) != opened.buckets.end();
        };
        QVERIFY(opens_with_what_is_kept());
        // Also of every plan that a limit or a click chooses: what it is compared with lacks it, and is no choice.
        LimitSlider& slider = *panel_->limitSlider();
        QVERIFY(slider.isVisible());
        QTest::keyClick(&slider, Qt::Key_Home);
        QVERIFY2(opens_with_what_is_kept(), qPrintable(panel_->result()));
        for (std::size_t page = 0; page < panel_->chart()->points().size() && slider.limit(); ++page) {
            QTest::keyClick(&slider, Qt::Key_PageUp);
            QVERIFY2(opens_with_what_is_kept(), qPrintable(panel_->result()));
        }
        const std::vector<StepPeakChart::Point> points = panel_->chart()->points();
        for (const StepPeakChart::Point& point : points) {
            emit panel_->chart()->chosen(point.id);
            QVERIFY2(opens_with_what_is_kept(), qPrintable(panel_->result()));
        }
        // It is kept of plans that have it.
        document_->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!lock.isEnabled());
        QVERIFY(panel_->controls().locks().empty());
    }

    void aSearchThatIsRefusedKeepsWhatWasFound() {
        find();
        const QString result = panel_->result();
        const auto points = panel_->chart()->points().size();
        const int elements = panel_->elements()->rowCount();
        panel_->controls().limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        panel_->findChild<QDoubleSpinBox*>()->setValue(0.01);  // less than must be alive
        find();
        QVERIFY2(panel_->caption().startsWith(QStringLiteral("Nothing new was found: ")),
                 qPrintable(panel_->caption()));
        QVERIFY2(panel_->result().endsWith(result), qPrintable(panel_->result()));
        QCOMPARE(panel_->chart()->points().size(), points);
        QCOMPARE(panel_->elements()->rowCount(), elements);
        QVERIFY(panel_->openButton()->isEnabled());
    }

    void stoppedItKeepsTheBestSoFar() {
        panel_->controls().effort()->setItemData(0, 5'000'000);
        panel_->controls().effort()->setCurrentIndex(0);
        panel_->findButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(panel_->caption().contains(QStringLiteral("best ")), 30'000);
        QVERIFY2(panel_->findButton()->text().contains(QStringLiteral("Stop")),
                 qPrintable(panel_->findButton()->text()));
        panel_->findButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->busy(), 30'000);
        QVERIFY2(panel_->caption().contains(QStringLiteral("topped after ")), qPrintable(panel_->caption()));
        // Nobody waits for the step that it will show.
        QVERIFY2(panel_->result().contains(QStringLiteral("may show another step")), qPrintable(panel_->result()));
        QVERIFY(panel_->openButton()->isEnabled());
    }

    void anotherGraphForgetsWhatWasFound() {
        find();
        document_->setGraph(loadGraph(smallGraphFile()));
        QVERIFY(!panel_->openButton()->isEnabled());
        QVERIFY(panel_->chart()->points().empty());
        QVERIFY(waitForEvaluation(*document_));
        panel_->findButton()->click();
        document_->setGraph(loadGraph(smallGraphFile()));
        QVERIFY(!panel_->busy());
    }

    void whyNothingCanBeFoundIsSaid() {
        panel_->controls().limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        auto* limit = panel_->findChild<QDoubleSpinBox*>();
        QVERIFY(limit && limit->isVisible());
        limit->setValue(0.01);
        find();
        QVERIFY2(panel_->caption().startsWith(QStringLiteral("Nothing was found: ")), qPrintable(panel_->caption()));
        QVERIFY(!panel_->openButton()->isEnabled());
        Document empty;
        SearchPanel none(empty);
        QVERIFY(!none.findButton()->isEnabled());
        QVERIFY(!none.findButton()->toolTip().isEmpty());
    }

    void aLimitThatIsNotKnownIsSaid() {
        setDeviceMemory(0);
        panel_->controls().limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::device));
        QVERIFY(!panel_->findButton()->isEnabled());
        QVERIFY(panel_->findButton()->toolTip().contains(QStringLiteral("does not say what the device holds")));
        panel_->controls().limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::none));
        QVERIFY(panel_->findButton()->isEnabled());
    }

    void anotherCostModelForgetsWhatWasFound() {
        find();
        QVERIFY(panel_->openButton()->isEnabled());
        const LoadedGraph same = document_->loaded();
        document_->setCostModel(same);
        QVERIFY(!panel_->openButton()->isEnabled());
        QVERIFY(panel_->chart()->points().empty());
    }

    /// Expert parallelism has several process groups.
    void bothStepsAreSaidWhereLinksAreShared() {
        document_->setGraph(loadGraph(
            QStringLiteral(OVERLAP_TEST_DATA "/graphs/deepseek_v3_debugmodel_fsdp8_ep4.prebucket.graph.json.gz")));
        QVERIFY(waitForEvaluation(*document_));
        find();
        const QString found = panel_->result();
        panel_->openButton()->click();
        QVERIFY(waitForEvaluation(*document_));
        const QString shown = formatTime(document_->evaluation()->simulation.step_ms);
        QVERIFY2(found.contains(QStringLiteral(" with links shared and %1 without").arg(shown)), qPrintable(found));
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

    void theBaselineIsNoPlanToStartFrom() {
        document_->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(!panel_->controls().fromCurrent()->isEnabled());
        document_->setCurrentIndex(1);
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(panel_->controls().fromCurrent()->isEnabled());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SearchPanelTest)
#include "search_panel_test.moc"
