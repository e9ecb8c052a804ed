#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/byte_units.h"
#include "tests/ui/search/searched_panel.h"
#include "ui/search/front_chart.h"
#include "ui/search/limit_slider.h"
#include "ui/search/lock_button.h"
#include "ui/theme/limit_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/limit_field.h"

namespace overlap::ui {

/// What memory a search may take.
class SearchLimitsTest : public QObject, SearchedPanel {
    Q_OBJECT

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    void aLimitHolds() {
        const std::int64_t peak = document_->baseline().corrected_memory.peak_bytes;
        panel_->controls().limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::baseline));
        find();
        panel_->openButton()->click();
        QVERIFY(waitForEvaluation(*document_));
        QVERIFY(document_->evaluation()->corrected_memory.peak_bytes <= peak);
    }

    /// Who chooses that a limit is typed can type it.
    void theFieldOfATypedLimitHasTheKeys() {
        panel_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(panel_.get()));
        QComboBox* choice = panel_->controls().limit();
        choice->setFocus();
        constexpr int other = static_cast<int>(SearchControls::Limit::other);
        choice->setCurrentIndex(other);
        emit choice->activated(other);
        QTRY_VERIFY(panel_->findChild<LimitField*>()->hasFocus());
        QTest::keyClicks(panel_->findChild<LimitField*>(), QStringLiteral("3"));
        QTest::keyClick(panel_->findChild<LimitField*>(), Qt::Key_Return);
        QCOMPARE(panel_->controls().limitBytes(), std::optional(limitBytes(3)));
        // What is there is selected: the next number replaces it.
        choice->setFocus();
        emit choice->activated(other);
        QTRY_VERIFY(panel_->findChild<LimitField*>()->hasFocus());
        QTest::keyClicks(panel_->findChild<LimitField*>(), QStringLiteral("4"));
        QTest::keyClick(panel_->findChild<LimitField*>(), Qt::Key_Return);
        QCOMPARE(panel_->controls().limitBytes(), std::optional(limitBytes(4)));
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
        const QString over = formatBytes(static_cast<double>(most->peak_bytes - *slider.limit()));
        QVERIFY2(panel_->result().startsWith(QStringLiteral("This plan takes %1 more than the limit of ").arg(over)),
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
        QCOMPARE(controls.otherLimit()->text(), QString());
        const QString invites = controls.otherLimit()->findChild<QLineEdit*>()->placeholderText();
        // That it is no limit first: the rest is cut in a narrow window.
        QVERIFY2(invites.startsWith("no limit") && invites.contains("baseline + 6"), qPrintable(invites));
        QVERIFY2(controls.otherLimit()->toolTip().contains("Empty is no limit"),
                 qPrintable(controls.otherLimit()->toolTip()));
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

    /// A limit that nothing found is within: the knob is at it, and what is offered is told as what it is.
    void belowAllThatWasFoundTheClosestIsOfferedAsThat() {
        find();
        SearchControls& controls = panel_->controls();
        LimitSlider& slider = *panel_->limitSlider();
        const auto& points = panel_->chart()->points();
        const auto least = std::ranges::min_element(points, {}, &StepPeakChart::Point::peak_bytes);
        const QRectF axes = panel_->chart()->axes();
        // On the axis, left of the first plan: there the slider has no value any more.
        const std::int64_t on_axis = panel_->chart()->peakAt(
            (axes.left() + panel_->chart()->xOfPeak(std::int64_t{slider.minimum()} * 1024)) / 2);
        QVERIFY(on_axis > unreached_limit);
        for (const std::int64_t limit : {on_axis, std::int64_t{1} << 20}) {
            controls.setLimit(limit);
            QCOMPARE(slider.limit(), std::optional(limit));
            const double place = std::max(axes.left(), panel_->chart()->xOfPeak(limit));
            QVERIFY(std::abs(slider.knobX() - place) < 0.5);
            const QString expected =
                QStringLiteral(
                    "No plan that this search found stays within %1. This one comes closest, and takes %2 more.")
                    .arg(formatBytes(static_cast<double>(limit)),
                         formatBytes(static_cast<double>(least->peak_bytes - limit)));
            QVERIFY2(panel_->result().startsWith(expected), qPrintable(panel_->result()));
            QTRY_COMPARE(panel_->result().contains("A search with this limit may find one"), limit == on_axis);
            QVERIFY2(panel_->result().contains(formatBytes(static_cast<double>(least->peak_bytes))),
                     qPrintable(panel_->result()));
        }
        // Another one says by how much it is over, too.
        const auto most = std::ranges::max_element(points, {}, &StepPeakChart::Point::peak_bytes);
        emit panel_->chart()->chosen(most->id);
        QVERIFY2(panel_->result().contains(QStringLiteral("This one takes %1 more, and the one that comes closest %2.")
                                               .arg(formatBytes(static_cast<double>(most->peak_bytes - (1 << 20))),
                                                    formatBytes(static_cast<double>(least->peak_bytes - (1 << 20))))),
                 qPrintable(panel_->result()));
        // Searched for in vain, nobody is told to search again.
        controls.setLimit(unreached_limit);
        QVERIFY(panel_->result().contains("A search with this limit may find one"));
        find();
        QVERIFY2(panel_->caption().contains("What was found before stays"), qPrintable(panel_->caption()));
        // It tried plans that are not shown, which may come closer.
        QVERIFY2(panel_->result().contains("No plan that was found before stays within"), qPrintable(panel_->result()));
        QVERIFY2(panel_->result().contains("This one comes closest of those"), qPrintable(panel_->result()));
        QVERIFY2(!panel_->result().contains("A search with this limit"), qPrintable(panel_->result()));
        // That speaks of another limit than the one of now.
        controls.setLimit(unreached_limit / 2);
        QVERIFY2(!panel_->caption().contains("Nothing new was found"), qPrintable(panel_->caption()));
        QVERIFY(!panel_->caption().isEmpty());
    }

    /// Limit, effort and options come back with the session, also where nothing was found.
    void whatASearchIsAskedForIsKept() {
        QVERIFY(panel_->kept().isEmpty());
        QSignalSpy kept_changed(panel_.get(), &SearchPanel::keptChanged);
        SearchControls& controls = panel_->controls();
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        controls.otherLimit()->setValue(3);
        controls.effort()->setCurrentIndex(2);
        const auto before = kept_changed.count();
        QVERIFY(before >= 3);
        controls.anyOrder()->setChecked(true);
        QCOMPARE(kept_changed.count(), before + 1);
        const QJsonObject kept = panel_->kept();
        QVERIFY(!kept.isEmpty());
        panel_ = std::make_unique<SearchPanel>(*document_);
        SearchControls& again = panel_->controls();
        QCOMPARE(again.limit()->currentIndex(), 0);
        panel_->restore(kept);
        QCOMPARE(again.limit()->currentIndex(), static_cast<int>(SearchControls::Limit::other));
        QCOMPARE(again.limitBytes(), std::optional(limitBytes(3)));
        QCOMPARE(again.otherLimit()->value(), 3.0);
        QCOMPARE(again.effort()->currentIndex(), 2);
        QVERIFY(again.anyOrder()->isChecked() && !again.separateLinks()->isChecked());
        QVERIFY2(panel_->result().startsWith("Enter begins a search for plans within "), qPrintable(panel_->result()));
        panel_->restore({});
        QCOMPARE(again.effort()->currentIndex(), 2);
    }

    /// With one click and Enter, before any search.
    void theLimitIsChosenBeforeTheFirstSearch() {
        SearchControls& controls = panel_->controls();
        auto* sentences = panel_->findChild<QLabel*>(QStringLiteral("searchResult"));
        QVERIFY(sentences && sentences->text().contains("<a href=\"limit:1\">the peak of the baseline</a>"));
        const QString peak = formatBytes(static_cast<double>(document_->baseline().corrected_memory.peak_bytes));
        QVERIFY2(panel_->result().contains("the peak of the baseline (" + peak), qPrintable(panel_->result()));
        emit sentences->linkActivated(QStringLiteral("limit:1"));
        QCOMPARE(controls.limit()->currentIndex(), static_cast<int>(SearchControls::Limit::baseline));
        QVERIFY2(
            panel_->result().startsWith("Enter begins a search for plans within the peak of the baseline, " + peak),
            qPrintable(panel_->result()));
        QVERIFY(!panel_->busy());
        QCOMPARE(panel_->focusWidget(), panel_->findButton());
        controls.effort()->setItemData(0, 60);
        controls.effort()->setCurrentIndex(0);
        controls.effort()->setFocus();
        QTest::keyClick(controls.effort(), Qt::Key_Return);
        QVERIFY2(panel_->busy(), "among what is chosen, too");
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->busy(), 60'000);
        QVERIFY(panel_->openButton()->isEnabled());
        QTest::keyClick(controls.effort(), Qt::Key_Return);
        QVERIFY2(!panel_->busy(), "what was found is not thrown away unasked");
    }

    /// Where it starts, and what is kept of that plan, is each graph's own, and comes back with the session.
    void whereASearchStartsIsOfOneGraph() {
        const LoadedGraph first = document_->loaded();
        SearchControls& controls = panel_->controls();
        const auto keeps_memory = [&] { return controls.lockButton()->chosen().contains("memory"); };
        QSignalSpy kept_changed(panel_.get(), &SearchPanel::keptChanged);
        controls.fromCurrent()->setChecked(true);
        QVERIFY(!kept_changed.isEmpty());
        kept_changed.clear();
        controls.lockButton()->lock("memory", true);
        QVERIFY(!kept_changed.isEmpty());
        const QJsonObject kept = panel_->kept();
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        QVERIFY(!controls.fromCurrent()->isChecked() && !keeps_memory());
        QVERIFY(panel_->kept().isEmpty());
        document_->setGraph(first);
        QVERIFY(controls.fromCurrent()->isChecked() && keeps_memory());
        SearchPanel again(*document_);
        again.restore(kept);
        QVERIFY(again.controls().fromCurrent()->isChecked());
        QVERIFY(again.controls().lockButton()->chosen() == std::set<std::string>{"memory"});
        QCOMPARE(again.kept(), kept);
    }

    /// At the start of the window it comes back before the graph is evaluated.
    void theLimitOfASessionIsDrawnOnceTheGraphIsEvaluated() {
        find();
        SearchControls& controls = panel_->controls();
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        controls.otherLimit()->setValue(3);
        const QJsonObject kept = panel_->kept();
        Document later;
        SearchPanel again(later);
        later.setGraph(document_->loaded());
        again.restore(kept);
        QVERIFY(waitForEvaluation(later));
        QTRY_COMPARE(again.chart()->peakLimit(), std::optional(limitBytes(3)));
    }

    void aLimitThatIsNotKnownIsSaid() {
        setDeviceMemory(0);
        panel_->controls().limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::device));
        QVERIFY(!panel_->findButton()->isEnabled());
        QVERIFY(panel_->findButton()->toolTip().contains(QStringLiteral("does not say what the device holds")));
        panel_->controls().limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::none));
        QVERIFY(panel_->findButton()->isEnabled());
    }

    /// What is called 31.2 GiB is within a limit of 31.2 GiB, as in the panel Memory, and the field goes on saying so.
    void aTypedLimitMeansWhatItMeansInMemory() {
        SearchControls& controls = panel_->controls();
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        for (const double gib : {31.2, 6.976, 120.0}) {
            controls.otherLimit()->setValue(gib);
            QCOMPARE(controls.limitBytes(), std::optional(limitBytes(gib)));
            controls.update();
            QCOMPARE(controls.otherLimit()->value(), gib);
            SearchControls again(*document_);
            again.restore(controls.kept());
            QCOMPARE(again.limitBytes(), std::optional(limitBytes(gib)));
            QCOMPARE(again.otherLimit()->value(), gib);
        }
        QVERIFY(*controls.limitBytes() > std::llround(120 * bytes_per_gib));
    }

    /// Also when the session comes back, and with another graph in between.
    void aTypedSumStaysAsTyped() {
        SearchControls& controls = panel_->controls();
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        controls.otherLimit()->selectAll();
        QTest::keyClicks(controls.otherLimit(), "baseline+10%");
        QTest::keyClick(controls.otherLimit(), Qt::Key_Return);
        const double peak = static_cast<double>(document_->baseline().corrected_memory.peak_bytes);
        const std::int64_t exact = std::llround(peak * 1.1);
        QCOMPARE(controls.limitBytes(), std::optional(exact));
        SearchControls again(*document_);
        again.restore(controls.kept());
        QCOMPARE(again.limitBytes(), std::optional(exact));
        QCOMPARE(again.otherLimit()->text(), QStringLiteral("baseline+10%"));
        const LoadedGraph first = document_->loaded();
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        document_->setGraph(first);
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(again.limitBytes(), std::optional(exact));
        QCOMPARE(again.otherLimit()->text(), QStringLiteral("baseline+10%"));
        controls.setLimit(exact - 1);  // such as one from the chart
        QVERIFY2(controls.otherLimit()->text().endsWith(" GiB"), qPrintable(controls.otherLimit()->text()));
    }

    /// Each graph has its own limit, also the one that is opened again.
    void aLimitIsOfOneGraph() {
        const LoadedGraph first = document_->loaded();
        const std::int64_t typed = limitBytes(3);
        SearchControls& controls = panel_->controls();
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        controls.otherLimit()->setValue(3);
        QCOMPARE(controls.limitBytes(), std::optional(typed));
        document_->setGraph(
            loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp4_tp2.prebucket.graph.json.gz")));
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(controls.limitBytes(), std::optional<std::int64_t>());
        QVERIFY(!controls.otherLimit()->isVisibleTo(&controls));
        controls.limit()->setCurrentIndex(static_cast<int>(SearchControls::Limit::other));
        QVERIFY(controls.otherLimit()->value() != 3);  // not typed for this one
        document_->setGraph(first);
        QVERIFY(waitForEvaluation(*document_));
        QCOMPARE(controls.limit()->currentIndex(), static_cast<int>(SearchControls::Limit::other));
        QCOMPARE(controls.limitBytes(), std::optional(typed));
        QVERIFY(controls.otherLimit()->isVisibleTo(&controls));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::SearchLimitsTest)
#include "search_limits_test.moc"
