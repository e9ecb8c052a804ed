#include "ui/measure/comparison_model.h"

#include <QtTest>
#include <memory>

#include "core/measure/variant_comparison.h"
#include "ui/measure/compared_steps.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

/// What the panel Compare says of two steps.
class ComparisonModelTest : public QObject {
    Q_OBJECT

  private slots:
    void whatIsWrittenAlikeHasNoColour() {
        auto steps = std::make_shared<ComparedSteps>();
        ComparisonRow row;
        row.change = CollectiveChange::moved;
        row.before.emplace().exposed_ms = 6.391;
        row.after = row.before;
        const auto toneAfter = [&](double change_ms) {
            row.after->exposed_ms = 6.391 + change_ms;
            steps->comparison.rows = {row};
            ComparisonModel model;
            model.setSteps(steps);
            return model.index(0, ComparisonModel::exposed_after_column).data(Qt::ForegroundRole).value<QBrush>();
        };
        const Theme& theme = currentTheme();
        QCOMPARE(toneAfter(-1.1e-13), QBrush(theme.text));
        QCOMPARE(toneAfter(1e-5), QBrush(theme.text));  // more than rounding, and 6.391 ms as before
        QCOMPARE(toneAfter(-0.1), QBrush(theme.asText(theme.hidden)));
        QCOMPARE(toneAfter(0.1), QBrush(theme.asText(theme.exposed)));
    }

    void sumsBeginWithWhatTheComparisonIsFor() {
        ComparedSteps steps;
        steps.doubt = QStringLiteral("nothing was measured");
        steps.comparison.before = {.step_ms = 2436.1, .compute_ms = 2425.2, .exposed_ms = 10.86};
        steps.comparison.after = {.step_ms = 2436.1, .compute_ms = 2173.6, .exposed_ms = 10.86};
        steps.error.emplace().collectives = 1;
        const QString sums = comparisonSums(steps);
        QVERIFY2(sums.startsWith("nothing was measured · no collective differs · step 2436.1 ms in both · exposed "),
                 qPrintable(sums));
        QVERIFY2(sums.indexOf("predictions off by") < sums.indexOf("compute"), qPrintable(sums));
        QVERIFY2(sums.contains("compute 2425.2 ms → 2173.6 ms (−251.6 ms)"), qPrintable(sums));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ComparisonModelTest)
#include "comparison_model_test.moc"
