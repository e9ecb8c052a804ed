#include "ui/run/run_form.h"

#include <QAbstractItemView>
#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QStandardItemModel>

namespace overlap::ui {
namespace {

using Where = RunSettings::Where;

QSpinBox* numberField(int least, int most, const QString& help) {
    auto* field = new QSpinBox;
    field->setRange(least, most);
    field->setToolTip(help);
    return field;
}

QLineEdit* textField(const QString& example, const QString& help) {
    auto* field = new QLineEdit;
    field->setPlaceholderText(example);
    field->setToolTip(help);
    return field;
}

}  // namespace

RunForm::RunForm(QWidget* parent)
    : QWidget(parent),
      where_(new QComboBox),
      ranks_(numberField(1, RunSettings::most_ranks,
                         tr("Processes of the run, each with a GPU. Groups that are larger than this are emulated"))),
      warm_up_(numberField(0, RunSettings::most_steps, tr("Steps before those that count"))),
      iterations_(numberField(1, RunSettings::most_steps, tr("Steps that count"))),
      recorded_steps_(numberField(0, RunSettings::most_recorded_steps,
                                  tr("Steps of the pass in which every kernel is recorded; on GPUs only"))),
      hosts_(textField(tr("node1, node2:8 or /path/of/hostfile"),
                       tr("Names of machines as mpirun takes them, or the path of a host file"))),
      folder_(textField(tr("/shared/folder"), tr("A folder that all machines see under this path: graph, plan and "
                                                 "result lie there during the run"))),
      cuda_graph_(new QCheckBox(tr("as a CUDA graph"))),
      as_compiled_(new QCheckBox(tr("as the job compiles"))) {
    where_->addItem(tr("This machine"), static_cast<int>(Where::this_machine));
    where_->addItem(tr("Hosts, by mpirun"), static_cast<int>(Where::hosts));
    where_->addItem(tr("SLURM, by srun"), static_cast<int>(Where::slurm));
    cuda_graph_->setToolTip(tr("Capture a step once and launch it as a whole; on GPUs only"));
    as_compiled_->setToolTip(
        tr("Where figures are of a compiled job (Plan ▸ Times): what its compiler fuses is one launch. Else each "
           "operator is a kernel of its own"));
    auto* layout = new QFormLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setHorizontalSpacing(12);
    layout->setVerticalSpacing(4);
    const auto add = [&](const QString& label, QWidget* field) {
        layout->addRow(label, field);
        field->setAccessibleName(label);
    };
    add(tr("Where"), where_);
    where_->view()->setAccessibleName(tr("Where a run is done"));
    add(tr("Ranks"), ranks_);
    add(tr("Hosts"), hosts_);
    add(tr("Folder"), folder_);
    add(tr("Steps"), iterations_);
    add(tr("Warm-up"), warm_up_);
    add(tr("Recorded"), recorded_steps_);
    add(tr("Launched"), cuda_graph_);
    add(tr("Kernels"), as_compiled_);
    setSettings({});
    connect(where_, &QComboBox::currentIndexChanged, this, &RunForm::update);
    for (QSpinBox* field : {ranks_, warm_up_, iterations_, recorded_steps_})
        connect(field, &QSpinBox::valueChanged, this, &RunForm::changed);
    for (QLineEdit* field : {hosts_, folder_}) connect(field, &QLineEdit::textChanged, this, &RunForm::changed);
    for (QCheckBox* field : {cuda_graph_, as_compiled_}) connect(field, &QCheckBox::toggled, this, &RunForm::changed);
    update();
}

RunSettings RunForm::settings() const {
    RunSettings settings;
    settings.where = static_cast<Where>(where_->currentData().toInt());
    settings.ranks = ranks_->value();
    settings.hosts = hosts_->text();
    settings.folder = folder_->text();
    settings.warm_up = warm_up_->value();
    settings.iterations = iterations_->value();
    settings.cuda_graph = cuda_graph_->isChecked();
    settings.as_compiled = as_compiled_->isChecked();
    settings.recorded_steps = recorded_steps_->value();
    return settings;
}

void RunForm::setSettings(const RunSettings& settings) {
    where_->setCurrentIndex(where_->findData(static_cast<int>(settings.where)));
    ranks_->setValue(settings.ranks);
    hosts_->setText(settings.hosts);
    folder_->setText(settings.folder);
    warm_up_->setValue(settings.warm_up);
    iterations_->setValue(settings.iterations);
    cuda_graph_->setChecked(settings.cuda_graph);
    as_compiled_->setChecked(settings.as_compiled);
    recorded_steps_->setValue(settings.recorded_steps);
}

void RunForm::setEnvironment(const RunEnvironment& environment) {
    auto* choices = qobject_cast<QStandardItemModel*>(where_->model());
    const auto offer = [&](Where where, const QString& program) {
        QStandardItem* item = choices->item(where_->findData(static_cast<int>(where)));
        const bool found = !program.isEmpty();
        item->setEnabled(found);
        item->setToolTip(found ? program : tr("Not installed on this machine"));
    };
    offer(Where::hosts, environment.mpirun);
    offer(Where::slurm, environment.srun);
}

void RunForm::update() {
    const auto where = static_cast<Where>(where_->currentData().toInt());
    auto* layout = static_cast<QFormLayout*>(this->layout());
    layout->setRowVisible(hosts_, where == Where::hosts);
    layout->setRowVisible(folder_, where != Where::this_machine);
    emit changed();
}

}  // namespace overlap::ui
