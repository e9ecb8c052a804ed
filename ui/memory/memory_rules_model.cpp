#include "ui/memory/memory_rules_model.h"

#include <QBrush>
#include <QFont>

#include "ui/document/document.h"
#include "ui/edits/memory_commands.h"
#include "ui/memory/memory_target.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {

MemoryRulesModel::MemoryRulesModel(Document& document, QObject* parent) : HarmlessModel(parent), document_(document) {
    for (const auto signal : {&Document::graphChanged, &Document::currentChanged, &Document::planChanged})
        connect(&document, signal, this, &MemoryRulesModel::restart);
    connect(&document, &Document::evaluationChanged, this, [this] {
        if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
    });
    restart();
}

void MemoryRulesModel::restart() {
    MemorySection section = MemoryCommands(document_).section();
    const bool invites = MemoryCommands(document_).refusal().isEmpty();
    if (!rows_.empty() && section == section_ && invites == invites_) return;
    beginResetModel();
    section_ = std::move(section);
    invites_ = invites;
    rows_.clear();
    for (const MemoryAction action : memory_actions) {
        rows_.push_back({action, -1});
        for (std::size_t rule = 0; rule < section_.rules.size(); ++rule)
            if (section_.rules[rule].action == action) rows_.push_back({action, static_cast<int>(rule)});
    }
    endResetModel();
}

int MemoryRulesModel::rowOf(MemoryAction action) const {
    for (std::size_t row = 0; row < rows_.size(); ++row)
        if (rows_[row].action == action && rows_[row].rule < 0) return static_cast<int>(row);
    return -1;
}

int MemoryRulesModel::rowOfRule(int rule) const {
    for (std::size_t row = 0; row < rows_.size(); ++row)
        if (rows_[row].rule == rule) return static_cast<int>(row);
    return -1;
}

void MemoryRulesModel::setEffect(MemoryAction action, const QString& brief, const QString& all) {
    effects_[static_cast<std::size_t>(action)] = all;
    brief_effects_[static_cast<std::size_t>(action)] = brief;
    const QModelIndex changed = index(rowOf(action), remark_column);
    emit dataChanged(changed, changed);
}

void MemoryRulesModel::setTarget(const QString& title, const QString& all) {
    if (title == target_ && all == whole_target_) return;
    target_ = title;
    whole_target_ = all;
    emit headerDataChanged(Qt::Horizontal, 0, column_count - 1);
}

QVariant MemoryRulesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section >= column_count) return {};
    if (role == Qt::DisplayRole && section == name_column)
        return target_.isEmpty() ? tr("Rules") : shownName(tr("For %1").arg(target_));
    if (role == Qt::DisplayRole) return target_.isEmpty() ? QString() : tr("it would change");
    if (role == Qt::ToolTipRole) return shownLines(whole_target_);
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return {};
}

int MemoryRulesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int MemoryRulesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

Qt::ItemFlags MemoryRulesModel::flags(const QModelIndex& index) const {
    return HarmlessModel::flags(index) | Qt::ItemIsDropEnabled;
}

const Problem* MemoryRulesModel::problemOf(int rule) const {
    const auto evaluation = document_.evaluation();
    if (rule < 0 || !evaluation || document_.current()->stale()) return nullptr;
    for (const Problem& problem : evaluation->problems)
        if (problem.memory_rule == rule) return &problem;
    return nullptr;
}

QString MemoryRulesModel::name(const Row& row) const {
    if (row.rule < 0) return MemoryCommands::title(row.action);
    return QStringLiteral("    ") + MemoryCommands::title(section_.rules[static_cast<std::size_t>(row.rule)]);
}

QString MemoryRulesModel::remark(const Row& row) const {
    if (row.rule < 0) {
        const QString& effect = brief_effects_[static_cast<std::size_t>(row.action)];
        return effect.isEmpty() && invites_ && row.action == MemoryAction::save ? tr("drop modules here") : effect;
    }
    if (const Problem* problem = problemOf(row.rule)) return QString::fromStdString(problem->title).toLower();
    return section_.rules.size() > 1 ? tr("rule %1").arg(row.rule + 1) : QString();
}

QString MemoryRulesModel::help(const Row& row) const {
    if (const Problem* problem = problemOf(row.rule)) return QString::fromStdString(problem->message);
    // What has no room beside the name is read here.
    const QString& effect = effects_[static_cast<std::size_t>(row.action)];
    if (row.rule >= 0) return help(row.action);
    if (!effect.isEmpty()) return help(row.action) + u'\n' + effect;
    if (!invites_ || selectedTarget(document_)) return help(row.action);
    return help(row.action) + u'\n' +
           tr("Nothing is selected that a rule could name: select a module, a bucket or a forward node, or drop "
              "modules");
}

QString MemoryRulesModel::help(MemoryAction action) {
    switch (action) {
        case MemoryAction::save:
            return tr("Outputs are kept from the forward to the backward pass");
        case MemoryAction::recompute:
            return tr("Outputs are computed again in the backward pass");
        case MemoryAction::offload:
            return tr("What is kept waits on the host and is copied back before the backward pass needs it");
        case MemoryAction::keep:
            return tr("Gathered parameters are kept for the backward pass: more memory, less communication");
        case MemoryAction::reshard:
            return tr("Parameters are gathered again for the backward pass, also where the policy keeps them");
    }
    return {};
}

QVariant MemoryRulesModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    switch (role) {
        case Qt::DisplayRole:
            return index.column() == name_column ? name(row) : remark(row);
        case Qt::AccessibleTextRole:
            return index.column() == name_column ? QVariant(name(row).trimmed()) : QVariant(remark(row));
        case Qt::ToolTipRole:
            return help(row);
        case Qt::FontRole:
            return row.rule < 0 ? QVariant(textFont(normalTextPx, QFont::DemiBold)) : QVariant();
        case Qt::ForegroundRole: {
            const Theme& theme = currentTheme();
            if (problemOf(row.rule)) return QBrush(theme.asText(theme.caution));
            return index.column() == remark_column ? QVariant(QBrush(theme.asText(theme.dim))) : QVariant();
        }
        default:
            return {};
    }
}

}  // namespace overlap::ui
