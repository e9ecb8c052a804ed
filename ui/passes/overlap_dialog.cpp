#include "ui/passes/overlap_dialog.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStringListModel>

#include "ui/document/document.h"
#include "ui/edits/overlap_commands.h"
#include "ui/plan/module_paths.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int most_names = 8;  ///< in the list that completes a field
constexpr int widest_px = 560;

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

/// What can be named in a directive: calls, in alphabetical order. Fewer when `stop` was requested.
QStringList nodeNames(const Graph& graph, const std::stop_token& stop) {
    QStringList names;
    for (NodeId node = 0; node < graph.node_count() && !stop.stop_requested(); ++node)
        if (graph.op(node) == NodeOp::call_function) names.append(text(graph.name(node)));
    names.sort(Qt::CaseInsensitive);
    return names;
}

/// What begins with the letters that are typed: of names in order they are found at once, also in a large graph.
void complete(QLineEdit& field, QAbstractItemModel* names) {
    auto* completer = new QCompleter(names, &field);
    completer->setCaseSensitivity(Qt::CaseInsensitive);
    completer->setModelSorting(QCompleter::CaseInsensitivelySortedModel);
    completer->setMaxVisibleItems(most_names);
    completer->popup()->setObjectName("completions");
    field.setCompleter(completer);
}

}  // namespace

OverlapDialog::OverlapDialog(Document& document, std::unique_ptr<DraggedOverlap> overlap, Field first, QWidget* parent)
    : QDialog(parent),
      document_(document),
      overlap_(std::move(overlap)),
      effect_(new QLabel),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
    const OverlapPreview& preview = overlap_->preview();
    // What several have already may differ: their fields begin empty.
    const OverlapDirective present = preview.count() == 1 ? preview.directive() : OverlapDirective();
    QStringList collectives;
    for (std::size_t index = 0; index < preview.count(); ++index)
        collectives.append(text(preview.evaluation().graph->name(preview.start(index))));
    setWindowTitle(collectives.size() == 1 ? tr("Overlap of %1").arg(shownName(collectives.front()))
                                           : tr("Overlap of %1 collectives").arg(collectives.size()));
    setObjectName("overlapDialog");
    auto* form = new QFormLayout(this);
    const std::array<QString, 4> labels = {tr("Start &after"), tr("Start &before"), tr("&Wait after"),
                                           tr("&Hide behind module")};
    const std::array<std::string, 4> values = {present.start_after, present.start_before, present.wait_after,
                                               present.hide_behind};
    // Above the fields, where no list of names covers it.
    effect_->setWordWrap(true);
    effect_->setTextFormat(Qt::PlainText);
    effect_->setAccessibleName(tr("Effect"));
    effect_->setMinimumHeight(4 * QFontMetrics(textFont()).lineSpacing());
    effect_->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    form->addRow(effect_);
    // A large graph has more names than can be copied within a frame.
    auto* nodes = new QStringListModel(this);
    auto* modules = new ModulePaths(this);
    modules->setModules(document.sharedModules());
    naming_.start([nodes, graph = preview.evaluation().graph](const std::stop_token& stop) -> LatestTask::Delivery {
        return [nodes, names = nodeNames(*graph, stop)] { nodes->setStringList(names); };
    });
    for (std::size_t index = 0; index < fields_.size(); ++index) {
        fields_[index] = new QLineEdit(QString::fromStdString(values[index]));
        fields_[index]->setClearButtonEnabled(true);
        fields_[index]->setPlaceholderText(preview.count() == 1 ? tr("left open") : tr("as each has it"));
        fields_[index]->setAccessibleName(QString(labels[index]).remove(u'&'));
        const bool of_module = index == static_cast<std::size_t>(Field::hide_behind);
        complete(*fields_[index], of_module ? static_cast<QAbstractItemModel*>(modules) : nodes);
        form->addRow(labels[index], fields_[index]);
        connect(fields_[index], &QLineEdit::textChanged, this, &OverlapDialog::showEffect);
    }
    form->addRow(buttons_);
    if (std::ranges::any_of(collectives, [&](const QString& each) { return OverlapCommands(document).has(each); })) {
        QPushButton* remove = buttons_->addButton(tr("&Remove overlap"), QDialogButtonBox::DestructiveRole);
        connect(remove, &QPushButton::clicked, this, [this, collectives] {
            OverlapCommands(document_).removeOf(collectives);
            reject();
        });
    }
    connect(buttons_, &QDialogButtonBox::accepted, this, &OverlapDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &OverlapDialog::reject);
    resize(widest_px, sizeHint().height());
    field(first).setFocus();
    showEffect();
}

OverlapDirective OverlapDialog::directive() const {
    OverlapDirective directive = overlap_->preview().directive();
    const auto typed = [this](Field field) {
        return fields_[static_cast<std::size_t>(field)]->text().trimmed().toStdString();
    };
    directive.start_after = typed(Field::start_after);
    directive.start_before = typed(Field::start_before);
    directive.wait_after = typed(Field::wait_after);
    directive.hide_behind = typed(Field::hide_behind);
    return directive;
}

QString OverlapDialog::effectText() const {
    return effect_->text();
}

void OverlapDialog::showEffect() {
    const DraggedOverlap::Answer& answer = overlap_->answer(overlap_->of(directive()));
    const bool asks =
        std::ranges::any_of(fields_, [](const QLineEdit* field) { return !field->text().trimmed().isEmpty(); });
    const bool holds = asks && answer.refusal.isEmpty();
    effect_->setText(!asks   ? tr("Fill in one of the fields: what it would change is shown here")
                     : holds ? shownLines(answer.effects.join(u'\n'))
                             : shownName(answer.refusal));
    if (holds && !answer.left.isEmpty()) effect_->setText(effect_->text() + u'\n' + shownName(answer.left));
    QPalette palette = effect_->palette();
    palette.setColor(QPalette::WindowText,
                     currentTheme().asText(holds || !asks ? currentTheme().text : currentTheme().exposed));
    effect_->setPalette(palette);
    buttons_->button(QDialogButtonBox::Ok)->setEnabled(holds);
}

void OverlapDialog::accept() {
    if (overlap_->apply(overlap_->of(directive())).isEmpty()) QDialog::accept();
}

}  // namespace overlap::ui
