#include <QLabel>
#include <QSignalSpy>
#include <algorithm>
#include <memory>
#include <optional>

#include "core/search/plan_search.h"
#include "tests/ui/search/searched_panel.h"
#include "ui/search/found_choices.h"
#include "ui/search/found_plans_json.h"
#include "ui/search/front_chart.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {

/// Points of the chart of what a search found: another one is chosen, and what is compared with is told apart.
class ChosenPointTest : public QObject, SearchedPanel {
    Q_OBJECT

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

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
        auto* caption = panel_->findChild<QLabel*>("searchEnd");
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
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ChosenPointTest)
#include "chosen_point_test.moc"
