#include <array>

#include "tests/ui/search/searched_panel.h"
#include "ui/search/found_plans_json.h"
#include "ui/theme/numbers.h"
#include "ui/theme/times_apart.h"

namespace overlap::ui {

/// What is said of the fastest plan where it is not the best.
class FastestFoundTest : public QObject, SearchedPanel {
    Q_OBJECT

  private slots:
    void init() { openPanel(); }
    void cleanup() { closePanel(); }

    void theFastestAndTheBestHaveTheDigitsThatTellThemApart() {
        find();
        std::optional<KeptFoundPlans> kept = foundPlansFromJson(panel_->kept());
        QVERIFY(kept && kept->found.choices.size() > 1);
        FoundPlans& found = kept->found;
        found.shortest_ms = found.choices[1].step_ms = found.best().step_ms * 0.999'999;
        for (FoundChoice& choice : found.choices) choice.shown_ms.reset();
        QCOMPARE(formatTime(found.shortest_ms), formatTime(found.best().step_ms));
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->show();
        panel_->restore(toJson(found, 0));
        const QStringList apart = formatTimesApart(std::array{found.shortest_ms, found.best().step_ms});
        QVERIFY(apart[0] != apart[1]);
        QVERIFY2(panel_->caption().contains("the fastest, " + apart[0]), qPrintable(panel_->caption()));
        QVERIFY2(panel_->result().contains("step " + apart[1]), qPrintable(panel_->result()));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::FastestFoundTest)
#include "fastest_found_test.moc"
