#include "ui/cost/cost_model_dialog.h"

#include <QDoubleSpinBox>
#include <QListWidget>
#include <QRadioButton>
#include <QSpinBox>
#include <QTableWidget>

#include "core/cost/built_in_cost_models.h"
#include "core/io/cost_model/cost_model_file.h"
#include "tests/ui/ui_test_support.h"
#include "ui/cost/attention_density_dialog.h"
#include "ui/cost/calibration_dialog.h"
#include "ui/cost/graph_cost_model.h"

namespace overlap::ui {

/// Choosing a cost model, and looking at a calibration.
class CostModelDialogTest : public QObject {
    Q_OBJECT

    const QString file_ = QStringLiteral(OVERLAP_TEST_DATA "/cost_models/everything.cost.json");

  private slots:
    void builtInModelsAndTheGraphsTimesAreListed() {
        CostModelDialog dialog({}, true);
        QCOMPARE(dialog.list().count(), static_cast<int>(built_in_cost_models().size()) + 1);
        QCOMPARE(dialog.chosen(), QString());
        dialog.list().setCurrentRow(2);
        QCOMPARE(dialog.chosen(), QString::fromStdString(built_in_cost_models()[1].name));
        QVERIFY(dialog.detailText().contains(QStringLiteral("not measured")));
        QVERIFY(CostModelDialog({}, false).list().item(0)->text().contains(QStringLiteral("no times")));
    }

    void whatIsUsedIsChosen() {
        QCOMPARE(CostModelDialog(QStringLiteral("h100-sxm"), true).chosen(), QStringLiteral("h100-sxm"));
        CostModelDialog of_file(file_, true);
        QCOMPARE(of_file.chosen(), file_);
        QVERIFY(of_file.detailText().contains(QStringLiteral("device A")));
    }

    void attentionDensityIsOfDocumentsOrAShare() {
        AttentionDensityDialog dialog(0.5, 8192);
        QVERIFY(dialog.oneDocument().isChecked());
        QCOMPARE(dialog.density(), 0.5);
        dialog.documents().click();
        dialog.documentLength().setValue(2048);
        QCOMPARE(dialog.density(), 0.125);
        dialog.share().click();
        dialog.shareValue().setValue(0.3);
        QCOMPARE(dialog.density(), 0.3);
        // What was chosen is shown again.
        const AttentionDensityDialog of_documents(0.125, 8192);
        QCOMPARE(of_documents.density(), 0.125);
        QCOMPARE(of_documents.findChild<QSpinBox*>()->value(), 2048);
        QVERIFY(AttentionDensityDialog(0.3, 8192).share().isChecked());
    }

    void aCalibrationShowsStepsOfOtherPlansWithTheirError() {
        Calibration calibration;
        calibration.model.name = "x";
        Problem caution;
        caution.severity = Severity::caution;
        caution.message = "the peak is beyond the device's memory";
        const CalibrationDialog dialog(calibration, {{"Plan A", "", {}, 12.5, 1.25, 0.04},
                                                     {"Plan B", "", {caution}, 13, 1, {}},
                                                     {"Plan C", "step 1: no such pass", {}, 0, 0, {}}});
        const QString text = dialog.summaryText();
        QVERIFY2(text.contains(QStringLiteral("Plan A: the step is predicted to take 12.5")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("expected within 4")), qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("Plan B")) && text.contains(QStringLiteral("is not known")),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("is not known; caution: the peak is beyond the device's memory")),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("Plan C: refused, step 1: no such pass")), qPrintable(text));
    }

    void aDamagedFileIsToldAndNothingChanges() {
        CostModelDialog dialog(QStringLiteral("h100-sxm"), true);
        const int rows = dialog.list().count();
        dialog.addFile(smallGraphFile());
        QCOMPARE(dialog.list().count(), rows);
        QCOMPARE(dialog.chosen(), QStringLiteral("h100-sxm"));
        QVERIFY(dialog.detailText().contains(QStringLiteral("overlap-cost-model")));
    }

    void theDocumentTakesAModelAndGivesItBack() {
        const auto document = openDocument();
        const auto graph = document->graph();
        const double own_ms = document->baseline().simulation.step_ms;
        GraphCostModel model(*document);
        QSignalSpy applied(&model, &GraphCostModel::applied), told(&model, &GraphCostModel::told);
        model.use(QStringLiteral("h100-sxm"));
        QCOMPARE(model.used(), QStringLiteral("h100-sxm"));
        QVERIFY(applied.wait(30'000));
        QVERIFY(waitForEvaluation(*document));
        QVERIFY(told.front().front().toString().contains(QStringLiteral("replaces")));
        QCOMPARE(costModelName(*document->graph()), QStringLiteral("h100-sxm"));
        QVERIFY(document->baseline().simulation.step_ms != own_ms);
        QCOMPARE(document->evaluation()->input, document->graph());
        model.use({});
        QVERIFY(applied.wait(30'000));
        QVERIFY(waitForEvaluation(*document));
        QCOMPARE(document->graph(), graph);
        QCOMPARE(document->baseline().simulation.step_ms, own_ms);
    }

    void aModelThatCannotBeReadLeavesTheTimes() {
        const auto document = openDocument();
        const auto graph = document->graph();
        GraphCostModel model(*document);
        QSignalSpy failed(&model, &GraphCostModel::failed);
        model.use(QStringLiteral("/nowhere.cost.json"));
        QVERIFY(failed.wait(30'000));
        QCOMPARE(document->graph(), graph);
        QCOMPARE(model.used(), QString());
    }

    void aCalibrationShowsItsErrorsAndIsWrittenOnRequestOnly() {
        Calibration calibration;
        calibration.model = *built_in_cost_model("h200-sxm");
        calibration.model.name = "mine";
        calibration.rows.push_back(
            {CalibrationRow::Kind::compute_class, "memory", 12, {0.5, 0.9}, {0.02, 0.05}, "few"});
        calibration.steps.push_back({"run", 100.0, 10.0, 60, 5, 98, 9});
        calibration.notes.emplace_back("nothing tells contention");
        CalibrationDialog dialog(calibration);
        QCOMPARE(dialog.table().rowCount(), 1);
        QCOMPARE(dialog.table().item(0, 0)->text(), QStringLiteral("memory"));
        QVERIFY(dialog.table().item(0, 3)->text().startsWith(QStringLiteral("50")));
        QVERIFY(dialog.table().item(0, 4)->text().startsWith(QStringLiteral("2")));
        QVERIFY(dialog.summaryText().contains(QStringLiteral("Nothing tells contention")));
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("mine.cost.json"));
        QVERIFY(!QFile::exists(path));
        QVERIFY(dialog.save(path));
        QCOMPARE(QString::fromStdString(read_cost_model_file(path.toStdString()).name), QStringLiteral("mine"));
        QVERIFY(!dialog.save(folder.filePath(QStringLiteral("no/such/folder.cost.json"))));
    }
};

}  // namespace overlap::ui

QTEST_MAIN(overlap::ui::CostModelDialogTest)
#include "cost_model_dialog_test.moc"
