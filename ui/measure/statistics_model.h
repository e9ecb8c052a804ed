#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "ui/measure/measurement.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// How the GPUs of a measurement use their time: a row for each GPU of each rank, and below it one for each of its
/// steps. Of several ranks also how their clocks fit, and who kept the others waiting.
class StatisticsModel : public HarmlessModel<QAbstractTableModel> {
    Q_OBJECT

  public:
    enum Column {
        name_column,
        span_column,
        compute_column,
        communication_column,
        exposed_column,
        overlap_column,
        copies_column,
        idle_column,
        events_column,
        unmatched_column,
        // Of ranks, where there are several.
        clock_column,
        spread_column,
        last_column,
        awaited_column,
        column_count
    };
    enum Role { step_role = Qt::UserRole };  ///< whether the row is a step's

    using HarmlessModel::HarmlessModel;

    /// Null for none.
    void setMeasurement(std::shared_ptr<const Measurement> measurement);
    const std::shared_ptr<const Measurement>& measurement() const { return measurement_; }
    /// When the activities of a row ran, on the axis of the measurement's timeline.
    TimeRange range(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    /// Without those of several ranks where there is but one.
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    struct Row {
        std::size_t rank = 0;
        const DeviceTimes* device = nullptr;  ///< null for a rank whose trace has no GPU events
        const StepTimes* step = nullptr;      ///< null for all of the GPU
        const GpuTimes& times() const { return step ? step->times : device->total; }
    };

    QVariant trueData(const QModelIndex& index, int role) const override;
    const Row& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }
    QString nameOf(const Row& row) const;
    QString timeText(const Row& row, int column) const;
    QString clockText(const Row& row, int column) const;

    std::shared_ptr<const Measurement> measurement_;  ///< what `rows_` points into
    std::vector<Row> rows_;
};

}  // namespace overlap::ui
