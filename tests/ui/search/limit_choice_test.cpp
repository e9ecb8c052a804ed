#include <QComboBox>
#include <QLabel>
#include <algorithm>

#include "tests/ui/search/searched_panel.h"
#include "ui/search/found_choices.h"
#include "ui/search/found_plans_json.h"
#include "ui/search/front_chart.h"
#include "ui/search/limit_slider.h"
#include "ui/theme/limit_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/limit_field.h"

namespace overlap::ui {

/// What of the limits of a search can be chosen, and what a choice does to the plan that is chosen.
class LimitChoiceTest : public QObject, SearchedPanel {
    Q_OBJECT

    void chooseLimit(SearchControls::Limit limit) {
        panel_->controls().limit()->setCurrentIndex(static_cast<int>(limit));
    }
    int chosen() const { return panel_->kept()["chosen"].toInt(-1); }

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    void whatIsNotKnownIsNotOffered() {
        const QModelIndex device =
            panel_->controls().limit()->model()->index(static_cast<int>(SearchControls::Limit::device), 0);
        for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{80} << 30, std::int64_t{0}}) {
            setDeviceMemory(bytes);
            QCOMPARE(device.flags().testFlag(Qt::ItemIsEnabled), bytes > 0);
            const QString help = device.data(Qt::ToolTipRole).toString();
            QCOMPARE(help.contains(QStringLiteral("does not say what the device holds")), bytes == 0);
        }
    }

    /// It is another one with another tab, and the plan that is chosen is within it.
    void thePeakOfThePlanIsThatOfTheTabInFront() {
        find();
        const std::vector<StepPeakChart::Point>& points = panel_->chart()->points();
        const auto least = std::ranges::min_element(points, {}, &StepPeakChart::Point::peak_bytes);
        const auto most = std::ranges::max_element(points, {}, &StepPeakChart::Point::peak_bytes);
        const int of_least = least->id, of_most = most->id;
        QVERIFY(of_least != 0 && of_least != of_most);  // 0 is the best
        for (const int id : {of_most, of_least}) {
            emit panel_->chart()->chosen(id);
            panel_->openButton()->click();
            QVERIFY(waitForEvaluation(*document_));
        }
        const int tab_of_least = document_->variantCount() - 1;
        chooseLimit(SearchControls::Limit::current);
        QCOMPARE(chosen(), of_least);
        for (const auto& [tab, choice] : {std::pair(tab_of_least - 1, 0), std::pair(tab_of_least, of_least)}) {
            document_->setCurrentIndex(tab);
            QVERIFY(waitForEvaluation(*document_));
            QTRY_COMPARE(chosen(), choice);
        }
        // Also of a tab whose peak is not known when it comes to the front.
        document_->setCurrentIndex(tab_of_least - 1);
        QTRY_COMPARE(chosen(), 0);
        Plan plan = document_->variant(tab_of_least).plan();
        plan.name = "again";
        document_->addVariant(plan);
        QVERIFY(waitForEvaluation(*document_));
        QTRY_COMPARE(chosen(), of_least);
    }

    /// The point that is chosen says which memory is of interest, and the number comes next.
    void whoIsAboutToTypeALimitKeepsThePlanThatIsChosen() {
        setDeviceMemory(0);
        find();
        const std::vector<StepPeakChart::Point>& points = panel_->chart()->points();
        const auto least = std::ranges::min_element(points, {}, &StepPeakChart::Point::peak_bytes);
        const auto most = std::ranges::max_element(points, {}, &StepPeakChart::Point::peak_bytes);
        QVERIFY(least->id != 0 && least->id != most->id);  // 0 is the best
        emit panel_->chart()->chosen(least->id);
        chooseLimit(SearchControls::Limit::other);
        QCOMPARE(chosen(), least->id);
        // A number that is typed chooses the best within it, and so does one from before that the plan is beyond.
        panel_->controls().otherLimit()->setValue(limitGib(most->peak_bytes + (1 << 20)));
        QCOMPARE(chosen(), 0);
        panel_->controls().otherLimit()->setValue(limitGib(least->peak_bytes));
        QCOMPARE(chosen(), least->id);
        chooseLimit(SearchControls::Limit::none);
        emit panel_->chart()->chosen(most->id);
        chooseLimit(SearchControls::Limit::other);
        QCOMPARE(chosen(), least->id);
    }

    /// Nobody has said that any peak will do: until a number is typed, the limit stays, or until the field is left
    /// empty.
    void theLimitStaysWhileItsFieldIsEmpty() {
        setDeviceMemory(0);
        find();
        panel_->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(panel_.get()));
        const std::optional<std::int64_t> peak(document_->baseline().corrected_memory.peak_bytes);
        LimitField& field = *panel_->controls().otherLimit();
        const auto chooseField = [&] {
            chooseLimit(SearchControls::Limit::baseline);
            chooseLimit(SearchControls::Limit::other);
            field.setFocus();
        };
        for (const Qt::Key key : {Qt::Key_Return, Qt::Key_Tab}) {
            chooseField();
            QCOMPARE(field.value(), 0.0);
            QCOMPARE(panel_->limitSlider()->limit(), peak);
            QCOMPARE(panel_->chart()->peakLimit(), peak);
            QTest::keyClicks(&field, QStringLiteral("3"));
            QTest::keyClick(&field, Qt::Key_Backspace);
            emit document_->evaluationChanged();  // all is shown anew
            QCOMPARE(panel_->limitSlider()->limit(), peak);
            QTest::keyClick(&field, key);
            QCOMPARE(panel_->limitSlider()->limit(), std::optional<std::int64_t>());
            QCOMPARE(panel_->controls().limitBytes(), std::optional<std::int64_t>());
        }
        chooseField();
        QTest::keyClicks(&field, QStringLiteral("3"));
        QCOMPARE(panel_->limitSlider()->limit(), peak);
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(panel_->limitSlider()->limit(), std::optional(limitBytes(3)));
        // What was typed, and is deleted to type another number, stays as well.
        field.selectAll();
        QTest::keyClick(&field, Qt::Key_Delete);
        emit document_->evaluationChanged();
        QCOMPARE(panel_->limitSlider()->limit(), std::optional(limitBytes(3)));
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(panel_->limitSlider()->limit(), std::optional<std::int64_t>());
    }

    /// The search works with the one that it began with, and what it found is chosen by the one in the field.
    void aLimitThatIsChangedWhileASearchRunsChoosesAtItsEnd() {
        find(150);
        const auto least = std::ranges::min_element(panel_->chart()->points(), {}, &StepPeakChart::Point::peak_bytes);
        panel_->controls().setLimit(least->peak_bytes + 1024);
        panel_->findButton()->click();
        QVERIFY(panel_->busy());
        QVERIFY2(!panel_->caption().contains("within"), qPrintable(panel_->caption()));
        chooseLimit(SearchControls::Limit::none);
        QVERIFY(panel_->busy());
        QVERIFY2(panel_->caption().contains("the limit that it began with"), qPrintable(panel_->caption()));
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->busy(), 60'000);
        const std::optional<KeptFoundPlans> kept = foundPlansFromJson(panel_->kept());
        QVERIFY(kept && kept->found.limit);
        const int wanted = firstChoice(kept->found.choices, std::nullopt);
        QVERIFY2(wanted != 0, "the best within the limit is not the best of all");
        QCOMPARE(kept->chosen, wanted);
        QVERIFY(!panel_->caption().contains("the limit that it began with"));
    }

    /// The numbers of the axis are there for who looks for a limit.
    void theLineStrikesNoNumberOfTheAxisThrough() {
        find();
        FrontChart& chart = *panel_->chart();
        const auto image = [&](std::optional<std::int64_t> limit, bool below_axis) {
            panel_->controls().setLimit(limit);
            const int axis = static_cast<int>(chart.axes().bottom()) + 6;
            return chart
                .grab(below_axis ? QRect(0, axis, chart.width(), chart.height() - axis)
                                 : QRect(0, 0, chart.width(), axis))
                .toImage();
        };
        const std::int64_t limit = chart.peakAt(chart.axes().center().x());
        QVERIFY(image(limit, false) != image(std::nullopt, false));
        QCOMPARE(image(limit, true), image(std::nullopt, true));
    }

    /// Else it would cover the axis that it stands below.
    void theSliderGoesWhereThereIsNoRoomForIt() {
        find(150);
        LimitSlider& slider = *panel_->limitSlider();
        FrontChart& chart = *panel_->chart();
        QVERIFY(slider.isVisible());
        panel_->setMinimumHeight(64);  // as a dock does it
        for (const int height : {400, 64, 90, 120, 130, 140, 160, 300}) {
            panel_->resize(1200, height);
            runAllDue();
            const bool covers = slider.isVisible() && slider.y() < chart.y() + chart.height();
            QVERIFY2(!covers, qPrintable(QString::number(height)));
            const bool cut = slider.isVisible() && chart.height() < chart.minimumHeight();
            QVERIFY2(!cut, qPrintable(QString::number(height)));
            if (height >= 160) QVERIFY2(slider.isVisible(), qPrintable(QString::number(height)));
            QCOMPARE(panel_->openButton()->height(), panel_->openButton()->sizeHint().height());
        }
    }

    /// It is said beside the limit, and no search is begun for it.
    void whatNoPlanCanStayWithinIsSaidBeforeASearch() {
        const auto* beside = panel_->findChild<QLabel*>(QStringLiteral("leastPeak"));
        QVERIFY(beside && !beside->isVisible());
        constexpr std::int64_t impossible = 100 << 20;
        panel_->controls().setLimit(impossible);
        QTRY_VERIFY(beside->isVisible());
        const QString least = beside->text().mid(QStringLiteral("≥ ").size());
        const QString sentence =
            QStringLiteral("No plan can stay within %1: %2 must be alive while the node mul_17 runs")
                .arg(formatBytes(static_cast<double>(impossible)), least);
        QCOMPARE(beside->toolTip(), sentence);
        QCOMPARE(panel_->caption(), sentence);
        QVERIFY(!panel_->findButton()->isEnabled());
        QCOMPARE(panel_->findButton()->toolTip(), sentence);
        // A limit that is not known to be impossible is searched within.
        panel_->controls().setLimit(unreached_limit);
        QVERIFY(!beside->isVisible());
        QCOMPARE(panel_->caption(), QString());
        find();
        QVERIFY2(panel_->caption().startsWith(QStringLiteral("Nothing was found: ")), qPrintable(panel_->caption()));
        // Of what was found it is told by how much it is over, and that no search brings another.
        panel_->controls().setLimit(std::nullopt);
        find();
        panel_->controls().setLimit(impossible);
        QVERIFY2(panel_->result().contains(sentence + u'.'), qPrintable(panel_->result()));
        QVERIFY2(!panel_->result().contains(QStringLiteral("A search with this limit")), qPrintable(panel_->result()));
    }

    /// Nobody waits for what is asked for no limit.
    void anyPeakIsNotJudged() {
        QVERIFY(panel_->controls().impossibility().isEmpty());
        panel_->controls().setLimit(100 << 20);
        QTRY_VERIFY(!panel_->controls().impossibility().isEmpty());
        chooseLimit(SearchControls::Limit::none);
        QVERIFY(panel_->controls().impossibility().isEmpty());
        QVERIFY(panel_->findButton()->isEnabled());
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::LimitChoiceTest)
#include "limit_choice_test.moc"
