#include "ui/panels/problems_model.h"

#include <algorithm>
#include <utility>

#include "core/imports/untyped/import_notes.h"
#include "core/memory/device_memory.h"
#include "core/plan/plan_edits.h"
#include "ui/document/document.h"
#include "ui/document/links_shared_step.h"
#include "ui/document/module_names.h"
#include "ui/edits/overlap_commands.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/panels/exposed_moves.h"
#include "ui/panels/problem_groups.h"
#include "ui/panels/refusal_remedy.h"
#include "ui/theme/numbers.h"
#include "ui/theme/standard_strings.h"
#include "ui/widgets/severity_sign.h"

namespace overlap::ui {
namespace {

/// Internal id of the top rows; a problem below a row has that row's number plus one.
constexpr quintptr top_level = 0;

}  // namespace

QString textOfFix(const Problem& problem) {
    const QString module = QString::fromStdString(problem.module);
    if (problem.replacement)
        return ProblemsModel::tr("Rename %1 to %2").arg(module, QString::fromStdString(*problem.replacement));
    if (!module.isEmpty()) return ProblemsModel::tr("Take %1 out of the plan").arg(module);
    return QStringLiteral("%1: %2").arg(QString::fromStdString(problem.title), QString::fromStdString(problem.fix));
}

ProblemsModel::ProblemsModel(Document& document, QObject* parent)
    : HarmlessModel(parent),
      document_(document),
      moves_(new ExposedMoves(document, this)),
      remedy_(new RefusalRemedy(document, this)) {
    connect(moves_, &ExposedMoves::changed, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0, message_column), index(rowCount() - 1, message_column));
    });
    connect(remedy_, &RefusalRemedy::changed, this, [this] {
        if (rowCount() > 0) emit dataChanged(index(0, fix_column), index(rowCount() - 1, fix_column));
    });
    connect(&document, &Document::evaluationChanged, this, &ProblemsModel::update);
    update();
}

void ProblemsModel::showInstead(std::optional<std::vector<Problem>> problems) {
    if (!problems && !instead_) return;
    instead_ = std::move(problems);
    update();
}

void ProblemsModel::setMemoryLimit(qint64 bytes) {
    if (std::exchange(memory_limit_, bytes) != bytes) update();
}

void ProblemsModel::evaluateMoves(bool wanted) {
    moves_->setWanted(wanted);
    remedy_->setWanted(wanted);
}

bool ProblemsModel::evaluating() const {
    return moves_->busy() || remedy_->busy();
}

void ProblemsModel::update() {
    const auto evaluation = shownEvaluation(document_);
    beginResetModel();
    problems_ = instead_ ? *instead_ : evaluation ? evaluation->problems : std::vector<Problem>();
    // Figures of a refused plan are those of the graph without it.
    if (!instead_ && evaluation && !evaluation->refused)
        if (auto beyond = limit_problem(*evaluation->graph, evaluation->corrected_memory, memory_limit_))
            problems_.insert(problems_.begin() + static_cast<std::ptrdiff_t>(evaluation->plan_problems),
                             std::move(*beyond));
    if (!instead_ && evaluation) addMoreExposed(*evaluation);
    if (!instead_ && document_.isOpen()) {
        for (const ImportNote& note : document_.loaded().notes) {
            Problem told;
            told.kind = ProblemKind::import_note;
            told.title = tr("Import").toStdString();
            told.message = note.sentence;
            if (note.kind == ImportNoteKind::untold) told.fix = tr("tell it…").toStdString();
            problems_.push_back(std::move(told));
        }
    }
    std::stable_sort(problems_.begin(), problems_.end(),
                     [](const Problem& a, const Problem& b) { return a.severity > b.severity; });
    rows_ = group_problems(problems_);
    endResetModel();
}

void ProblemsModel::addMoreExposed(const Evaluation& evaluation) {
    const auto is_exposed = [](const Problem& problem) { return problem.kind == ProblemKind::exposed; };
    const auto told = std::ranges::count_if(problems_, is_exposed);
    if (told == 0) return;
    std::int64_t more = -told;
    double more_ms = 0;
    for (const CollectiveTiming& timing : evaluation.simulation.collectives) {
        if (timing.exposed_ms <= 0) continue;
        ++more;
        more_ms += timing.exposed_ms;
    }
    if (more <= 0) return;
    const auto last = std::ranges::find_if(problems_.rbegin(), problems_.rend(), is_exposed).base();
    for (const Problem& problem : problems_) {
        if (!is_exposed(problem)) continue;
        const NodeId start = evaluation.graph->find(problem.nodes.front());
        const std::int32_t collective = evaluation.simulation.collective_of_node[start];
        more_ms -= evaluation.simulation.collectives[static_cast<std::size_t>(collective)].exposed_ms;
    }
    Problem rest;
    rest.severity = Severity::caution;
    rest.kind = ProblemKind::exposed;  // of no node
    rest.title = tr("%1 more exposed").arg(formatCount(more)).toStdString();
    const QString time = formatTime(std::max(0.0, more_ms));
    rest.message = (more == 1 ? tr("one more collective is exposed, %1; those above are the longest").arg(time)
                              : tr("%1 more collectives are exposed, %2 together; those above are the longest")
                                    .arg(formatCount(more), time))
                       .toStdString();
    problems_.insert(last, std::move(rest));
}

QModelIndex ProblemsModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || row >= rowCount(parent) || column < 0 || column >= column_count) return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : top_level);
}

QModelIndex ProblemsModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == top_level) return {};
    return createIndex(static_cast<int>(index.internalId() - 1), 0, top_level);
}

int ProblemsModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(rows_.size());
    if (parent.internalId() != top_level || parent.column() > 0) return 0;
    const std::size_t below = members(parent.row()).size();
    return below > 1 ? static_cast<int>(below) : 0;
}

int ProblemsModel::columnCount(const QModelIndex&) const {
    return column_count;
}

std::optional<std::size_t> ProblemsModel::problemAt(const QModelIndex& index) const {
    if (!index.isValid()) return std::nullopt;
    if (index.internalId() != top_level)
        return members(static_cast<int>(index.internalId() - 1))[static_cast<std::size_t>(index.row())];
    const std::vector<std::size_t>& shown = members(index.row());
    return shown.size() == 1 ? std::optional(shown.front()) : std::nullopt;
}

QVariant ProblemsModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto place = problemAt(index);
    if (!place) return severalData(members(index.row()), index.column(), role);
    const Problem& shown = problems_[*place];
    switch (role) {
        case Qt::DisplayRole:
            if (index.column() == title_column) return QString::fromStdString(shown.title);
            if (index.column() == message_column) return messageOf(shown).replace(u'\n', u' ');
            return fixOf(shown).isEmpty() ? QString() : fixOf(shown) + QStringLiteral(" ↵");
        case Qt::ToolTipRole:
            return index.column() == fix_column ? fixOf(shown) : messageOf(shown);
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

QString ProblemsModel::fixOf(const Problem& problem) const {
    // What helps is found when it is wanted: it takes evaluations.
    if (problem.kind == ProblemKind::exposed && problem.nodes.empty()) return tr("list all");
    if (problem.kind == ProblemKind::exposed) return document_.editable() && !instead_ ? tr("what helps") : QString();
    if (!problem.fix.empty() || instead_) return QString::fromStdString(problem.fix);
    return remedy_->labelFor(problem);
}

QString ProblemsModel::messageOf(const Problem& problem) const {
    const QString message = QString::fromStdString(problem.message);
    const QString moves = instead_ ? QString() : moves_->told(problem);
    return moves.isEmpty() ? message : QStringLiteral("%1.\n%2").arg(message, moves);
}

std::vector<std::string> ProblemsModel::namesToTakeOut(const std::vector<std::size_t>& members) const {
    std::vector<std::string> names;
    if (instead_ || !document_.editable()) return names;
    for (const std::size_t member : members) {
        if (problems_[member].kind != ProblemKind::unknown_module) return {};
        names.push_back(problems_[member].module);
    }
    return names;
}

QVariant ProblemsModel::severalData(const std::vector<std::size_t>& members, int column, int role) const {
    const Problem& first = problems_[members.front()];
    const QString title = QString::fromStdString(first.title);
    switch (role) {
        case Qt::DisplayRole:
            if (column == title_column) return tr("%1 × %2").arg(members.size()).arg(title);
            if (column == message_column)
                return tr("%1, and %2 more").arg(QString::fromStdString(first.message)).arg(members.size() - 1);
            return namesToTakeOut(members).empty() ? QString() : tr("take all out of the plan") + QStringLiteral(" ↵");
        case Qt::ToolTipRole:
            return tr("%1 problems of one kind; open the row to see each").arg(members.size());
        case Qt::AccessibleTextRole:
            if (column == title_column)
                return tr("%1: %2, %3 places").arg(severityName(first.severity), title).arg(members.size());
            return severalData(members, column, Qt::DisplayRole);
        case severity_role:
            return static_cast<int>(first.severity);
        default:
            return {};
    }
}

QVariant ProblemsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    return section == title_column ? tr("Problem") : section == message_column ? tr("What it means") : tr("Fix");
}

void ProblemsModel::goTo(std::size_t problem) {
    if (problems_[problem].kind == ProblemKind::exposed && problems_[problem].nodes.empty())
        return emit exposedWanted();
    goToProblem(document_, problems_[problem]);
}

bool ProblemsModel::applyFix(std::size_t problem) {
    const Problem shown = problems_[problem];
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
    if (shown.kind == ProblemKind::links_not_shared) {
        emit sharedLinksWanted();
        return true;
    }
    if (shown.kind == ProblemKind::import_note && !shown.fix.empty()) {
        emit tellingWanted();
        return true;
    }
    if (shown.kind == ProblemKind::exposed && shown.nodes.empty()) {
        emit exposedWanted();
        return true;
    }
    if (!document_.editable()) return false;
    if (shown.kind == ProblemKind::exposed) {
        document_.selection().selectNode(QString::fromStdString(shown.nodes.front()));
        emit adviceWanted();
        return true;
    }
    if (shown.fix.empty() && !remedy_->labelFor(shown).isEmpty()) return remedy_->apply();
    std::optional<Plan> fixed = edits::with_fix(document_.current()->plan(), shown);
    // Buckets that no step takes: the step that fits the graph is known here, and not to the check of a plan.
    if (!fixed && shown.kind == ProblemKind::buckets_not_taken) {
        PipelineCommands(document_).takeBuckets();
        return true;
    }
    if (!fixed) return false;
    document_.editPlan(textOfFix(shown), std::move(*fixed));
    return true;
}

bool ProblemsModel::applyFixOfSeveral(const QModelIndex& row) {
    if (!row.isValid() || row.internalId() != top_level) return false;
    const std::vector<std::string> names = namesToTakeOut(members(row.row()));
    if (names.empty()) return false;
    document_.editBuckets(tr("Take %1 out of the plan").arg(shortNames(textsOf(names)).join(QStringLiteral(", "))),
                          edits::without_modules(document_.buckets(), names));
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
