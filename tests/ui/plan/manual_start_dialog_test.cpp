#include "ui/plan/manual_start_dialog.h"

#include <QLabel>
#include <QTableWidget>
#include <QtTest>

#include "ui/theme/numbers.h"
#include "ui/widgets/cell_delegate.h"

namespace overlap::ui {

class ManualStartDialogTest : public QObject {
    Q_OBJECT

    static std::shared_ptr<const Evaluation> stepOf(double step_ms, double compute_ms) {
        auto evaluation = std::make_shared<Evaluation>();
        evaluation->simulation.step_ms = step_ms;
        evaluation->simulation.compute_ms = compute_ms;
        return evaluation;
    }

  private slots:
    void theRestIsWhatTheSumLeavesEvenBelowNothing() {
        ManualStartProposal proposal;
        proposal.automatic = stepOf(10, 7);
        proposal.manual = stepOf(12, 8);
        proposal.changes = {{"gather", 2, 4, 2}, {"scatter", 1, 1.5, 2}};
        const ManualStartDialog dialog(proposal);
        const auto* table = dialog.findChild<QTableWidget*>(QStringLiteral("exposureChanges"));
        QVERIFY(table->horizontalHeaderItem(0)->textAlignment() & Qt::AlignVCenter);  // as the others are
        QVERIFY(dynamic_cast<CellDelegate*>(table->itemDelegate()));                  // figures in the font of numbers
        constexpr int rest = 2;
        QCOMPARE(table->item(rest, 2)->text(), formatTime(10 - 7 - 5.5));
        QCOMPARE(table->item(rest, 3)->text(), formatTime(12 - 8 - 4.0));
        QCOMPARE(table->item(rest, 4)->text(), formatDifference(2.5, Unit::Time));
    }

    void aHigherPeakIsAskedAboutAsALongerStepIs() {
        constexpr std::int64_t gib = std::int64_t(1) << 30;
        const auto held = [](double step_ms, std::int64_t peak_bytes) {
            auto evaluation = std::make_shared<Evaluation>(*stepOf(step_ms, 7));
            evaluation->corrected_memory.peak_bytes = peak_bytes;
            return evaluation;
        };
        ManualStartProposal proposal;
        proposal.automatic = held(10, 30 * gib);
        proposal.manual = held(10, 30 * gib + 1);
        QVERIFY(proposal.keepsResult());
        proposal.manual = held(9, 32 * gib);
        QVERIFY(!proposal.keepsResult());
        const ManualStartDialog dialog(proposal);
        QString text;
        for (const QLabel* label : dialog.findChildren<QLabel*>()) text += label->text();
        QVERIFY2(text.contains(formatDifference(static_cast<double>(2 * gib), Unit::Bytes)), qPrintable(text));
        proposal.manual = held(11, 29 * gib);
        QVERIFY(!proposal.keepsResult());
    }

    void theRestIsNothingWhereRoundingLeavesLess() {
        ManualStartProposal proposal;
        proposal.automatic = stepOf(0.3, 0.1);
        proposal.manual = stepOf(0.3 - 1e-9, 0.1);
        proposal.changes = {{"gather", 1, 0.2, 0.2}};
        const ManualStartDialog dialog(proposal);
        const auto* table = dialog.findChild<QTableWidget*>(QStringLiteral("exposureChanges"));
        for (const int column : {2, 3}) QCOMPARE(table->item(2, column)->text(), formatTime(0));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::ManualStartDialogTest)
#include "manual_start_dialog_test.moc"
