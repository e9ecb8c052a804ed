#include "ui/modules/module_rules_model.h"

#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

/// What a rule looks at, in the words of its kind; that of a parameter rule can be typed over.
QString which(const ModuleRule& rule) {
    const QString text = QString::fromStdString(describe(rule)).section(QStringLiteral(" → "), 0, 0);
    return rule.kind == ModuleRule::Kind::parameters ? QString::fromStdString(rule.pattern) : text;
}

}  // namespace

ModuleRulesModel::ModuleRulesModel(std::shared_ptr<const Graph> graph, QObject* parent)
    : HarmlessModel(parent), graph_(std::move(graph)) {}

int ModuleRulesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rules_.size());
}

int ModuleRulesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QString ModuleRulesModel::trouble(int row) const {
    const auto rule = static_cast<std::size_t>(row);
    if (const std::string error = rule_error(rules_[rule]); !error.empty())
        return tr("This rule %1").arg(QString::fromStdString(error));
    if (!repaired_ || repaired_->outcomes.size() != rules_.size()) return {};
    const RuleOutcome& outcome = repaired_->outcomes[rule];
    if (!outcome.problem.empty()) return QString::fromStdString(outcome.problem);
    if (outcome.ambiguous > 0)
        return tr("%1 more would belong to several modules and get none").arg(formatCount(outcome.ambiguous));
    if (outcome.nodes > 0) return {};
    if (outcome.earlier > 0) return tr("All that fits gets its module from an earlier rule");
    return outcome.own > 0 ? tr("All that fits has a module in the graph") : tr("Nothing fits");
}

QVariant ModuleRulesModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ModuleRule& rule = rules_[static_cast<std::size_t>(index.row())];
    const bool counted = repaired_ && repaired_->outcomes.size() == rules_.size();
    switch (role) {
        case Qt::DisplayRole:
        case Qt::EditRole:
            if (index.column() == which_column) return which(rule);
            if (index.column() == module_column)
                return rule.kind == ModuleRule::Kind::neighbours ? tr("what they share")
                                                                 : QString::fromStdString(rule.module);
            return counted ? formatCount(repaired_->outcomes[static_cast<std::size_t>(index.row())].nodes)
                           : QStringLiteral("…");
        case Qt::TextAlignmentRole:
            return index.column() == nodes_column ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
        case Qt::ForegroundRole:
            return trouble(index.row()).isEmpty() ? QVariant()
                                                  : QVariant(currentTheme().asText(currentTheme().caution));
        case Qt::ToolTipRole: {
            const QString reason = trouble(index.row());
            return reason.isEmpty() ? QString::fromStdString(describe(rule)) : reason;
        }
        case trouble_role:
            return trouble(index.row());
        default:
            return {};
    }
}

QVariant ModuleRulesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int{section == nodes_column ? Qt::AlignRight : Qt::AlignLeft} | int{Qt::AlignVCenter};
    if (role != Qt::DisplayRole) return {};
    return section == which_column ? tr("Which nodes") : section == module_column ? tr("Module") : tr("Nodes");
}

bool ModuleRulesModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::EditRole) return false;
    ModuleRule rule = rules_[static_cast<std::size_t>(index.row())];
    (index.column() == which_column ? rule.pattern : rule.module) = value.toString().trimmed().toStdString();
    setRule(index.row(), std::move(rule));
    return true;
}

Qt::ItemFlags ModuleRulesModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractTableModel::flags(index);
    if (!index.isValid()) return flags;
    const ModuleRule::Kind kind = rules_[static_cast<std::size_t>(index.row())].kind;
    const bool pattern = index.column() == which_column && kind == ModuleRule::Kind::parameters;
    const bool module = index.column() == module_column && kind != ModuleRule::Kind::neighbours;
    return pattern || module ? flags | Qt::ItemIsEditable : flags;
}

void ModuleRulesModel::setRules(std::vector<ModuleRule> rules) {
    beginResetModel();
    rules_ = std::move(rules);
    repaired_ = nullptr;
    endResetModel();
    update();
}

void ModuleRulesModel::setRule(int row, ModuleRule rule) {
    if (rules_[static_cast<std::size_t>(row)] == rule) return;
    rules_[static_cast<std::size_t>(row)] = std::move(rule);
    emit dataChanged(index(row, 0), index(row, column_count - 1));
    update();
}

void ModuleRulesModel::insert(int row, ModuleRule rule) {
    beginInsertRows({}, row, row);
    rules_.insert(rules_.begin() + row, std::move(rule));
    repaired_ = nullptr;
    endInsertRows();
    update();
}

void ModuleRulesModel::remove(int row) {
    beginRemoveRows({}, row, row);
    rules_.erase(rules_.begin() + row);
    repaired_ = nullptr;
    endRemoveRows();
    update();
}

bool ModuleRulesModel::move(int row, int step) {
    const int other = row + step;
    if (row < 0 || other < 0 || row >= rowCount() || other >= rowCount()) return false;
    beginMoveRows({}, row, row, {}, step > 0 ? other + 1 : other);
    std::swap(rules_[static_cast<std::size_t>(row)], rules_[static_cast<std::size_t>(other)]);
    repaired_ = nullptr;
    endMoveRows();
    update();
    return true;
}

QString ModuleRulesModel::error() const {
    for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
        const std::string error = rule_error(rules_[rule]);
        if (!error.empty()) return tr("Rule %1 %2").arg(rule + 1).arg(QString::fromStdString(error));
    }
    return {};
}

void ModuleRulesModel::update() {
    emit rulesChanged();
    if (!error().isEmpty()) return task_.cancel();
    task_.start([this, graph = graph_, rules = rules_](std::stop_token stop) -> LatestTask::Delivery {
        auto repaired = repair_modules(graph, rules, stop);
        if (!repaired) return {};
        return [this, repaired = std::move(repaired)] {
            repaired_ = repaired;
            if (!rules_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
            emit previewed();
        };
    });
}

}  // namespace overlap::ui
