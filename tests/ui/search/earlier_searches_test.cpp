#include "ui/search/earlier_searches.h"

#include <QJsonArray>
#include <QLabel>
#include <algorithm>

#include "core/search/plan_search.h"
#include "tests/ui/search/searched_panel.h"
#include "ui/search/found_choices.h"
#include "ui/search/front_chart.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// What a search has found while others follow it.
class EarlierSearchesTest : public QObject, SearchedPanel {
    Q_OBJECT

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    void isThereAfterASearchThatFoundLess() {
        find(400);
        QVERIFY(panel_->earlier()->isHidden());
        const StepPeakChart::Point best = bestPoint();
        const QString result = panel_->result();
        emit panel_->chart()->chosen(1);  // another one: the link names the best
        QVERIFY(panel_->result() != result);
        find(5);
        QVERIFY(bestPoint().step_ms > best.step_ms * (1 + alike_share));
        QVERIFY(!panel_->earlier()->isHidden());
        const QString said = QStringLiteral("Found before: <a href=\"0\">%1 at %2</a> (better)")
                                 .arg(formatTime(best.step_ms), formatBytes(static_cast<double>(best.peak_bytes)));
        QCOMPARE(panel_->earlier()->text(), said);
        const StepPeakChart::Point worse = bestPoint();
        emit panel_->earlier()->linkActivated(QStringLiteral("0"));
        QCOMPARE(panel_->result(), result);
        QCOMPARE(bestPoint().step_ms, best.step_ms);
        QCOMPARE(panel_->earlier()->text(),
                 QStringLiteral("Found before: <a href=\"0\">%1 at %2</a>")
                     .arg(formatTime(worse.step_ms), formatBytes(static_cast<double>(worse.peak_bytes))));
    }

    void isNotSaidWhereNothingOfItIsMissing() {
        find(60);
        find(60);
        QVERIFY2(panel_->earlier()->isHidden(), qPrintable(panel_->earlier()->text()));
    }

    void isGoneOnceItIsFoundAgain() {
        find(400);
        find(5);
        QVERIFY(!panel_->earlier()->isHidden());
        find(400);
        QVERIFY2(panel_->earlier()->isHidden(), qPrintable(panel_->earlier()->text()));
    }

    void isNoBetterBeyondTheLimit() {
        find(400);
        const StepPeakChart::Point best = bestPoint();
        find(5);
        QVERIFY(panel_->earlier()->text().endsWith(QStringLiteral("(better)")));
        std::int64_t least = best.peak_bytes;
        for (const StepPeakChart::Point& point : panel_->chart()->points()) least = std::min(least, point.peak_bytes);
        panel_->controls().setLimit(least / 2);
        QVERIFY2(!panel_->earlier()->text().contains(QStringLiteral("(better)")),
                 qPrintable(panel_->earlier()->text()));
    }

    /// Where nothing of it is within the limit, it says what comes closest, which its link chooses.
    void saysWhatComesClosestToTheLimit() {
        find(400);
        std::int64_t least = bestPoint().peak_bytes;
        for (const StepPeakChart::Point& point : panel_->chart()->points()) least = std::min(least, point.peak_bytes);
        find(5);
        const std::int64_t limit = least - (1 << 20);
        panel_->controls().setLimit(limit);
        const QString peak = formatBytes(static_cast<double>(least));
        const QString text = panel_->earlier()->text();
        QVERIFY2(text.contains(QStringLiteral(" at %1</a> (%2 over the limit)").arg(peak, formatBytes(1 << 20))),
                 qPrintable(text));
        emit panel_->earlier()->linkActivated(QStringLiteral("0"));
        QVERIFY2(panel_->result().contains(QStringLiteral("peak %1 (").arg(peak)), qPrintable(panel_->result()));
        QVERIFY2(panel_->result().contains(QStringLiteral("This one comes closest")), qPrintable(panel_->result()));
    }

