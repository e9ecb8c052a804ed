#include "ui/shell/plan_actions.h"

#include <array>

#include "core/plan/presets.h"
#include "ui/actions/manual_start_action.h"
#include "ui/actions/module_repair_action.h"
#include "ui/document/document.h"
#include "ui/edits/automatic_commands.h"
#include "ui/edits/bucket_commands.h"
#include "ui/frame/actions.h"
#include "ui/frame/variant_bar.h"
#include "ui/groups/process_groups_panel.h"
#include "ui/mesh/mesh_connection.h"
#include "ui/modules/modules_panel.h"
#include "ui/panels/problems_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/plan/bucket_board.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

PlanActions::PlanActions(Document& document, Workspace& workspace, QWidget& window)
    : document_(document),
      workspace_(workspace),
      window_(window),
      repair_(new ModuleRepairAction(document, &window)),
      manual_start_(new ManualStartAction(document, &window)) {
    connect(manual_start_, &ManualStartAction::told, this, [this](const QString& sentence) { emit told(sentence); });
    connect(manual_start_, &ManualStartAction::logged, this, &NoticeSource::logged);
    connect(repair_, &ModuleRepairAction::told, this, [this](const QString& sentence) { emit told(sentence); });
    connect(&workspace.modulesPanel(), &ModulesPanel::repairWanted, repair_, &ModuleRepairAction::open);
    connect(&workspace.bucketBoard(), &BucketBoard::repairWanted, repair_, [this] { repair_->open(); });
    connect(workspace.problems().problems(), &ProblemsModel::repairWanted, repair_, [this] { repair_->open(); });
}

bool PlanActions::busy() const {
    return manual_start_->busy();
}

void PlanActions::registerNew(Actions& actions) {
    const QString plan = tr("Plan");
    QList<QAction*> starts;
    starts.append(actions.add("plan.new", plan, tr("&New plan: copy of this"),
                              tr("Add a plan: a copy of the current one; on the baseline, an empty one"),
                              {QKeySequence::New}, [this] {
                                  if (document_.isOpen()) document_.addCopyOfCurrent();
                              }));
    starts.append(actions.add("plan.newEmpty", plan, tr("New plan: &empty"),
                              tr("Add a plan without buckets, with the step that takes them"), {}, [this] {
                                  if (document_.isOpen()) document_.addUnderFreeName(document_.loaded().empty_plan);
                              }));
    for (std::size_t preset = 0; preset < preset_names.size(); ++preset) starts.append(registerPreset(actions, preset));
    workspace_.variants().setNewPlans(starts);
    actions.add("plan.automatic", plan, tr("Add a&utomatic plan"),
                tr("Add a plan that leaves order and buckets to PyTorch's overlap scheduler"),
                {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A)}, [this] {
                    if (const QString added = AutomaticCommands(document_).addAutomatic(); !added.isEmpty())
                        emit told(added);
                });
    actions.add("plan.findBetter", plan, tr("&Find a better plan…"),
                tr("Evaluate many plans, and see how far the best is from the best there can be"), {},
                [this] { workspace_.findBetterPlan(); });
    actions.add("plan.order", plan, tr("Use the Mesh view's device &order…"),
                tr("Store the parameter of the Mesh view, and its alikes, in the order that its source has"), {},
                [this] { workspace_.meshConnection().askAndTakeOrder(&window_); });
    workspace_.bucketBoard().setManualStart(manual_start_->registerAction(actions));
}

/// @param preset index into preset_names.
QAction* PlanActions::registerPreset(Actions& actions, std::size_t preset) {
    const std::array<QString, preset_names.size()> names{tr("New plan: &torchtitan default"),
                                                         tr("New plan: torchtitan &performance")};
    const std::array<QString, preset_names.size()> help{
        tr("Add a plan with the passes and buckets that torchtitan's trainer would run on this graph (--preset %1)"),
        tr("The same with what torchtitan's options for overlap switch on (--preset %1)")};
    return actions.add(
        QStringLiteral("plan.new.") + QString::fromStdString(preset_names[preset]), tr("Plan"), names[preset],
        help[preset].arg(QString::fromStdString(preset_names[preset])), {}, [this, preset] {
            if (!document_.isOpen()) return;
            const PipelinePreset& wanted = (*document_.loaded().presets)[preset];
            Plan plan = plan_of(wanted, *document_.graph(), {});
            plan.name = AutomaticCommands(document_).freeName(QString::fromStdString(wanted.title)).toStdString();
            document_.addNew(std::move(plan));
            for (const Problem& note : wanted.notes) emit logged(QString::fromStdString(note.message));
        });
}

void PlanActions::registerRepair(Actions& actions) {
    repair_->registerAction(actions);
}

void PlanActions::registerStarts(Actions& actions) {
    const QString plan = tr("Plan");
    using Template = BucketCommands::Template;
    actions.add("plan.startBlock", plan, tr("Start from one bucket a &block"),
                tr("Replace the buckets by one for each block"), {},
                [this] { BucketCommands(document_).startFrom(Template::block); });
    actions.add("plan.startBlocks", plan, tr("Start from one bucket every … bloc&ks"),
                tr("Replace the buckets by one for every few blocks"), {},
                [this] { workspace_.bucketBoard().startFromEveryBlocks(); });
    actions.add("plan.startEmpty", plan, tr("Start from &empty"), tr("Remove all buckets"), {},
                [this] { BucketCommands(document_).startFrom(Template::empty); });
    QAction* isolate = workspace_.processGroups().isolateAction();
    QAction* separate = workspace_.processGroups().separateAction();
    actions.adopt("plan.isolateExperts", plan, isolate, isolate->statusTip());
    actions.adopt("plan.separateGathers", plan, separate, separate->statusTip());
}

}  // namespace overlap::ui
