#include "ui/panels/problems_model.h"

#include <algorithm>

#include "ui/document/document.h"
#include "ui/edits/overlap_commands.h"
#include "ui/widgets/severity_sign.h"

namespace overlap::ui {

ProblemsModel::ProblemsModel(Document& document, QObject* parent) : HarmlessModel(parent), document_(document) {
    connect(&document, &Document::evaluationChanged, this, &ProblemsModel::update);
    update();
}

void ProblemsModel::showInstead(std::optional<std::vector<Problem>> problems) {
    if (!problems && !instead_) return;
    instead_ = std::move(problems);
    update();
}

void ProblemsModel::update() {
    const auto evaluation = document_.evaluation();
    beginResetModel();
    problems_ = instead_ ? *instead_ : evaluation ? evaluation->problems : std::vector<Problem>();
    if (!instead_ && document_.isOpen()) {
        for (const std::string& note : document_.loaded().notes) {
            Problem told;
            told.kind = ProblemKind::import_note;
            told.title = tr("Import").toStdString();
            told.message = note;
            problems_.push_back(std::move(told));
        }
    }
    std::stable_sort(problems_.begin(), problems_.end(),
                     [](const Problem& a, const Problem& b) { return a.severity > b.severity; });
    endResetModel();
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(problems_.size());
}
int ProblemsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : column_count;
}

QVariant ProblemsModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Problem& shown = problem(index.row());
    switch (role) {
        case Qt::DisplayRole:
            if (index.column() == title_column) return QString::fromStdString(shown.title);
            if (index.column() == message_column) return QString::fromStdString(shown.message);
            return shown.fix.empty() ? QString() : QString::fromStdString(shown.fix) + QStringLiteral(" ↵");
        case Qt::ToolTipRole:
            return QString::fromStdString(index.column() == fix_column ? shown.fix : shown.message);
        case Qt::AccessibleTextRole:
            return index.column() == title_column
                       ? severityName(shown.severity) + QStringLiteral(": ") + QString::fromStdString(shown.title)
                       : trueData(index, Qt::DisplayRole);
        case severity_role:
            return static_cast<int>(shown.severity);
        default:
            return {};
    }
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == title_column ? tr("Problem") : section == message_column ? tr("What it means") : tr("Fix");
}

void ProblemsModel::goTo(int row) {
    goToProblem(document_, problem(row));
}

bool ProblemsModel::applyFix(int row) {
    const Problem shown = problem(row);
    if (shown.kind == ProblemKind::overlap_refused && document_.editable()) {
        OverlapCommands(document_).remove(static_cast<int>(*shown.directive));
        return true;
    }
    if (shown.kind == ProblemKind::no_modules || concerns_module_rules(shown.kind)) {
        emit repairWanted();
        return true;
    }
    if (shown.kind == ProblemKind::no_times) {
        emit costModelWanted();
        return true;
    }
    const Buckets& buckets = document_.buckets();
    const auto entry = static_cast<std::size_t>(shown.plan_entry);
    if (shown.fix.empty() || shown.module.empty() || !document_.editable() || shown.plan_entry < 0 ||
        entry >= buckets.size())
        return false;
    const QString text = QString::fromStdString(shown.fix);
    if (shown.replacement) {
        document_.editBuckets(text, edits::replace_module(buckets, entry, shown.module, *shown.replacement));
    } else {
        document_.editBuckets(text, edits::remove_module(buckets, entry, shown.module));
    }
    return true;
}

void goToProblem(Document& document, const Problem& problem) {
    if (problem.plan_entry >= 0) {
        document.selection().selectBucket(problem.plan_entry);
    } else if (!problem.nodes.empty()) {
        document.selection().selectNode(QString::fromStdString(problem.nodes.front()));
    }
}

}  // namespace overlap::ui
