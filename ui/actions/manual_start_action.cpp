#include "ui/actions/manual_start_action.h"

#include <QAction>
#include <QKeySequence>

#include "core/pipeline/step_with_links_shared.h"
#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/edits/automatic_commands.h"
#include "ui/frame/actions.h"
#include "ui/theme/links_shared.h"
#include "ui/theme/numbers.h"
#include "ui/widgets/availability.h"

namespace overlap::ui {
namespace {

/// @returns null when `stop` was requested.
std::shared_ptr<const ManualStartProposal> propose(const Plan& plan, const std::shared_ptr<const Evaluation>& automatic,
                                                   const std::stop_token& stop) {
    auto proposal = std::make_shared<ManualStartProposal>();
    proposal->start = manual_start(plan, *automatic);
    const auto manual = evaluate_like(*automatic, proposal->start.plan, stop);
    if (!manual) return nullptr;
    proposal->links_shared = automatic->on_shared_links || manual->on_shared_links;
    proposal->automatic = with_links_shared(automatic, stop);
    proposal->manual = with_links_shared(manual, stop);
    if (!proposal->automatic || !proposal->manual) return nullptr;
    if (!proposal->manual->refused) proposal->changes = exposure_changes(*proposal->automatic, *proposal->manual);
    return proposal;
}

}  // namespace

ManualStartAction::ManualStartAction(Document& document, QWidget* window)
    : QObject(window), document_(document), window_(window) {
    for (const auto signal : {&Document::planChanged, &Document::graphChanged, &Document::timesChanged})
        connect(&document, signal, this, [this] { task_.cancel(); });
}

QAction* ManualStartAction::registerAction(Actions& actions) {
    QAction* action = actions.add(QStringLiteral("plan.manual"), tr("Plan"), tr("Start &manual plan from this result"),
                                  tr("Add a plan whose cards are the buckets of the automatic result"),
                                  {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N)}, [this] { start(); });
    const auto update = [this, action] { setAvailable(*action, AutomaticCommands(document_).manualRefusal()); };
    for (const auto signal : {&Document::planChanged, &Document::evaluationChanged})
        connect(&document_, signal, this, update);
    whenReadingChanges(document_, this, update);
    update();
    return action;
}

void ManualStartAction::start() {
    if (!AutomaticCommands(document_).manualRefusal().isEmpty()) return;
    task_.start([this, plan = document_.current()->plan(),
                 automatic = document_.evaluation()](std::stop_token stop) -> LatestTask::Delivery {
        auto proposal = propose(plan, automatic, stop);
        if (!proposal) return {};
        return [this, proposal = std::move(proposal)] { decide(proposal); };
    });
}

void ManualStartAction::decide(const std::shared_ptr<const ManualStartProposal>& proposal) {
    if (proposal->keepsResult()) return makeCards(*proposal);
    auto* dialog = new ManualStartDialog(*proposal, window_);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &ManualStartDialog::cardsWanted, this, [this, proposal] { makeCards(*proposal); });
    connect(dialog, &ManualStartDialog::automaticStepsWanted, this, &ManualStartAction::keepAutomaticSteps);
    // The proposal is of the plan that is shown.
    connect(&document_, &Document::planChanged, dialog, &QDialog::reject);
    connect(&document_, &Document::graphChanged, dialog, &QDialog::reject);
    dialog->open();
}

void ManualStartAction::makeCards(const ManualStartProposal& proposal) {
    AutomaticCommands(document_).addManual(proposal.start.plan);
    for (const ManualStart::LeftOut& reason : proposal.start.left_out) {
        QStringList names;
        for (const std::string& name : reason.names) names.append(QString::fromStdString(name));
        emit logged(QStringLiteral("%1: %2").arg(QString::fromStdString(reason.sentence), names.join(u", ")));
    }
    const double before_ms = proposal.automatic->simulation.step_ms, after_ms = proposal.manual->simulation.step_ms;
    const QString step = proposal.links_shared ? tr("the step %1").arg(linksSharedLabel()) : tr("the step");
    const auto peak = static_cast<double>(proposal.manual->corrected_memory.peak_bytes);
    const double higher = peak - static_cast<double>(proposal.automatic->corrected_memory.peak_bytes);
    emit told(tr("The automatic buckets are cards of %1 now; %2 is %3 (%4), the peak %5 (%6)")
                  .arg(document_.current()->title(), step, formatTime(after_ms),
                       formatDifference(after_ms - before_ms, Unit::Time), formatBytes(peak),
                       formatDifference(higher, Unit::Bytes)));
}

void ManualStartAction::keepAutomaticSteps() {
    document_.addCopyOfCurrent();
    emit told(
        tr("%1 keeps the automatic steps; overlaps by hand act on their result").arg(document_.current()->title()));
}

}  // namespace overlap::ui
