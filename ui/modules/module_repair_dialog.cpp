#include "ui/modules/module_repair_dialog.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include "ui/document/document.h"
#include "ui/edits/module_commands.h"
#include "ui/modules/module_rule_form.h"
#include "ui/modules/module_rules_model.h"
#include "ui/theme/counted_text.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

using Kind = ModuleRule::Kind;

constexpr QSize wanted_size(860, 560);
/// Nodes of a rule that are listed: enough to see what it takes.
constexpr int examples_shown = 200;

QString text(std::string_view view) {
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

/// The module that a node has in a graph, by whichever way it is stored there.
QString moduleOf(const Graph& graph, NodeId node) {
    const NodeMetadata& metadata = graph.metadata(node);
    if (metadata.module_fqn != empty_string) return text(graph.text(metadata.module_fqn));
    const auto stack =
        graph.module_stack(metadata.module_stack != 0 ? metadata.module_stack : metadata.fwd_module_stack);
    return stack.empty() ? QString() : text(graph.text(stack.back().path));
}

QString effectText(const ModuleCommands::Effect& effect) {
    if (effect.without_before == 0) return ModuleRepairDialog::tr("Every call of the graph has a module");
    return ModuleRepairDialog::tr("%1 of %2 calls without a module get one; %3 stay without")
        .arg(formatCount(effect.without_before - effect.without_after), formatCount(effect.without_before),
             formatCount(effect.without_after));
}

QString repairedNodes(std::integral auto nodes) {
    return countedText(nodes, ModuleRepairDialog::tr("%1 node"), ModuleRepairDialog::tr("%1 nodes"));
}

QToolButton* flatButton(const QString& title, const QString& help) {
    auto* button = new QToolButton;
    button->setText(title);
    button->setAccessibleName(help);
    button->setToolTip(help);
    button->setAutoRaise(true);
    return button;
}

}  // namespace

ModuleRepairDialog::ModuleRepairDialog(Document& document, QWidget* parent)
    : QDialog(parent),
      document_(document),
      model_(new ModuleRulesModel(document.graph(), this)),
      table_(new QTreeView),
      proposals_(new QMenu(this)),
      form_(new ModuleRuleForm),
      examples_title_(new QLabel),
      examples_(new QListWidget),
      summary_(new QLabel),
      buttons_(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel)) {
    setObjectName("moduleRepairDialog");
    setWindowTitle(tr("Repair modules"));
    setAttribute(Qt::WA_DeleteOnClose);
    auto* layout = new QVBoxLayout(this);
    auto* explanation = new QLabel(
        tr("Nodes without a module cannot be bucketed by name. Rules give them one, in this order: the first that fits "
           "a node counts. They are kept in the plan."));
    explanation->setWordWrap(true);
    layout->addWidget(explanation);
    makeTable();
    auto* rules = new QWidget;
    auto* rules_layout = new QVBoxLayout(rules);
    rules_layout->setContentsMargins(0, 0, 0, 0);
    rules_layout->addWidget(table_, 1);
    rules_layout->addWidget(makeButtons());
    auto* splitter = new QSplitter(Qt::Horizontal);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(rules);
    splitter->addWidget(makeDetails());
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    layout->addWidget(splitter, 1);
    summary_->setWordWrap(true);
    summary_->setAccessibleName(tr("What the rules give"));
    layout->addWidget(summary_);
    layout->addWidget(buttons_);
    // The role of Apply has its place behind Cancel; it accepts, as the first button of all dialogs does.
    buttons_->button(QDialogButtonBox::Ok)->setText(tr("&Apply"));
    buttons_->button(QDialogButtonBox::Ok)->setDefault(true);
    connect(buttons_, &QDialogButtonBox::accepted, this, &ModuleRepairDialog::accept);
    connect(buttons_, &QDialogButtonBox::rejected, this, &ModuleRepairDialog::reject);
    connect(model_, &ModuleRulesModel::rulesChanged, this, &ModuleRepairDialog::showPreview);
    connect(model_, &ModuleRulesModel::previewed, this, &ModuleRepairDialog::showPreview);
    connect(&document, &Document::graphAboutToChange, this, &QDialog::reject);
    resize(wanted_size.boundedTo(parent ? parent->window()->size() : wanted_size));
    model_->setRules(ModuleCommands(document).rules());
    table_->setCurrentIndex(model_->index(0, 0));
    showRule();
    propose();
}