    void saysWhatOfItIsBetterThanWhatIsShown() {
        constexpr std::int64_t gib = 1LL << 30;
        const auto found = [](double step_ms, std::int64_t peak_bytes) {
            FoundPlans plans;
            plans.choices.resize(1);
            plans.choices[0].step_ms = step_ms;
            plans.choices[0].peak_bytes = peak_bytes;
            return plans;
        };
        EarlierSearches earlier;
        earlier.add(found(10, 5 * gib), 0);
        const FoundPlans shown = found(12, 6 * gib);
        const auto ends = [&](std::optional<std::int64_t> limit, const QString& end) {
            earlier.describe(shown, limit);
            return earlier.text().endsWith(end);
        };
        QVERIFY2(ends(std::nullopt, "</a> (better)"), qPrintable(earlier.text()));
        QVERIFY2(ends(5 * gib, "</a> (better)"), qPrintable(earlier.text()));
        QVERIFY2(ends(4 * gib, "(closer)"), qPrintable(earlier.text()));
        earlier.clear();
        earlier.add(found(10, 7 * gib), 0);
        QVERIFY2(ends(6 * gib, " over the limit)"), qPrintable(earlier.text()));
        QVERIFY2(ends(5 * gib, " over the limit)"), qPrintable(earlier.text()));
    }

    void saysWhichLinksAreOthersWhileASearchRuns() {
        FoundPlans last;
        last.choices.resize(1);
        last.links = LinkSharing::by_host;
        FoundPlans other = last;
        other.links = LinkSharing::by_group;
        EarlierSearches earlier;
        earlier.add(other, 0);
        earlier.describeWithLast(last, LinkSharing::by_host, std::nullopt);
        QCOMPARE(earlier.text().count(linksLabel(LinkSharing::by_group)), 1);
        QCOMPARE(earlier.text().count(linksLabel(LinkSharing::by_host)), 0);
        earlier.describeWithLast(last, LinkSharing::by_group, std::nullopt);
        QCOMPARE(earlier.text().count(linksLabel(LinkSharing::by_group)), 0);
        QCOMPARE(earlier.text().count(linksLabel(LinkSharing::by_host)), 1);
    }

    void hasWhatWasShownWhileAnotherSearchRuns() {
        find(60);
        const StepPeakChart::Point shown = bestPoint();
        const auto figures = [](const StepPeakChart::Point& point) {
            return QStringLiteral("%1 at %2")
                .arg(formatTime(point.step_ms), formatBytes(static_cast<double>(point.peak_bytes)));
        };
        panel_->controls().effort()->setItemData(0, 5'000'000);
        panel_->findButton()->click();
        QVERIFY(panel_->busy());
        QVERIFY(!panel_->earlier()->isHidden());
        QCOMPARE(panel_->earlier()->text(), QStringLiteral("Found before: ") + figures(shown));
        // Its choice within the limit.
        panel_->controls().setLimit(shown.peak_bytes - 1);
        QVERIFY2(!panel_->earlier()->text().contains(figures(shown)), qPrintable(panel_->earlier()->text()));
        panel_->controls().setLimit(std::nullopt);
        QTRY_VERIFY_WITH_TIMEOUT(panel_->caption().contains(QStringLiteral("best ")), 30'000);
        QVERIFY(panel_->earlier()->text().contains(figures(shown)));
    }

    void comesBackWithTheSession() {
        find(400);
        find(5);
        const QString said = panel_->earlier()->text();
        const QJsonObject kept = panel_->kept();
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->restore(kept);
        QVERIFY(!panel_->earlier()->isHidden());
        QCOMPARE(panel_->earlier()->text(), said);
        QCOMPARE(panel_->kept()["earlier"].toArray().size(), 1);
    }

    /// Those of another graph say nothing here.
    void isForgottenWithItsGraph() {
        find(400);
        find(5);
        document_->setGraph(loadGraph(smallGraphFile()));
        QVERIFY(panel_->earlier()->isHidden());
        QVERIFY(waitForEvaluation(*document_));
        find(5);
        QVERIFY2(panel_->earlier()->isHidden(), qPrintable(panel_->earlier()->text()));
    }

  private:
    StepPeakChart::Point bestPoint() const {
        const auto& points = panel_->chart()->points();
        return *std::ranges::find_if(points, [](const auto& point) { return point.id == 0; });
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::EarlierSearchesTest)
#include "earlier_searches_test.moc"
