#include "ui/measure/statistics_model.h"

#include <QBrush>
#include <array>

#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

namespace {

QString timeOf(std::int64_t time_ns) {
    return formatTime(static_cast<double>(time_ns) * 1e-6);
}

QString countOf(std::uint64_t count) {
    return formatCount(static_cast<std::int64_t>(count));
}

}  // namespace

void StatisticsModel::setRows(std::shared_ptr<const Measurement> measurement, std::vector<SimulatedPlan> plans) {
    beginResetModel();
    measurement_ = std::move(measurement);
    plans_ = std::move(plans);
    rows_.clear();
    for (std::size_t rank = 0; measurement_ && rank < measurement_->traces.size(); ++rank) {
        const std::vector<DeviceTimes>& devices = measurement_->times[rank];
        if (devices.empty()) rows_.push_back({rank});
        for (const DeviceTimes& device : devices) {
            rows_.push_back({rank, &device});
            for (const StepTimes& step : device.steps) rows_.push_back({rank, &device, &step});
        }
    }
    for (const SimulatedPlan& plan : plans_) {
        rows_.push_back({0, nullptr, nullptr, &plan});
        for (const SimulatedGroupTimes& group : plan.times.groups)
            rows_.push_back({0, nullptr, nullptr, &plan, &group});
    }
    endResetModel();
}

const StatisticsModel::SimulatedPlan* StatisticsModel::planOf(int index) const {
    return row(index).plan;
}

TimeRange StatisticsModel::range(int index) const {
    const Row& of = row(index);
    const GpuTimes* times = of.times();
    if (!times) return {};
    std::int64_t begin_ns = times->begin_ns;
    if (!of.plan) begin_ns += measurement_->aligned.ranks[of.rank].clock_offset_ns - measurement_->origin_ns;
    return {begin_ns, begin_ns + times->span_ns};
}

int StatisticsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int StatisticsModel::columnCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return measurement_ && measurement_->traces.size() > 1 ? column_count : clock_column;
}

QString StatisticsModel::nameOf(const Row& of) const {
    if (of.plan && of.group)
        return QString::fromStdString(
            of.plan->groups[static_cast<std::size_t>(of.group - of.plan->times.groups.data())]);
    if (of.plan) return of.plan->name;
    if (of.step)
        return of.step->is_counted ? QString::fromStdString(of.step->name)
                                   : tr("%1, not counted").arg(QString::fromStdString(of.step->name));
    const QString rank = measurement_->rankName(of.rank);
    return of.device ? tr("%1, GPU %2").arg(rank, QString::fromStdString(of.device->device))
                     : tr("%1, no GPU events").arg(rank);
}

QString StatisticsModel::timeText(const Row& of, int column) const {
    if (!of.times()) return {};
    const GpuTimes& times = *of.times();
    switch (column) {
        case span_column:
            return timeOf(times.span_ns);
        case compute_column:
            return of.group ? QString() : timeOf(times.compute_ns);
        case communication_column:
            return timeOf(times.communication_ns);
        case exposed_column:
            return timeOf(times.exposed_ns);
        case overlap_column: {
            const auto percent = times.overlap_percent();
            return percent ? formatPercent(*percent / 100) : QStringLiteral("—");
        }
        case copies_column:
            if (of.plan && times.memory_ns == 0) return {};
            if (of.plan && !of.group && of.plan->times.copies_exposed_ns > 0)
                return tr("%1, %2 waited for").arg(timeOf(times.memory_ns), timeOf(of.plan->times.copies_exposed_ns));
            return timeOf(times.memory_ns);
        case idle_column:
            return timeOf(times.idle_ns);
        case events_column:
            return countOf(times.activities);
        default:
            return of.plan ? QString() : countOf(times.unmatched);
    }
}

QString StatisticsModel::clockText(const Row& of, int column) const {
    if (of.step || of.plan) return {};
    const RankAlignment& rank = measurement_->aligned.ranks[of.rank];
    if (!rank.is_aligned) return tr("unknown");
    switch (column) {
        case clock_column:
            return formatDifference(static_cast<double>(rank.clock_offset_ns) * 1e-6, Unit::Time);
        case spread_column:
            return timeOf(rank.spread_ns);
        case last_column:
            return tr("%1 of %2").arg(countOf(rank.arrived_last), countOf(rank.matched));
        default:
            return timeOf(rank.awaited_ns);
    }
}

QVariant StatisticsModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& of = row(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return index.column() == name_column   ? nameOf(of)
                   : index.column() < clock_column ? timeText(of, index.column())
                                                   : clockText(of, index.column());
        case Qt::ToolTipRole:
            if (of.step && !of.step->is_counted)
                return tr("Not in the sum of the GPU: the recording may have cut off what the last step launched");
            if (of.plan)
                return of.group ? tr("Collectives of the process group; idle is what lies between them")
                                : tr("By the simulation, each activity at its place");
            return of.step ? tr("%1 on the host").arg(timeOf(of.step->host_ns)) : QString();
        case Qt::TextAlignmentRole:
            return QVariant(Qt::AlignVCenter | (index.column() == name_column ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::ForegroundRole: {
            const Theme& theme = currentTheme();
            if (of.step && !of.step->is_counted) return QBrush(theme.asText(theme.dim));
            const bool exposed = index.column() == exposed_column && of.times() && of.times()->exposed_ns > 0;
            return QBrush(exposed ? theme.asText(theme.exposed) : theme.text);
        }
        case step_role:
            return of.isPart();
        default:
            return {};
    }
}

QVariant StatisticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (section == name_column ? Qt::AlignLeft : Qt::AlignRight));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    struct Heading {
        QString text, help;
    };
    static const std::array<Heading, column_count> headings = {
        Heading{tr("GPU, step; plan, group"),
                tr("A measured step has what the host launched during it; of a plan, each process group")},
        {tr("Span"), tr("From the first event on the GPU to the end of the last")},
        {tr("Compute"), tr("At least one compute kernel runs")},
        {tr("Communication"), tr("At least one collective runs")},
        {tr("Exposed"), tr("At least one collective runs, and no compute kernel")},
        {tr("Overlap"), tr("Share of communication beside which compute runs")},
        {tr("Copies"), tr("Copies and fills that belong to no collective")},
        {tr("Idle"), tr("Nothing runs")},
        {tr("GPU events"), tr("Kernels, copies and fills; of a plan, nodes that take time")},
        {tr("No launch"), tr("GPU events whose launch is not in the trace")},
        {tr("Clock"), tr("Added to the rank's times, so that collectives end together on all ranks")},
        {tr("Uncertain by"), tr("Median distance of its collectives' ends from the others', with that clock")},
        {tr("Last to arrive"), tr("Collectives that this rank started last, of those that others have too")},
        {tr("Others waited"), tr("From the start of the first rank to that of this one, in collectives for which it "
                                 "arrived last")}};
    const Heading& heading = headings[static_cast<std::size_t>(section)];
    return role == Qt::DisplayRole ? heading.text : heading.help;
}

}  // namespace overlap::ui