void ModuleRepairDialog::makeTable() {
    table_->setObjectName("moduleRules");
    table_->setAccessibleName(tr("Rules"));
    table_->setModel(model_);
    table_->setRootIsDecorated(false);
    table_->setUniformRowHeights(true);
    table_->setAllColumnsShowFocus(true);
    table_->setTextElideMode(Qt::ElideMiddle);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
    QHeaderView& header = *table_->header();
    header.setStretchLastSection(false);
    header.setSectionsMovable(false);
    header.setSectionResizeMode(ModuleRulesModel::which_column, QHeaderView::Stretch);
    header.setSectionResizeMode(ModuleRulesModel::module_column, QHeaderView::Stretch);
    header.setSectionResizeMode(ModuleRulesModel::nodes_column, QHeaderView::ResizeToContents);
    connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ModuleRepairDialog::showRule);
    connect(model_, &QAbstractItemModel::dataChanged, this, &ModuleRepairDialog::showRule);
}

QWidget* ModuleRepairDialog::makeButtons() {
    auto* buttons = new QWidget;
    auto* layout = new QHBoxLayout(buttons);
    layout->setContentsMargins(0, 0, 0, 0);
    QToolButton* add_button = flatButton(tr("Add ▾"), tr("Add a rule behind the selected one"));
    add_button->setPopupMode(QToolButton::InstantPopup);
    auto* kinds = new QMenu(add_button);
    proposals_->setTitle(tr("P&roposed"));
    kinds->addMenu(proposals_);
    kinds->addSeparator();
    const auto offer = [&](const QString& title, Kind kind) {
        kinds->addAction(title, this, [this, kind] { addOfKind(kind); });
    };
    offer(tr("By &parameter names"), Kind::parameters);
    offer(tr("By &file and lines"), Kind::source);
    offer(tr("By &repetition"), Kind::repetition);
    offer(tr("The &selected node"), Kind::nodes);
    offer(tr("Nodes &between others"), Kind::neighbours);
    add_button->setMenu(kinds);
    layout->addWidget(add_button);
    const auto action = [&](const QString& title, const QString& help, auto run) {
        QToolButton* button = flatButton(title, help);
        connect(button, &QToolButton::clicked, this, run);
        layout->addWidget(button);
    };
    action(tr("Remove"), tr("Remove the selected rule"), [this] {
        if (current() >= 0) model_->remove(current());
        showRule();
    });
    action(QStringLiteral("↑"), tr("Apply the selected rule earlier"), [this] { model_->move(current(), -1); });
    action(QStringLiteral("↓"), tr("Apply the selected rule later"), [this] { model_->move(current(), 1); });
    layout->addStretch();
    return buttons;
}

QWidget* ModuleRepairDialog::makeDetails() {
    auto* details = new QWidget;
    auto* layout = new QVBoxLayout(details);
    layout->setContentsMargins(8, 0, 0, 0);
    layout->addWidget(form_);
    examples_title_->setWordWrap(true);
    layout->addWidget(examples_title_);
    examples_->setObjectName("moduleExamples");
    examples_->setAccessibleName(tr("Nodes that the rule gives a module"));
    examples_->setUniformItemSizes(true);
    layout->addWidget(examples_, 1);
    connect(form_, &ModuleRuleForm::edited, this, [this](const ModuleRule& rule) {
        if (current() >= 0) model_->setRule(current(), rule);
    });
    connect(examples_, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        document_.selection().selectNode(item->data(Qt::UserRole).toString());
    });
    return details;
}

void ModuleRepairDialog::propose() {
    task_.start([this, graph = document_.graph()](std::stop_token stop) -> LatestTask::Delivery {
        return [this, proposals = propose_module_rules(graph, stop)] { take(proposals); };
    });
}

void ModuleRepairDialog::take(const std::vector<ModuleProposal>& proposals) {
    for (const ModuleProposal& proposal : proposals) {
        const QString title =
            QStringLiteral("%1  (%2)")
                .arg(shownInMenu(QString::fromStdString(describe(proposal.rule))), repairedNodes(proposal.nodes));
        proposals_->addAction(title, this, [this, rule = proposal.rule] { add(rule); })
            ->setToolTip(shownLines(QString::fromStdString(proposal.reason)));
    }
    nothing_proposed_ = proposals.empty();
    proposals_->setEnabled(!proposals.empty());
    if (nothing_proposed_) showPreview();
    if (model_->rules().empty()) {
        model_->setRules(recommended_rules(proposals));
        table_->setCurrentIndex(model_->index(0, 0));
    }
}

