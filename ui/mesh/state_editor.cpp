#include "ui/mesh/state_editor.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/mesh/sharding_text.h"
#include "ui/mesh/sharding_board.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme.h"

namespace overlap::ui {

StateEditor::StateEditor(const QString& title, QWidget* parent)
    : QWidget(parent),
      title_(title),
      field_(new QLineEdit),
      other_(new QLabel),
      problem_(new QLabel(this)),
      fit_(new QToolButton),
      board_(new ShardingBoard) {
    auto* heading = new QLabel(title);
    heading->setProperty("role", "heading");
    heading->setBuddy(field_);
    field_->setFont(codeFont(normalTextPx));
    field_->setMinimumWidth(80);
    field_->setAccessibleName(tr("%1, as text").arg(title));
    field_->setToolTip(
        tr("By mesh dimensions, as PyTorch prints it: S(0)[1]S(0)[0]R. Or by tensor dimensions: S(0)[2,0]R[1]."));
    board_->setAccessibleName(tr("%1, mesh dimensions by what they do").arg(title));
    board_->setObjectName(title);
    other_->setProperty("role", "faint");
    other_->setFont(codeFont(smallTextPx));
    other_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    other_->setToolTip(tr("The same in the other notation"));
    problem_->setProperty("role", "refusal");
    problem_->setWordWrap(true);
    problem_->setAccessibleName(tr("%1, what is wrong").arg(title));
    fit_->setText(tr("Fit"));
    fit_->setToolTip(tr("Make the state fit mesh and tensor: new mesh dimensions replicate, others stay as they are"));
    auto* line = new QHBoxLayout;
    line->setSpacing(4);
    line->addWidget(heading);
    line->addWidget(field_, 1);
    line->addWidget(fit_);
    heading->setFixedWidth(64);
    fit_->setMaximumHeight(field_->sizeHint().height());  // the line is no higher with it
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(line);
    auto* below = new QHBoxLayout;
    below->setContentsMargins(80, 0, 0, 0);
    below->addWidget(other_, 1);
    layout->addLayout(below);
    layout->addWidget(board_);
    connect(field_, &QLineEdit::textEdited, this, &StateEditor::typed);
    connect(fit_, &QToolButton::clicked, this, &StateEditor::fitWanted);
}

void StateEditor::show(const QString& text, const DeviceMesh* mesh, const MeshTensor* tensor,
                       const ShardingState* state, const QString& problem, bool fits) {
    if (field_->text() != text) {
        field_->setText(text);
        field_->setCursorPosition(0);  // of a long text the beginning is seen
    }
    problem_->setText(problem.isEmpty() ? QString() : shownLines(tr("%1: %2").arg(title_, problem)));
    problem_->setVisible(!problem.isEmpty());
    fit_->setVisible(!problem.isEmpty() && fits);
    if (!state) {
        other_->setText(QStringLiteral(" "));  // as high as with a text
        return board_->clear();
    }
    const QString by_mesh = QString::fromStdString(to_text(*state));
    const QString by_tensor = QString::fromStdString(to_tensor_centric_text(*state));
    other_->setText(text.trimmed() == by_tensor ? by_mesh : by_tensor);
    board_->show(*mesh, *tensor, *state);
}

}  // namespace overlap::ui
