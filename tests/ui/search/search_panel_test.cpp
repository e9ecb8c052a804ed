#include "ui/search/search_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLayout>
#include <QMenu>
#include <QSet>
#include <QSignalSpy>
#include <QToolButton>
#include <algorithm>

#include "core/base/number_text.h"
#include "core/pipeline/unshared_links.h"
#include "core/search/plan_search.h"
#include "tests/ui/search/searched_panel.h"
#include "ui/search/found_choices.h"
#include "ui/search/front_chart.h"
#include "ui/search/limit_slider.h"
#include "ui/search/lock_button.h"
#include "ui/search/parts_table.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// Searches on a small graph.
class SearchPanelTest : public QObject, SearchedPanel {
    Q_OBJECT

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    void whatIsFoundOpensAsAPlanWithItsFigures() {
        QVERIFY(!panel_->openButton()->isEnabled());
        find();
        QVERIFY2(panel_->caption().contains(QStringLiteral("all that the effort of 60 allows before what was found")),
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

    /// As in a window of 1280x800: nothing has to be scrolled to see that there is a table, and the best of it.
    void theTableIsSeenInALowPanel() {
        panel_->resize(1280, 185);
        find();
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->weighing(), 60'000);
        auto* table = panel_->findChild<PartsTable*>();
        auto* result = panel_->findChild<QLabel*>("searchResult");
        const auto seen = [&](const QWidget* widget, const QRect& part) {
            return panel_->rect().contains(QRect(widget->mapTo(panel_.get(), part.topLeft()), part.size())) &&
                   !widget->visibleRegion().intersected(part).isEmpty();
        };
        QTRY_VERIFY(seen(table->viewport(), table->visualRect(table->parts()->index(0, 0))));
        QVERIFY(table->parts()->rowCount() < 3 ||
                seen(table->viewport(), table->visualRect(table->parts()->index(2, 0))));
        const QRect first_line(0, 0, 40, result->fontMetrics().height());
        QVERIFY(seen(result, first_line));
        QVERIFY(seen(panel_->openButton(), panel_->openButton()->rect()));
        QVERIFY2(panel_->chart()->width() > 300, qPrintable(QString::number(panel_->chart()->width())));
        // Where there is height, sentences have the whole width.
        panel_->resize(1280, 900);
        QTRY_VERIFY(table->mapTo(panel_.get(), QPoint()).y() > result->mapTo(panel_.get(), QPoint()).y() + 30);
        QTRY_COMPARE(table->width(), result->width());
        QTRY_VERIFY(table->isVisible());
        // In a narrow panel there is no room for two columns.
        panel_->resize(500, 185);
        QTRY_VERIFY(table->mapTo(panel_.get(), QPoint()).y() > result->mapTo(panel_.get(), QPoint()).y());
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

    /// Several plans of one search stand beside each other as tabs, with the step that the toolbar tells of each.
    void aPlanThatIsOpenedIsCalledWhatItIs() {
        find(150);
        QSet<QString> names;
        qsizetype opened = 0;
        for (const StepPeakChart::Point& point : panel_->chart()->points()) {
            if (point.compared) continue;
            emit panel_->chart()->chosen(point.id);
            panel_->openButton()->click();
            QVERIFY(waitForEvaluation(*document_));
            const QString name = document_->current()->title();
            const double told_ms = told_step_ms(document_->evaluation()->simulation.step_ms, point.step_ms);
            const QString figures =
                QString::fromStdString("Found " + time_text(told_ms) + " at " + bytes_text(point.peak_bytes));
            // Two whose figures read alike are told apart by a number.
            QVERIFY2(name == figures || name.startsWith(figures + u' '), qPrintable(name));
            names.insert(name);
            ++opened;
        }
        QVERIFY(opened > 2);
        QCOMPARE(names.size(), opened);
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
        QVERIFY2(!panel_->result().contains(QStringLiteral("Found: step")), qPrintable(panel_->result()));
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

    void saysHowFarItIsFromThePlanThatWasShown() {
        find();
        const QString from_plan = QStringLiteral("From %1 to it, what changes: ").arg(document_->current()->title());
        QVERIFY2(panel_->result().contains(from_plan), qPrintable(panel_->result()));
        document_->setCurrentIndex(0);
        QVERIFY(waitForEvaluation(*document_));
        find();
        QVERIFY2(!panel_->result().contains(QStringLiteral("what changes")), qPrintable(panel_->result()));
    }

    void saysWhatMemoryItKeeps() {
        FoundPlans found;
        found.start.plan.emplace();
        found.choices.resize(1);
        QVERIFY(!sentencesOn(found, 0).join(QString()).contains(QStringLiteral("memory")));
        MemorySection section;
        section.policy = "full";
        section.rules = {{MemoryAction::keep, {"*"}, {}}};
        found.choices[0].plan.memory = section;
        QVERIFY2(sentencesOn(found, 0).contains(QStringLiteral("Its memory policy is full, with keep *.")),
                 qPrintable(sentencesOn(found, 0).join(QLatin1Char(' '))));
        std::swap(found.start.plan->memory, found.choices[0].plan.memory);
        QVERIFY(sentencesOn(found, 0).contains(QStringLiteral("It has no memory section.")));
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
        const auto points = panel_->chart()->points().size();
        panel_->controls().setLimit(unreached_limit);
        // Of the plan that comes closest.
        const QString result = panel_->result().section(QStringLiteral("may find one that does. "), 1);
        QVERIFY(!result.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->weighing(), 30'000);
        const int elements = panel_->elements()->rowCount();
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
        QVERIFY(panel_->kept().contains("running"));
        QVERIFY2(panel_->findButton()->text().contains(QStringLiteral("Stop")),
                 qPrintable(panel_->findButton()->text()));
        panel_->findButton()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->busy(), 30'000);
        QVERIFY2(panel_->caption().contains(QStringLiteral("topped after ")), qPrintable(panel_->caption()));
        QVERIFY(!panel_->kept().contains("running"));
        // Nobody waits for the step that it will show.
        QVERIFY2(panel_->result().contains(QStringLiteral(" with links shared (")), qPrintable(panel_->result()));
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
        panel_->controls().setLimit(unreached_limit);
        find();
        QVERIFY2(panel_->caption().startsWith(QStringLiteral("Nothing was found: ")), qPrintable(panel_->caption()));
        QVERIFY(!panel_->openButton()->isEnabled());
        Document empty;
        SearchPanel none(empty);
        QVERIFY(!none.findButton()->isEnabled());
        QVERIFY(!none.findButton()->toolTip().isEmpty());
    }

    /// Who moves from an option to the button finds it where it was.
    void theButtonStaysWhereItWas() {
        const auto placeOf = [&](QWidget* widget) {
            panel_->layout()->activate();
            return QRect(widget->mapTo(panel_.get(), QPoint()), widget->size());
        };
        SearchControls& controls = panel_->controls();
        const QRect before = placeOf(panel_->findButton());
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        QCOMPARE(placeOf(panel_->findButton()), before);
        controls.anyOrder()->setChecked(true);
        controls.separateLinks()->setChecked(true);
        QCOMPARE(placeOf(panel_->findButton()), before);
        controls.lockButton()->lock("memory", true);
        QVERIFY2(!controls.locks().empty(), "the part has another name");
        QCOMPARE(placeOf(panel_->findButton()), before);
        // Nor do the options, when a search begins.
        const QRect options = placeOf(controls.effort());
        controls.effort()->setItemData(controls.effort()->currentIndex(), 5'000'000);
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        panel_->findButton()->click();
        QVERIFY(panel_->busy());
        QCOMPARE(placeOf(panel_->findButton()), before);
        QCOMPARE(placeOf(controls.effort()), options);
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