void ModuleRepairDialog::add(ModuleRule rule) {
    const int row = current() + 1;
    model_->insert(row, std::move(rule));
    table_->setCurrentIndex(model_->index(row, 0));
    if (auto* first = form_->findChild<QLineEdit*>()) first->setFocus();
}

void ModuleRepairDialog::addOfKind(Kind kind) {
    const Selection& selection = document_.selection();
    const std::string selected =
        selection.kind() == Selection::Kind::node ? selection.node().toStdString() : std::string();
    ModuleRule rule;
    rule.kind = kind;
    if (kind == Kind::repetition) {
        rule.first = rule.last = selected;
        rule.count = 1;
        rule.module = "layers.{n}";
    }
    if (kind == Kind::nodes && !selected.empty()) rule.nodes = {selected};
    add(std::move(rule));
}

void ModuleRepairDialog::giveByHand(const QStringList& nodes) {
    ModuleRule rule;
    rule.kind = Kind::nodes;
    for (const QString& node : nodes) rule.nodes.push_back(node.toStdString());
    table_->setCurrentIndex({});  // by hand comes first: it is what the user means
    add(std::move(rule));
    const auto fields = form_->findChildren<QLineEdit*>();
    if (!fields.isEmpty()) fields.back()->setFocus();
}

int ModuleRepairDialog::current() const {
    return table_->currentIndex().isValid() ? table_->currentIndex().row() : -1;
}

void ModuleRepairDialog::showRule() {
    const int row = current();
    form_->show(row >= 0 ? &model_->rules()[static_cast<std::size_t>(row)] : nullptr);
    showPreview();
}

void ModuleRepairDialog::showPreview() {
    const QString error = model_->error();
    const auto& repaired = model_->repaired();
    const bool known = repaired && repaired->outcomes.size() == model_->rules().size();
    buttons_->button(QDialogButtonBox::Ok)->setEnabled(error.isEmpty() && document_.editable());
    const bool empty = nothing_proposed_ && model_->rules().empty();
    summary_->setText(!error.isEmpty() ? shownLines(error)
                      : empty          ? tr("The graph proposes no rule: nodes without a module have neither names of "
                                                     "parameters nor lines of source around them, and no sequence of them "
                                                     "repeats. Add a rule by hand: names of nodes, or from which to which node a "
                                                     "repetition goes.")
                      : known          ? effectText(ModuleCommands(document_).effect(*repaired))
                                       : tr("…"));
    QPalette palette = summary_->palette();
    palette.setColor(QPalette::WindowText,
                     currentTheme().asText(error.isEmpty() ? currentTheme().text : currentTheme().caution));
    summary_->setPalette(palette);
    examples_->clear();
    const int row = current();
    examples_title_->setVisible(row >= 0);
    if (row < 0 || !known) return;
    const QString trouble = model_->index(row, 0).data(ModuleRulesModel::trouble_role).toString();
    const std::uint32_t nodes = repaired->outcomes[static_cast<std::size_t>(row)].nodes;
    const QString count = nodes > examples_shown
                              ? tr("The first %1 of %2 nodes").arg(examples_shown).arg(formatCount(nodes))
                              : repairedNodes(nodes);
    examples_title_->setText(trouble.isEmpty() ? count : count + QStringLiteral(" · ") + shownName(trouble));
    for (NodeId node = 0; node < repaired->rule_of_node.size() && examples_->count() < examples_shown; ++node) {
        if (repaired->rule_of_node[node] != row) continue;
        const QString name = text(repaired->graph->name(node));
        auto* item = new QListWidgetItem(
            QStringLiteral("%1  →  %2").arg(shownName(name), shownName(moduleOf(*repaired->graph, node))), examples_);
        item->setData(Qt::UserRole, name);
    }
}

QString ModuleRepairDialog::summary() const {
    return summary_->text();
}

void ModuleRepairDialog::accept() {
    if (!model_->error().isEmpty() || !document_.editable()) return;
    ModuleCommands(document_).setRules(model_->rules());
    QDialog::accept();
}

}  // namespace overlap::ui
