#include "ui/passes/passes_model.h"

#include <QMimeData>
#include <algorithm>

#include "core/passes/registry/registry.h"
#include "core/views/step_remark.h"
#include "ui/document/document.h"
#include "ui/document/evaluation_failure.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/severity_sign.h"

namespace overlap::ui {
namespace {

/// The row of a step that is dragged, as text.
const QString step_mime_type = QStringLiteral("application/x-overlap-step");

bool samePasses(const std::vector<PassStep>& left, const std::vector<PassStep>& right) {
    return std::ranges::equal(left, right, {}, &PassStep::pass, &PassStep::pass);
}

}  // namespace

QString differenceText(const GraphDifference& difference) {
    QStringList parts;
    const auto tell = [&](const std::vector<NodeChange>& changes, const QString& what) {
        if (!changes.empty()) parts.append(what.arg(formatCount(static_cast<std::int64_t>(changes.size()))));
    };
    tell(difference.added, PassesModel::tr("%1 added"));
    tell(difference.removed, PassesModel::tr("%1 removed"));
    tell(difference.moved, PassesModel::tr("%1 moved"));
    tell(difference.changed, PassesModel::tr("%1 changed"));
    return parts.isEmpty() ? PassesModel::tr("nothing changed") : parts.join(QStringLiteral(", "));
}

PassesModel::PassesModel(Document& document, QObject* parent) : HarmlessModel(parent), document_(document) {
    connect(&document, &Document::planChanged, this, &PassesModel::readPlan);
    connect(&document, &Document::evaluationChanged, this, &PassesModel::readEvaluation);
    connect(&document, &Document::failed, this, &PassesModel::readEvaluation);
    readPlan();
    readEvaluation();
}

void PassesModel::readPlan() {
    std::vector<PassStep> steps;
    if (document_.isOpen()) steps = document_.current()->plan().pipeline;
    if (samePasses(steps, steps_)) {
        steps_ = std::move(steps);
        if (!steps_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
        return;
    }
    beginResetModel();
    steps_ = std::move(steps);
    endResetModel();
}

void PassesModel::readEvaluation() {
    evaluation_ = document_.evaluation();
    if (!steps_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
}

int PassesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(steps_.size());
}

const StepOutcome* PassesModel::outcome(int row) const {
    const auto position = static_cast<std::size_t>(row);
    if (!evaluation_ || position >= evaluation_->steps.size()) return nullptr;
    const StepOutcome& outcome = evaluation_->steps[position];
    return outcome.pass == step(row).pass ? &outcome : nullptr;
}

std::vector<Problem> PassesModel::problems(int row) const {
    std::vector<Problem> problems;
    const StepOutcome* known = outcome(row);
    if (!known) return problems;
    for (const std::size_t problem : known->problems) problems.push_back(evaluation_->problems[problem]);
    std::ranges::stable_sort(problems, std::greater<>(), &Problem::severity);
    return problems;
}

int PassesModel::severity(int row) const {
    const StepOutcome* known = outcome(row);
    if (known && known->state == StepOutcome::State::refused) return static_cast<int>(Severity::error);
    const std::vector<Problem> found = problems(row);
    return found.empty() ? -1 : static_cast<int>(found.front().severity);
}

QString PassesModel::outcomeText(int row) const {
    if (!step(row).enabled) return tr("switched off");
    const StepOutcome* known = outcome(row);
    if (!known || known->state == StepOutcome::State::switched_off)
        return evaluationFailure(document_).isEmpty() ? tr("evaluating…") : whyNotEvaluated(document_);
    switch (known->state) {
        case StepOutcome::State::refused:
            return QString::fromStdString(known->refusal);
        case StepOutcome::State::not_reached:
            return isBehindRefused(row) ? tr("not run: a step before it was refused")
                                        : tr("not run: the plan is refused");
        default:
            if (known->difference->empty())
                if (const std::string remark = step_remark(*evaluation_, *known); !remark.empty())
                    return QString::fromStdString(remark);
            return differenceText(*known->difference);
    }
}

bool PassesModel::isBehindRefused(int row) const {
    while (--row >= 0)
        if (const StepOutcome* before = outcome(row); before && before->state == StepOutcome::State::refused)
            return true;
    return false;
}

QString PassesModel::sentence(int row) const {
    QStringList parts{tr("%1: %2").arg(row + 1).arg(QString::fromStdString(step(row).pass)), outcomeText(row)};
    if (const int worst = severity(row); worst >= 0) parts.append(severityName(static_cast<Severity>(worst)));
    return parts.join(QStringLiteral(", "));
}

QVariant PassesModel::trueData(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const int row = index.row();
    switch (role) {
        case Qt::DisplayRole:
            return QString::fromStdString(step(row).pass);
        case Qt::CheckStateRole:
            return static_cast<int>(step(row).enabled ? Qt::Checked : Qt::Unchecked);
        case Qt::ToolTipRole: {
            const Pass* pass = find_pass(step(row).pass);
            const QString what = pass ? QString::fromUtf8(pass->summary()) : tr("This version has no such pass");
            return what + u'\n' + outcomeText(row);
        }
        case Qt::AccessibleTextRole:
        case sentence_role:
            return sentence(row);
        case outcome_role:
            return outcomeText(row);
        case time_role: {
            const StepOutcome* known = step(row).enabled ? outcome(row) : nullptr;
            return known && known->state == StepOutcome::State::ran ? formatTime(known->run_ms) : QString();
        }
        case severity_role:
            return step(row).enabled ? severity(row) : -1;
        case stale_role:
            return document_.isOpen() && document_.current()->stale();
        default:
            return {};
    }
}

bool PassesModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::CheckStateRole || !index.isValid() || !document_.editable()) return false;
    PipelineCommands(document_).setEnabled(index.row(), value.toInt() == Qt::Checked);
    return true;
}

Qt::ItemFlags PassesModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return document_.editable() ? Qt::ItemIsDropEnabled : Qt::NoItemFlags;
    const Qt::ItemFlags shown = Qt::ItemIsSelectable | Qt::ItemIsEnabled | Qt::ItemNeverHasChildren;
    return document_.editable() ? shown | Qt::ItemIsUserCheckable | Qt::ItemIsDragEnabled : shown;
}

QStringList PassesModel::mimeTypes() const {
    return {step_mime_type};
}

QMimeData* PassesModel::mimeData(const QModelIndexList& indexes) const {
    if (indexes.isEmpty()) return nullptr;
    auto* data = new QMimeData;
    data->setData(step_mime_type, QByteArray::number(indexes.front().row()));
    return data;
}

bool PassesModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int, const QModelIndex&) {
    if (action != Qt::MoveAction || !data->hasFormat(step_mime_type) || !document_.editable()) return false;
    const int from = data->data(step_mime_type).toInt();
    int before = row >= 0 ? row : rowCount();
    if (before > from) --before;  // the row itself leaves a gap
    PipelineCommands(document_).move(from, before);
    emit stepMoved(before);
    return false;  // the plan has the row in its new place already: there is none for the view to take away
}

}  // namespace overlap::ui
