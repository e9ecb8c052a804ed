#include "ui/groups/process_groups_model.h"

#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/theme/known_time.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

QString string(const std::string& text) {
    return QString::fromStdString(text);
}

QString plural(CollectiveKind kind) {
    const std::string_view name = collective_kind_name(kind);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).replace(u'_', u'-') + u's';
}

/// `1 all-gather`, `25 all-to-alls`.
QString counted(std::uint32_t count, CollectiveKind kind) {
    QString name = plural(kind);
    if (count == 1) name.chop(1);
    return formatCount(count) + u' ' + name;
}

QString sizeText(const ProcessGroupFigures& group) {
    if (!group.listed) return ProcessGroupsModel::tr("not listed in the file");
    return rankCount(group.ranks.size());
}

QString queueingText(const QueueingFigures& queueing) {
    const bool one = queueing.collectives == 1;
    QString behind = plural(queueing.holding);
    if (queueing.holding == queueing.waiting)
        behind = one ? ProcessGroupsModel::tr("another") : ProcessGroupsModel::tr("one another");
    const QString sentence =
        one ? ProcessGroupsModel::tr("%1 waits %2 behind %3") : ProcessGroupsModel::tr("%1 wait %2 behind %3");
    return sentence.arg(counted(queueing.collectives, queueing.waiting), formatTime(queueing.queued_ms), behind);
}

QString createdText(const ProcessGroupFigures& group) {
    QString text = ProcessGroupsModel::tr("To be created by %1 from %2")
                       .arg(string(group.creator->pass), string(group.created->source));
    text += group.high_priority ? ProcessGroupsModel::tr(", with a stream of high priority")
                                : ProcessGroupsModel::tr(", with default settings");
    return text + QStringLiteral(", ") + string(group.created->reason);
}

}  // namespace

QString rankCount(std::size_t ranks) {
    return ranks == 1 ? ProcessGroupsModel::tr("1 rank") : ProcessGroupsModel::tr("%1 ranks").arg(ranks);
}

QString kindsText(const ProcessGroupFigures& group) {
    QStringList kinds;
    for (const GroupKindFigures& kind : group.kinds) kinds.append(counted(kind.collectives, kind.kind));
    return kinds.join(QStringLiteral(", "));
}

QStringList queueSentences(const ProcessGroupFigures& group) {
    QStringList sentences;
    if (group.created) sentences.append(createdText(group));
    if (group.created && group.created->ranks_reordered)
        sentences.append(
            ProcessGroupsModel::tr("Ranks ascend here and not in %1: what comes out of a collective is ordered "
                                   "differently, and nothing in PyTorch warns of it")
                .arg(string(group.created->source)));
    for (const QueueingFigures& queueing : group.queueing) sentences.append(queueingText(queueing));
    if (group.kinds.size() > 1 && group.queueing.empty())
        sentences.append(ProcessGroupsModel::tr("All of these share one queue, and none has to wait in it"));
    if (group.collectives == 0) sentences.append(ProcessGroupsModel::tr("Nothing runs on it"));
    for (const std::string& other : group.same_ranks)
        sentences.append(ProcessGroupsModel::tr("Same ranks as %1, own queue").arg(string(other)));
    return sentences;
}

ProcessGroupsModel::ProcessGroupsModel(Document& document, QObject* parent)
    : HarmlessModel(parent), document_(document) {
    connect(&document, &Document::evaluationChanged, this, &ProcessGroupsModel::update);
    update();
}

void ProcessGroupsModel::update() {
    beginResetModel();
    evaluation_ = shownEvaluation(document_);
    groups_ = evaluation_ ? process_group_figures(*evaluation_) : std::vector<ProcessGroupFigures>();
    endResetModel();
}

int ProcessGroupsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(groups_.size());
}
int ProcessGroupsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QString ProcessGroupsModel::text(const ProcessGroupFigures& group, int column) const {
    switch (column) {
        case group_column:
            return group.title.empty() ? tr("Unused") : string(group.title);
        case ranks_column:
            return string(ranks_text(group.ranks));
        case collectives_column:
            return kindsText(group);
        case time_column:
            return group.collectives > 0 ? formatKnownTime(group.comm_ms, evaluation_->times_known) : QString();
        case exposed_column:
            return group.collectives > 0 ? formatKnownTime(group.exposed_ms, evaluation_->times_known) : QString();
        case queue_column:
            return queueSentences(group).join(QStringLiteral(" · "));
    }
    return {};
}

