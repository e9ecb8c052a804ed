#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <string>
#include <vector>

#include "core/measure/simulated_times.h"
#include "ui/measure/measurement.h"
#include "ui/theme/harmless_model.h"

namespace overlap::ui {

/// How the GPUs of a measurement use their time: a row for each GPU of each rank, and below it one for each of its
/// steps. Of several ranks also how their clocks fit, and who kept the others waiting. Behind them the same of
/// simulated plans: a row for each, and below it one for each of its process groups.
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
    enum Role { step_role = Qt::UserRole };  ///< whether the row is of a part of what is above: a step, a group

    /// A plan and what its simulation says.
    struct SimulatedPlan {
        quint64 key = 0;  ///< of the variant
        QString name;
        SimulatedTimes times;
        std::vector<std::string> groups;  ///< what those of `times` are called
    };

    using HarmlessModel::HarmlessModel;

    /// @param measurement null for none.
    void setRows(std::shared_ptr<const Measurement> measurement, std::vector<SimulatedPlan> plans);
    const std::shared_ptr<const Measurement>& measurement() const { return measurement_; }
    /// When the activities of a row ran, on the axis of the measurement's timeline, or of the plan's.
    TimeRange range(int row) const;
    /// The plan that a row is of; nullptr for one of the measurement.
    const SimulatedPlan* planOf(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    /// Without those of several ranks where there is but one.
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    struct Row {
        std::size_t rank = 0;
        const DeviceTimes* device = nullptr;         ///< null for a rank whose trace has no GPU events
        const StepTimes* step = nullptr;             ///< null for all of the GPU
        const SimulatedPlan* plan = nullptr;         ///< null for rows of the measurement
        const SimulatedGroupTimes* group = nullptr;  ///< of the plan; null for all of it

        bool isPart() const { return step || group; }
        /// Null where there are none.
        const GpuTimes* times() const {
            if (plan) return group ? &group->times : &plan->times.step;
            return step ? &step->times : device ? &device->total : nullptr;
        }
    };

    QVariant trueData(const QModelIndex& index, int role) const override;
    const Row& row(int index) const { return rows_[static_cast<std::size_t>(index)]; }
    QString nameOf(const Row& row) const;
    QString timeText(const Row& row, int column) const;
    QString clockText(const Row& row, int column) const;

    std::shared_ptr<const Measurement> measurement_;  ///< what `rows_` points into
    std::vector<SimulatedPlan> plans_;                ///< and these
    std::vector<Row> rows_;
};

}  // namespace overlap::ui
