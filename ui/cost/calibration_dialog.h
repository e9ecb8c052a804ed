#pragma once

#include <QDialog>
#include <functional>

#include "core/calibrate/plan_prediction.h"

class QLabel;
class QTableWidget;

namespace overlap::ui {

/// Shows what a calibration found: for each class of compute and each process group the error of predicted times before
/// and after, and the step. The model is written to a file, and used, only when the user says so.
class CalibrationDialog : public QDialog {
    Q_OBJECT

  public:
    /// @param predictions of steps by the model, for display.
    explicit CalibrationDialog(Calibration calibration, std::vector<PlanPrediction> predictions = {},
                               QWidget* parent = nullptr);

    const Calibration& calibration() const { return calibration_; }
    QTableWidget& table() { return *table_; }
    /// The step's time, steps that the model predicts, and what could not be determined.
    QString summaryText() const;
    /// Writes the model. @returns whether it was written; a failure is shown in the dialog.
    bool save(const QString& path);

  signals:
    /// The model was written there, and should be used for the open graph.
    void useWanted(const QString& path);

  private:
    void fillTable();
    /// @returns the file that was written, or nothing.
    QString askAndSave();

    Calibration calibration_;
    QTableWidget* table_;
    QLabel* summary_;
};

}  // namespace overlap::ui
