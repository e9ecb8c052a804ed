#include "ui/passes/passes_panel.h"

#include <QMenu>
#include <QPlainTextEdit>
#include <QResizeEvent>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/passes/expert_overlap_menu.h"
#include "ui/passes/overlaps_view.h"
#include "ui/passes/pass_options_form.h"
#include "ui/passes/pass_picker.h"
#include "ui/passes/passes_bar.h"
#include "ui/passes/passes_model.h"
#include "ui/passes/passes_view.h"
#include "ui/passes/step_changes_model.h"
#include "ui/passes/step_changes_view.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"

namespace overlap::ui {
namespace {

/// Narrower than this, the columns stand below one another.
constexpr int narrow_width = 640;
/// Lower than this, overlaps by hand stand beside the steps, which would have no room above them, where the panel is
/// wide enough for a column more.
constexpr int low_height = 320, wide_width = 1000;
/// Scrolled areas may become as low as that, so that a low window need not grow.
constexpr int lowest_area = 24;

QString baselineText() {
    return PassesPanel::tr("The baseline is the graph as it is, without any pass. Choose or add a plan to edit.");
}

}  // namespace

PassesPanel::PassesPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new PassesModel(document, this)),
      changes_(new StepChangesModel(this)),
      steps_(new PassesView(*model_)),
      options_(new PassOptionsForm(document)),
      overlaps_(new OverlapsView(document)),
      changes_view_(new StepChangesView(document, *changes_)),
      picker_(new PassPicker(this)),
      preset_menu_(new QMenu(this)),
      experts_menu_(new ExpertOverlapMenu(document, this)),
      bar_(new PassesBar(*preset_menu_, *experts_menu_)),
      columns_(new QSplitter),
      pipeline_(new QWidget),
      refusal_(new QPlainTextEdit) {
    setObjectName("passesPanel");
    refusal_->setObjectName("stepRefusal");
    refusal_->setAccessibleName(tr("Why the step did not run"));
    refusal_->setReadOnly(true);
    refusal_->setFrameShape(QFrame::NoFrame);
    refusal_->setTabChangesFocus(true);
    preset_menu_->setToolTipsVisible(true);

    auto* pipeline_layout = new QVBoxLayout(pipeline_);
    pipeline_layout->setContentsMargins(0, 0, 0, 0);
    pipeline_layout->setSpacing(0);
    pipeline_layout->addWidget(steps_, 1);
    pipeline_layout->addWidget(overlaps_);
    // In a low panel that is not wide enough for a column more, steps and overlaps are scrolled together.
    auto* lists = new QScrollArea;
    lists->setObjectName("pipelineLists");
    lists->setFrameShape(QFrame::NoFrame);
    lists->setWidgetResizable(true);
    lists->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    lists->setFocusPolicy(Qt::NoFocus);
    lists->setMinimumHeight(lowest_area);
    lists->setWidget(pipeline_);
    auto* first = new QWidget;
    auto* first_layout = new QVBoxLayout(first);
    first_layout->setContentsMargins(0, 0, 0, 0);
    first_layout->setSpacing(0);
    first_layout->addWidget(bar_);
    first_layout->addWidget(lists, 1);
    auto* outcome = new QWidget;
    auto* outcome_layout = new QVBoxLayout(outcome);
    outcome_layout->setContentsMargins(0, 0, 0, 0);
    outcome_layout->setSpacing(0);
    outcome_layout->addWidget(refusal_, 1);
    outcome_layout->addWidget(changes_view_, 1);
    columns_->addWidget(first);
    columns_->addWidget(options_);
    columns_->addWidget(outcome);
    for (QWidget* area :
         {static_cast<QWidget*>(options_), static_cast<QWidget*>(refusal_), static_cast<QWidget*>(changes_view_)})
        area->setMinimumHeight(lowest_area);
    steps_->setMinimumHeight(PassDelegate().sizeHint({}, {}).height());
    columns_->setChildrenCollapsible(false);
    columns_->setSizes({360, 300, 360});
    for (int column = 0; column < columns_->count(); ++column) columns_->setStretchFactor(column, 1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(columns_);

    connect(steps_->selectionModel(), &QItemSelectionModel::currentChanged, this, &PassesPanel::showStep);
    connect(model_, &QAbstractItemModel::modelReset, this, [this] { selectStep(wanted_step_); });
    connect(model_, &QAbstractItemModel::dataChanged, this, &PassesPanel::showStep);
    connect(model_, &PassesModel::stepMoved, this, &PassesPanel::selectStep);
    connect(overlaps_, &OverlapsView::editWanted, this, &PassesPanel::overlapEditWanted);
    connect(steps_, &PassesView::menuWanted, this, &PassesPanel::showMenu);
    connect(picker_, &PassPicker::picked, this, [this](const QString& pass) {
        wanted_step_ = currentStep() + 1;
        if (const int added = PipelineCommands(document_).add(pass, wanted_step_); added >= 0) selectStep(added);
        steps_->setFocus();
    });
    connect(preset_menu_, &QMenu::aboutToShow, this, &PassesPanel::fillPresetMenu);
    connect(bar_, &PassesBar::addWanted, this, &PassesPanel::chooseAndAdd);
    connect(bar_, &PassesBar::moveWanted, this, &PassesPanel::moveCurrent);
    connect(bar_, &PassesBar::removeWanted, this, &PassesPanel::removeCurrent);
    connect(experts_menu_, &ExpertOverlapMenu::changed, this, &PassesPanel::updateState);
    connect(&document, &Document::currentChanged, this, &PassesPanel::updateState);
    whenReadingChanges(document, this, [this] { updateState(); });
    selectStep(0);
}

int PassesPanel::currentStep() const {
    return steps_->currentIndex().isValid() ? steps_->currentIndex().row() : -1;
}

void PassesPanel::selectStep(int step) {
    wanted_step_ = std::clamp(step, 0, std::max(0, model_->rowCount() - 1));
    steps_->setCurrentIndex(model_->index(wanted_step_));
    showStep();
}

void PassesPanel::showStep() {
    const int step = currentStep();
    if (step >= 0) wanted_step_ = step;
    options_->showStep(step);
    const StepOutcome* outcome = step >= 0 && model_->step(step).enabled ? model_->outcome(step) : nullptr;
    changes_->show(document_.evaluation(), outcome, step >= 0 ? model_->problems(step) : std::vector<Problem>());
    const bool none = changes_->rowCount() == 0;
    // Of a step that is switched off, problems may be listed.
    changes_view_->setNothing(!none                                      ? QString()
                              : step >= 0 && !model_->step(step).enabled ? tr("The step is switched off.")
                              : outcome                                  ? tr("The step changed nothing.")
                              : step < 0 && document_.isOpen() ? tr("What the selected step changes is listed here.")
                                                               : QString());
    const bool refused = outcome && outcome->state == StepOutcome::State::refused;
    const bool not_reached = outcome && outcome->state == StepOutcome::State::not_reached;
    refusal_->setPlainText(refused       ? tr("Refused: %1").arg(shownName(QString::fromStdString(outcome->refusal)))
                           : not_reached ? tr("Not run: a step before it was refused.")
                                         : QString());
    refusal_->setVisible(refused || not_reached);
    changes_view_->setHidden(refused || not_reached);
    updateState();
}

void PassesPanel::updateState() {
    const bool editable = document_.editable();
    const int step = currentStep();
    const QString of_plan = editable             ? QString()
                            : document_.isOpen() ? tr("The baseline has no steps: add a plan")
                                                 : noGraphOpen(document_);
    const QString of_step = !editable || step >= 0 ? of_plan : tr("No step is selected");
    const auto unless = [&](bool last, const QString& reason) { return of_step.isEmpty() && last ? reason : of_step; };
    bar_->setRefusals({.add = of_plan,
                       .start = of_plan,
                       .experts = experts_menu_->refusal(),
                       .up = unless(step == 0, tr("The step is the first one")),
                       .down = unless(step + 1 == model_->rowCount(), tr("The step is the last one")),
                       .remove = of_step});
    steps_->setAccessibleDescription(!document_.isOpen() ? QString()
                                     : !editable         ? baselineText()
                                                         : tr("No pass runs. Add one, or start from a preset."));
    double run_ms = 0;
    int off = 0;
    for (int row = 0; row < model_->rowCount(); ++row) {
        if (const StepOutcome* outcome = model_->outcome(row)) run_ms += outcome->run_ms;
        off += model_->step(row).enabled ? 0 : 1;
    }
    QStringList parts;
    if (off > 0) parts.append(tr("%1 off").arg(off));
    if (run_ms > 0) parts.append(tr("passes take %1").arg(formatTime(run_ms)));
    bar_->setSummary(parts.join(QStringLiteral(" · ")));
}

void PassesPanel::chooseAndAdd() {
    if (document_.editable()) picker_->openAt(bar_->belowAdd());
}

void PassesPanel::choosePreset() {
    if (document_.editable()) bar_->openPresets();
}

void PassesPanel::switchCurrent() {
    if (const int step = currentStep(); step >= 0)
        PipelineCommands(document_).setEnabled(step, !model_->step(step).enabled);
}

void PassesPanel::moveCurrent(int by) {
    const int step = currentStep();
    if (step < 0 || step + by < 0 || step + by >= model_->rowCount()) return;
    wanted_step_ = step + by;
    PipelineCommands(document_).move(step, step + by);
    selectStep(step + by);
}

void PassesPanel::removeCurrent() {
    if (const int step = currentStep(); step >= 0) PipelineCommands(document_).remove(step);
}

void PassesPanel::resetCurrent() {
    if (const int step = currentStep(); step >= 0) PipelineCommands(document_).resetOptions(step);
}

void PassesPanel::fillPresetMenu() {
    preset_menu_->clear();
    if (!document_.isOpen()) return;
    for (const PipelinePreset& preset : *document_.loaded().presets) {
        QStringList notes;
        for (const Problem& note : preset.notes) notes.append(shownName(QString::fromStdString(note.message)));
        QString help = QString::fromStdString(preset.help);
        if (!notes.isEmpty()) help += u'\n' + tr("Not among its steps here:") + u'\n' + notes.join(u'\n');
        QAction* action = preset_menu_->addAction(QString::fromStdString(preset.title), this, [this, preset, notes] {
            wanted_step_ = 0;
            PipelineCommands(document_).startFrom(preset);
            selectStep(0);
            for (const QString& note : notes)
                emit told(tr("%1 leaves out %2").arg(QString::fromStdString(preset.title), note));
        });
        action->setToolTip(help);
    }
}

void PassesPanel::showMenu(const QPoint& position) {
    const int step = currentStep();
    if (!document_.editable()) return;
    QMenu menu;
    if (step >= 0) {
        menu.addAction(model_->step(step).enabled ? tr("Switch off") : tr("Switch on"), this,
                       &PassesPanel::switchCurrent);
        menu.addAction(tr("Run earlier"), this, [this] { moveCurrent(-1); })->setEnabled(step > 0);
        menu.addAction(tr("Run later"), this, [this] { moveCurrent(1); })->setEnabled(step + 1 < model_->rowCount());
        menu.addAction(tr("Reset all options"), this, &PassesPanel::resetCurrent);
        menu.addAction(tr("Remove"), this, &PassesPanel::removeCurrent);
        menu.addSeparator();
    }
    menu.addAction(tr("Add a pass…"), this, &PassesPanel::chooseAndAdd);
    menu.exec(position);
}

void PassesPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool narrow = width() < narrow_width;
    columns_->setOrientation(narrow ? Qt::Vertical : Qt::Horizontal);
    placeOverlaps(width() >= wide_width && height() < low_height);
    QMetaObject::invokeMethod(
        this, [this] { steps_->scrollTo(steps_->currentIndex()); }, Qt::QueuedConnection);
}

void PassesPanel::placeOverlaps(bool beside) {
    const bool are_beside = columns_->indexOf(overlaps_) >= 0;
    if (beside == are_beside) return;
    if (beside)
        columns_->insertWidget(1, overlaps_);
    else
        pipeline_->layout()->addWidget(overlaps_);
    overlaps_->showIfAny();
}

}  // namespace overlap::ui