QString ProcessGroupsModel::toolTip(const ProcessGroupFigures& group, int column) const {
    switch (column) {
        case group_column:
            return group.description.empty()
                       ? tr("Process group %1").arg(string(group.name))
                       : tr("Process group %1 · %2").arg(string(group.name), string(group.description));
        case ranks_column: {
            QStringList ranks;
            for (const int rank : group.ranks) ranks.append(QString::number(rank));
            return tr("%1: %2").arg(sizeText(group), ranks.join(QStringLiteral(", ")));
        }
        case collectives_column: {
            QStringList lines;
            for (const GroupKindFigures& kind : group.kinds)
                lines.append(tr("%1: %2, %3, of which %4 exposed")
                                 .arg(counted(kind.collectives, kind.kind),
                                      formatBytes(static_cast<double>(kind.bytes)),
                                      formatKnownTime(kind.comm_ms, evaluation_->times_known),
                                      formatKnownTime(kind.exposed_ms, evaluation_->times_known)));
            return lines.join(u'\n');
        }
        case queue_column:
            return queueSentences(group).join(u'\n');
        default:
            return text(group, column);
    }
}

QVariant ProcessGroupsModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ProcessGroupFigures& shown = group(index.row());
    switch (role) {
        case Qt::DisplayRole:
            return text(shown, index.column());
        case Qt::ToolTipRole:
            return toolTip(shown, index.column());
        case Qt::TextAlignmentRole: {
            const bool number = index.column() == time_column || index.column() == exposed_column;
            return QVariant::fromValue((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
        }
        case Qt::AccessibleTextRole:
            return QStringList{text(shown, index.column()), trueData(index, detail_role).toString()}
                .join(u' ')
                .trimmed();
        case Qt::FontRole:
            if (index.column() == time_column || index.column() == exposed_column) return numberFont();
            return {};
        case name_role:
            return string(shown.name);
        case detail_role:
            if (index.column() == ranks_column) return shown.ranks.size() == 1 ? QString() : sizeText(shown);
            if (index.column() != group_column) return {};
            if (shown.created) return tr("to be created") + QStringLiteral(" · ") + string(shown.name);
            return shown.description.empty() ? string(shown.name)
                                             : string(shown.name) + QStringLiteral(" · ") + string(shown.description);
        case created_role:
            return shown.created != nullptr;
        case exposed_role:
            return shown.exposed_ms > 0;
        default:
            return {};
    }
}

QVariant ProcessGroupsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && (section == time_column || section == exposed_column))
        return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == exposed_column) {
        const bool shared = evaluation_ && sharesLinks(*evaluation_);
        return tr("For which compute stands still at the waits of the group's collectives") +
               (shared ? QStringLiteral(", ") + linksSharedLabel() : QString());
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
        case group_column:
            return tr("Process group");
        case ranks_column:
            return tr("Ranks");
        case collectives_column:
            return tr("Collectives");
        case time_column:
            return tr("Time");
        case exposed_column:
            return tr("Exposed");
        case queue_column:
            return tr("What waits for what");
    }
    return {};
}

int ProcessGroupsModel::rowOf(const QString& name) const {
    for (int row = 0; row < rowCount(); ++row)
        if (string(group(row).name) == name) return row;
    return -1;
}

QString ProcessGroupsModel::groupOfNode(const QString& node) const {
    if (!evaluation_) return {};
    const Graph& graph = *evaluation_->graph;
    NodeId start = graph.find(node.toStdString());
    if (start != no_node && graph.target_info(start).is_wait) start = graph.awaited_start(start);
    if (start == no_node) return {};
    const std::int32_t index = evaluation_->simulation.collective_of_node[start];
    if (index < 0) return {};
    const CollectiveTiming& timing = evaluation_->simulation.collectives[static_cast<std::size_t>(index)];
    return string(evaluation_->simulation.groups[timing.group].process_group);
}

}  // namespace overlap::ui
