#include "ui/mesh/inputs_form.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

#include "ui/mesh/sharding_board.h"
#include "ui/mesh/state_editor.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/elided_label.h"

namespace overlap::ui {
namespace {

constexpr int hosts_width = 44;
constexpr int name_width = 64;  ///< of a row's first label, beside which all fields begin
const char* const dtypes[] = {"float32", "bfloat16", "float16", "float64", "float8_e4m3fn", "float8_e5m2",
                              "int64",   "int32",    "int16",   "int8",    "uint8",         "bool"};

QComboBox* comboBox(const QString& name) {
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    box->view()->setAccessibleName(name);
    box->setFocusPolicy(Qt::StrongFocus);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(6);
    return box;
}

}  // namespace

InputsForm::InputsForm(QWidget* parent)
    : QWidget(parent),
      dtype_(comboBox(tr("Element type"))),
      hosts_(new QWidget),
      problem_(new QLabel),
      source_(new StateEditor(tr("Source"))),
      target_(new StateEditor(tr("Target"))) {
    setObjectName("meshInputs");
    for (const char* dtype : dtypes) dtype_->addItem(QString::fromLatin1(dtype));
    dtype_->setToolTip(tr("Type of the tensor's elements"));
    problem_->setProperty("role", "refusal");
    problem_->setWordWrap(true);
    problem_->setAccessibleName(tr("What is wrong with mesh or tensor"));
    QLineEdit* mesh = textField(MeshField::mesh, tr("Mesh shape"), tr("Ranks along each mesh dimension: 2 × 4 × 8"));
    QLineEdit* names = textField(MeshField::names, tr("Names of mesh dimensions"),
                                 tr("Names of the mesh dimensions, such as dp, cp, tp; may stay empty"));
    QLineEdit* hosts = textField(MeshField::hosts, tr("Devices of a host"),
                                 tr("GPUs of one host: mesh dimensions that span more are priced as inter-host"));
    QLineEdit* tensor = textField(MeshField::tensor, tr("Tensor shape"), tr("Sizes of the whole tensor: 4096, 14336"));
    names->setPlaceholderText(tr("names: dp, tp"));
    hosts->setFixedWidth(hosts_width);
    auto* hosts_layout = new QHBoxLayout(hosts_);
    auto* a_host = new ElidedLabel;
    a_host->setText(tr("devices a host"));
    a_host->setToolTip(hosts->toolTip());
    a_host->setAlignment(Qt::AlignRight | Qt::AlignVCenter);  // at its field, however wide the bar is
    a_host->setProperty("role", "dim");
    a_host->setBuddy(hosts);
    hosts_layout->setContentsMargins(0, 0, 0, 0);
    hosts_layout->setSpacing(4);
    hosts_layout->addWidget(a_host, 1);
    hosts_layout->addWidget(hosts);

    above_hosts_ = row(tr("Tensor"), {tensor, dtype_});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(4);
    layout->addWidget(row(tr("Mesh"), {mesh, names}));
    layout->addWidget(above_hosts_);
    layout->addSpacing(2);
    layout->addWidget(source_);
    layout->addSpacing(2);
    layout->addWidget(target_);
    // Below all fields: a click at the place of one must not reach another.
    for (QLabel* problem : {problem_, &source_->problem(), &target_->problem()}) layout->addWidget(problem);
    layout->addStretch(1);
    connectState(source_, MeshField::source);
    connectState(target_, MeshField::target);
    connect(dtype_, &QComboBox::textActivated, this, &InputsForm::dtypeChosen);
}

void InputsForm::showHosts() {
    auto* rows = static_cast<QVBoxLayout*>(layout());
    rows->insertWidget(rows->indexOf(above_hosts_) + 1, hosts_);
}

QWidget* InputsForm::row(const QString& name, const std::vector<QWidget*>& fields) {
    auto* row = new QWidget;
    auto* layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    auto* label = new QLabel(name);
    label->setProperty("role", "dim");
    label->setFixedWidth(name_width);
    label->setBuddy(fields.front());
    layout->addWidget(label);
    for (QWidget* field : fields) layout->addWidget(field, 1);
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
        // What the user is typing stays as it is typed.
        if (edit.text() != inputs.text(field)) {
            edit.setText(inputs.text(field));
            edit.setCursorPosition(0);  // of a long text the beginning is seen
        }
        if (const QString& problem = question.problem(field); !problem.isEmpty()) problems.append(problem);
    }
    problem_->setText(shownLines(problems.join(u'\n')));
    problem_->setVisible(!problems.isEmpty());
    if (dtype_->findText(inputs.dtype) < 0) dtype_->addItem(inputs.dtype);
    dtype_->setCurrentText(inputs.dtype);
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
