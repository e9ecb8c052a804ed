#include "ui/mesh/inputs_form.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "ui/mesh/cost_models.h"
#include "ui/mesh/sharding_board.h"
#include "ui/mesh/state_editor.h"
#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

constexpr int name_width = 80;  ///< of a row's first label, beside which all fields begin
const char* const dtypes[] = {"float32", "bfloat16", "float16", "float64", "float8_e4m3fn", "float8_e5m2",
                              "int64",   "int32",    "int16",   "int8",    "uint8",         "bool"};

QComboBox* comboBox(const QString& name) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->setFocusPolicy(Qt::StrongFocus);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
    return box;
}

}  // namespace

InputsForm::InputsForm(QWidget* parent)
    : QWidget(parent),
      dtype_(comboBox(tr("Element type"))),
      costs_(comboBox(tr("Cost model"))),
      problem_(new QLabel),
      source_(new StateEditor(tr("Source"))),
      target_(new StateEditor(tr("Target"))) {
    setObjectName("meshInputs");
    for (const char* dtype : dtypes) dtype_->addItem(QString::fromLatin1(dtype));
    dtype_->setToolTip(tr("Type of the tensor's elements"));
    for (const CostModel& model : costModels()) {
        costs_->addItem(model.title, model.id);
        costs_->setItemData(costs_->count() - 1, model.help, Qt::ToolTipRole);
    }
    costs_->setToolTip(tr("What collectives cost; paths are found and compared by it"));
    problem_->setProperty("role", "refusal");
    problem_->setWordWrap(true);
    problem_->setAccessibleName(tr("What is wrong with mesh or tensor"));
    QLineEdit* mesh = textField(MeshField::mesh, tr("Mesh shape"), tr("Ranks along each mesh dimension: 2 × 4 × 8"));
    QLineEdit* names = textField(MeshField::names, tr("Names of mesh dimensions"),
                                 tr("Names of the mesh dimensions, such as dp, cp, tp; may stay empty"));
    QLineEdit* hosts = textField(MeshField::hosts, tr("Devices of a host"),
                                 tr("GPUs of one host: mesh dimensions that span more are priced as inter-host"));
    QLineEdit* tensor = textField(MeshField::tensor, tr("Tensor shape"), tr("Sizes of the whole tensor: 4096, 14336"));
    names->setPlaceholderText(tr("dp, cp, tp"));

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(6);
    layout->addWidget(row(tr("Mesh"), mesh, tr("names"), names));
    layout->addWidget(row(tr("Tensor"), tensor, QString(), dtype_));
    layout->addWidget(row(tr("Costs"), costs_, tr("per host"), hosts));
    layout->addWidget(problem_);
    layout->addSpacing(2);
    layout->addWidget(source_);
    layout->addSpacing(2);
    layout->addWidget(target_);
    layout->addStretch(1);
    connectState(source_, MeshField::source);
    connectState(target_, MeshField::target);
    connect(dtype_, &QComboBox::textActivated, this, &InputsForm::dtypeChosen);
    connect(costs_, &QComboBox::activated, this,
            [this](int index) { emit costsChosen(costs_->itemData(index).toString()); });
}

QWidget* InputsForm::row(const QString& name, QWidget* first, const QString& second_name, QWidget* second) {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(8);
    auto* label = new QLabel(name);
    label->setProperty("role", "dim");
    label->setFixedWidth(name_width);
    label->setBuddy(first);
    layout->addWidget(label);
    layout->addWidget(first, 3);
    if (!second_name.isEmpty()) {
        auto* second_label = new QLabel(second_name);
        second_label->setProperty("role", "dim");
        second_label->setBuddy(second);
        layout->addWidget(second_label);
    }
    layout->addWidget(second, 2);
    return row;
}

QLineEdit* InputsForm::textField(MeshField field, const QString& name, const QString& help) {
    auto* edit = new QLineEdit;
    edit->setAccessibleName(name);
    edit->setToolTip(help);
    edit->setMinimumWidth(44);
    fields_[static_cast<std::size_t>(field)] = edit;
    connect(edit, &QLineEdit::textEdited, this, [this, field](const QString& text) { emit typed(field, text); });
    return edit;
}

void InputsForm::connectState(StateEditor* editor, MeshField field) {
    connect(editor, &StateEditor::typed, this, [this, field](const QString& text) { emit typed(field, text); });
    connect(editor, &StateEditor::fitWanted, this, &InputsForm::fitWanted);
    ShardingBoard* board = &editor->board();
    connect(board, &ShardingBoard::edited, this,
            [this, field](const ShardingState& state, const QString& text) { emit stateEdited(field, state, text); });
    connect(board, &ShardingBoard::previewed, this,
            [this, field](const ShardingState& state) { emit statePreviewed(field, state); });
    connect(board, &ShardingBoard::previewEnded, this, &InputsForm::previewEnded);
}

QLineEdit& InputsForm::field(MeshField field) {
    if (field == MeshField::source) return source_->field();
    if (field == MeshField::target) return target_->field();
    return *fields_[static_cast<std::size_t>(field)];
}

void InputsForm::show(const MeshInputs& inputs, const MeshQuestion& question) {
    QStringList problems;
    for (const MeshField field : {MeshField::mesh, MeshField::names, MeshField::hosts, MeshField::tensor}) {
        QLineEdit& edit = this->field(field);
        // What a person is typing stays as it is typed.
        if (edit.text() != inputs.text(field)) edit.setText(inputs.text(field));
        if (const QString& problem = question.problem(field); !problem.isEmpty()) problems.append(problem);
    }
    problem_->setText(problems.join(u'\n'));
    problem_->setVisible(!problems.isEmpty());
    if (dtype_->findText(inputs.dtype) < 0) dtype_->addItem(inputs.dtype);
    dtype_->setCurrentText(inputs.dtype);
    costs_->setCurrentIndex(costs_->findData(costModel(inputs.cost_model).id));
    const DeviceMesh* mesh = question.mesh ? &*question.mesh : nullptr;
    const MeshTensor* tensor = question.tensor ? &*question.tensor : nullptr;
    const auto showState = [&](StateEditor& editor, MeshField field, const std::optional<ShardingState>& state) {
        editor.show(inputs.text(field), mesh, tensor, state ? &*state : nullptr, question.problem(field),
                    mesh && tensor);
    };
    showState(*source_, MeshField::source, question.source);
    showState(*target_, MeshField::target, question.target);
}

}  // namespace overlap::ui
