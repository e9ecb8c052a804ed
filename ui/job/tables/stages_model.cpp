#include "ui/job/tables/stages_model.h"

#include <QFileInfo>
#include <QFont>

#include "ui/theme/numbers.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

StagesModel::StagesModel(OpenJob& job, QObject* parent) : HarmlessModel(parent), job_(job) {
    connect(&job, &OpenJob::opened, this, [this] {
        beginResetModel();
        figures_.clear();
        shown_ = -1;
        endResetModel();
    });
    connect(&job, &OpenJob::changed, this, &StagesModel::update);
    connect(&job, &OpenJob::evaluated, this, [this] {
        figures_ = job_.stageFigures();
        update();
    });
}

void StagesModel::setShown(int stage) {
    shown_ = stage;
    update();
}

void StagesModel::update() {
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
}

int StagesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : job_.stageCount();
}

int StagesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QVariant StagesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const bool left = section == name_column || section == plan_column;
    if (role == Qt::TextAlignmentRole)
        return QVariant(static_cast<int>((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
    const bool help = role == Qt::ToolTipRole;
    if (role != Qt::DisplayRole && !help) return {};
    switch (section) {
        case name_column:
            return help ? tr("Stage; a click opens its graph and plan") : tr("Stage");
        case forward_column:
            return help ? tr("Forward of one microbatch, where nothing is slow; with uneven routing on the "
                             "rank that has most tokens")
                        : tr("Forward");
        case backward_column:
            return help ? tr("Backward of one microbatch, where nothing is slow; with uneven routing on the "
                             "rank that has most tokens")
                        : tr("Backward");
        case exposed_column:
            return help ? tr("Of both: communication within the stage, during which nothing computes; it keeps the "
                             "time that the stage's graph has, and shares no links with other pipelines")
                        : tr("Exposed");
        case plan_column:
            return help ? tr("Plan of the stage; * where it is in no file that the job names") : tr("Plan");
        default:
            return {};
    }
}

QString StagesModel::planText(int stage) const {
    const QString mark = job_.isPlanInFile(stage) ? QString() : QStringLiteral("*");
    // The same name before and after a restart: what the file has is called what it was before it was saved.
    const auto plan = job_.planOf(stage) ? job_.planOf(stage) : job_.filePlanOf(stage);
    if (plan && !plan->name.empty()) return QString::fromStdString(plan->name) + mark;
    if (job_.hadPlanFile(stage)) return QFileInfo(job_.planFileOf(stage)).fileName() + mark;
    return job_.graphOf(stage).isEmpty() ? QString() : tr("none") + mark;
}

QString StagesModel::text(int stage, int column) const {
    if (column == name_column) {
        const QString name = QString::fromStdString(job_.document().stages[static_cast<std::size_t>(stage)].name);
        return name.isEmpty() ? QString::number(stage) : QStringLiteral("%1 %2").arg(QString::number(stage), name);
    }
    if (column == plan_column) return planText(stage);
    if (static_cast<std::size_t>(stage) >= figures_.size() || !figures_[static_cast<std::size_t>(stage)]) return {};
    const job::StageFigures& figures = *figures_[static_cast<std::size_t>(stage)];
    switch (column) {
        case forward_column:
            return formatTime(figures.forward_ms);
        case backward_column:
            return formatTime(figures.backward_ms);
        case exposed_column:
            return formatTime(figures.exposed_ms);
        default:
            return {};
    }
}

QVariant StagesModel::trueData(const QModelIndex& index, int role) const {
    const bool left = index.column() == name_column || index.column() == plan_column;
    switch (role) {
        case Qt::DisplayRole:
            return text(index.row(), index.column());
        case Qt::ToolTipRole: {
            const QString graph = job_.graphOf(index.row());
            const QString name = text(index.row(), name_column);
            if (graph.isEmpty()) return tr("%1: times alone, no graph to open").arg(name);
            QStringList lines{name, graph};
            const QString plan = planText(index.row()), file = job_.planFileOf(index.row());
            if (!plan.isEmpty())
                lines.append(file.isEmpty() ? tr("Plan %1").arg(plan) : tr("Plan %1, in %2").arg(plan, file));
            if (shown_ >= 0 && graph == job_.graphOf(shown_)) lines += notes_;
            lines.append(tr("A click opens its graph and plan"));
            return lines.join(u'\n');
        }
        case Qt::TextAlignmentRole:
            return QVariant(static_cast<int>((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter));
        case Qt::FontRole: {
            QFont font = left ? textFont() : numberFont();
            if (index.row() == shown_) font.setWeight(QFont::DemiBold);
            return font;
        }
        default:
            return {};
    }
}

}  // namespace overlap::ui
