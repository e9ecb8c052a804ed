#include "ui/passes/pass_options_form.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/passes/registry/registry.h"
#include "ui/document/document.h"
#include "ui/edits/pipeline_commands.h"
#include "ui/passes/option_editor.h"
#include "ui/passes/option_help.h"
#include "ui/theme/theme.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/elided_label.h"

namespace overlap::ui {
namespace {

constexpr int mark_width = 16;  ///< the mark and a gap

QString defaultText(const PassOption& option) {
    if (option.type == PassOption::Type::module_lists) return PassOptionsForm::tr("Default: the plan's buckets.");
    if (option.required) return PassOptionsForm::tr("Must be given.");
    const OptionValue& value = option.default_value;
    const auto* flag = std::get_if<bool>(&value);
    const auto* word = std::get_if<std::string>(&value);
    const QString text = is_null(value) ? PassOptionsForm::tr("unset")
                         : flag         ? (*flag ? PassOptionsForm::tr("on") : PassOptionsForm::tr("off"))
                                        : QString::fromStdString(word ? *word : describe(value));
    return PassOptionsForm::tr("Default: %1.").arg(text);
}

QString helpText(const PassOption& option) {
    QString text = QString::fromStdString(option.help) + u' ' + defaultText(option);
    if (!option.of_reference) text += u' ' + PassOptionsForm::tr("An option of this application alone.");
    return text;
}

QLabel* smallLabel(const QString& text, const char* role) {
    auto* label = new QLabel(text);
    label->setProperty("role", role);
    label->setWordWrap(true);
    label->setFont(textFont(smallTextPx));
    label->setTextFormat(Qt::PlainText);
    return label;
}

}  // namespace

bool differsFromDefault(const PassOption& option, const Options& options) {
    const OptionValue* given = options.find(option.name);
    if (!given) return false;
    if (option.required) return option.type == PassOption::Type::module_lists;
    // Null, and for some an empty text, stand for the default of a text.
    const bool unset = option.type == PassOption::Type::text &&
                       (is_null(*given) || (option.empty_is_unset && *given == OptionValue("")));
    return !unset && !same_value(*given, option.default_value);
}

PassOptionsForm::PassOptionsForm(Document& document, QWidget* parent) : QScrollArea(parent), document_(document) {
    setObjectName("passOptions");
    setAccessibleName(tr("Options of the pass"));
    setWidgetResizable(true);
    setFrameShape(NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    connect(&document, &Document::planChanged, this, [this] { showStep(step_); });
    rebuild();
}

void PassOptionsForm::showStep(int step) {
    const int count = PipelineCommands(document_).count();
    const int shown = step < count ? step : -1;
    const Pass* pass =
        shown < 0 ? nullptr : find_pass(document_.current()->plan().pipeline[static_cast<std::size_t>(shown)].pass);
    const bool other = pass != pass_ || shown != step_ || editable_ != document_.editable();
    step_ = shown;
    pass_ = pass;
    editable_ = document_.editable();
    // Controls stay while values change, so that the one with the focus keeps it.
    other ? rebuild() : readPlan();
}

void PassOptionsForm::rebuild() {
    rows_.clear();
    auto* content = new QWidget;
    content->setObjectName("passOptionsContent");
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 8, 12, 8);
    layout->setSpacing(10);
    if (pass_) {
        layout->addWidget(smallLabel(QString::fromUtf8(pass_->summary()) + u'.', "dim"));
        for (const PassOption& option : pass_->options()) addRow(*layout, option);
        if (pass_->options().empty()) layout->addWidget(smallLabel(tr("This pass has no options."), "dim"));
    } else {
        layout->addWidget(smallLabel(
            step_ < 0 ? tr("Select a step to see its options.") : tr("This version has no pass of this name."), "dim"));
    }
    layout->addStretch();
    setWidget(content);
    readPlan();
}

void PassOptionsForm::addRow(QVBoxLayout& layout, const PassOption& option) {
    const QString name = QString::fromStdString(option.name);
    const QString help = helpText(option);
    auto row = std::make_unique<Row>();
    row->option = &option;
    row->mark = new QLabel(QStringLiteral("●"));
    row->mark->setProperty("role", "changed");
    row->mark->setFixedWidth(mark_width);
    row->mark->setToolTip(tr("Differs from the default"));
    auto* label = new ElidedLabel;  // a long name must not widen the form
    label->setText(name);
    label->setFont(codeFont(normalTextPx));
    label->setToolTip(name + QStringLiteral("\n\n") + help);
    row->editor = makeOptionEditor(option, nullptr);
    row->editor->focusProxy()->setObjectName(name);
    row->editor->focusProxy()->setAccessibleName(name);
    row->editor->focusProxy()->setAccessibleDescription(help);
    row->editor->setToolTip(help);
    setAvailable(*row->editor,
                 editable_ ? QString() : tr("The baseline is the graph as it is; choose or add a plan to edit"));
    row->reset = new QToolButton;
    row->reset->setText(QStringLiteral("↺"));
    row->reset->setAutoRaise(true);
    row->reset->setFocusPolicy(Qt::TabFocus);
    row->reset->setToolTip(tr("Return to the default"));
    row->reset->setAccessibleName(tr("Return %1 to its default").arg(name));
    // A button that comes and goes moves nothing.
    QSizePolicy keeps_room = row->reset->sizePolicy();
    keeps_room.setRetainSizeWhenHidden(true);
    row->reset->setSizePolicy(keeps_room);
    row->help = new OptionHelp(help);

    auto* heading = new QHBoxLayout;
    heading->setSpacing(0);
    heading->addWidget(row->mark);
    heading->addWidget(label, 1);
    heading->addWidget(row->reset);
    auto* lines = new QVBoxLayout;
    lines->setSpacing(3);
    lines->setContentsMargins(mark_width, 0, 0, 0);
    lines->addWidget(row->editor);
    lines->addWidget(row->help);
    auto* option_layout = new QVBoxLayout;
    option_layout->setSpacing(2);
    option_layout->addLayout(heading);
    option_layout->addLayout(lines);
    layout.addLayout(option_layout);

    const Row& made = *rows_.emplace_back(std::move(row));
    connect(made.editor, &OptionEditor::edited, this, [this, &made](const OptionValue& value) { change(made, value); });
    connect(made.editor, &OptionEditor::emptied, this, [this, &made] { change(made, std::nullopt); });
    connect(made.editor, &OptionEditor::mistyped, made.help, &OptionHelp::setRefusal);
    connect(made.reset, &QToolButton::clicked, this, [this, &made] { change(made, std::nullopt); });
}

void PassOptionsForm::change(const Row& row, std::optional<OptionValue> value) {
    const QString reason =
        PipelineCommands(document_).setOption(step_, QString::fromStdString(row.option->name), std::move(value));
    row.help->setRefusal(reason);
}

void PassOptionsForm::readPlan() {
    if (step_ < 0 || !document_.isOpen()) return;
    const Plan& plan = document_.current()->plan();
    const PassStep& step = plan.pipeline[static_cast<std::size_t>(step_)];
    // What the step does not say, the plan's memory section does, which the panel Memory shows.
    Options options = plan.memory ? memory_options(*plan.memory, step.pass) : Options();
    options.update(step.options);
    for (const auto& row : rows_) {
        const PassOption& option = *row->option;
        const OptionValue* given = options.find(option.name);
        row->editor->showValue(given ? *given : option.default_value);
        row->help->setRefusal({});
        const bool differs = differsFromDefault(option, options);
        row->mark->setText(differs ? QStringLiteral("●") : QString());
        row->reset->setVisible(differs && editable_);
    }
}

const PassOptionsForm::Row* PassOptionsForm::row(const QString& option) const {
    for (const auto& row : rows_)
        if (row->option->name == option.toStdString()) return row.get();
    return nullptr;
}

OptionEditor* PassOptionsForm::editor(const QString& option) const {
    const Row* found = row(option);
    return found ? found->editor : nullptr;
}

QToolButton* PassOptionsForm::resetButton(const QString& option) const {
    const Row* found = row(option);
    return found ? found->reset : nullptr;
}

QString PassOptionsForm::refusal(const QString& option) const {
    const Row* found = row(option);
    return found ? found->help->refusal() : QString();
}

}  // namespace overlap::ui
