#include "ui/modules/modules_panel.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "ui/document/document.h"
#include "ui/document/module_mime.h"
#include "ui/document/selected_nodes.h"
#include "ui/edits/bucket_commands.h"
#include "ui/modules/module_tree_model.h"
#include "ui/theme/harmless_text.h"
#include "ui/widgets/search_field.h"

namespace overlap::ui {

ModulesPanel::ModulesPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new ModuleTreeModel(document, this)),
      search_(new QLineEdit),
      search_count_(new QLabel),
      tree_(new ModuleTreeView(document, *model_, this)) {
    search_->setPlaceholderText(tr("Search modules, classes, buckets…"));
    search_->setAccessibleName(tr("Search modules"));
    search_->setClearButtonEnabled(true);
    makeSearchField(*search_);
    search_count_->setProperty("role", "faint");
    search_count_->hide();
    auto* search_row = new QHBoxLayout;
    search_row->setContentsMargins(8, 8, 8, 8);
    search_row->setSpacing(8);
    search_row->addWidget(search_);
    search_row->addWidget(search_count_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(search_row);
    layout->addWidget(tree_);

    connect(search_, &QLineEdit::textChanged, this, [this](const QString& text) {
        model_->setSearch(text);
        search_position_ = -1;
        if (!text.trimmed().isEmpty()) stepSearch(1);
        search_count_->setText(tr("%1 found").arg(model_->found().size()));
        search_count_->setHidden(text.trimmed().isEmpty());
    });
    search_->installEventFilter(this);

    connect(tree_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &ModulesPanel::selectFromTree);
    connect(tree_, &QTreeView::clicked, this, &ModulesPanel::selectFromTree);
    connect(tree_, &ModuleTreeView::moduleMenuWanted, this, &ModulesPanel::showModuleMenu);
    connect(tree_, &ModuleTreeView::refused, this, &ModulesPanel::refused);
    connect(&document.selection(), &Selection::changed, this, &ModulesPanel::showSelection);
    // An edit may give the selected bucket other modules.
    connect(&document, &Document::planChanged, this, [this] {
        if (document_.selection().kind() == Selection::Kind::bucket) showSelection();
    });
    connect(model_, &QAbstractItemModel::modelReset, this, &ModulesPanel::expandFirstLevels);
    connect(&document, &Document::graphChanged, this, &ModulesPanel::beginAtTop);
    expandFirstLevels();
}

bool ModulesPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            stepSearch(key->modifiers().testFlag(Qt::ShiftModifier) ? -1 : 1);
            return true;
        case Qt::Key_Down:
            tree_->setFocus();
            return true;
        case Qt::Key_Escape:
            search_->clear();
            tree_->setFocus();
            return true;
        default:
            return QWidget::eventFilter(watched, event);
    }
}

bool ModulesPanel::busy() const {
    return model_->busy();
}

void ModulesPanel::expandFirstLevels() {
    const QModelIndex root = model_->index(0, 0);
    tree_->expand(root);
    for (int row = 0; row < model_->rowCount(root); ++row) {
        const QModelIndex child = model_->index(row, 0, root);
        if (model_->rowCount(child) > 4) tree_->expand(child);  // the list of layers
    }
}

/// Another graph; one that was read again stays where it is.
void ModulesPanel::beginAtTop() {
    if (const QString before = std::exchange(graph_, document_.loaded().path); graph_ != before) tree_->scrollToTop();
}

void ModulesPanel::selectFromTree() {
    if (following_ || !document_.isOpen()) return;
    const QScopedValueRollback guard(following_, true);
    opened_.clear();  // who works here keeps what is open
    Selection& selection = document_.selection();
    const QModelIndex current = tree_->currentIndex().siblingAtColumn(0);
    const bool is_chosen = tree_->selectionModel()->isSelected(current);
    if (is_chosen && current.data(ModuleTreeModel::kind_role).toInt() == ModuleTreeModel::node_kind)
        return selection.selectNode(current.data(ModuleTreeModel::node_role).toString());
    QStringList modules;
    const QModelIndexList rows = tree_->selectionModel()->selectedRows(ModuleTreeModel::name_column);
    for (const QModelIndex& row : rows)
        if (row.data(ModuleTreeModel::kind_role).toInt() == ModuleTreeModel::module_kind)
            modules.append(row.data(ModuleTreeModel::path_role).toString());
    // A click on the heading of nodes outside of modules selects nothing, and leaves what is selected.
    if (!modules.isEmpty() || rows.isEmpty()) selection.selectModules(modules);
}

void ModulesPanel::showSelection() {
    if (following_) return;
    const QScopedValueRollback guard(following_, true);
    const Selection& selection = document_.selection();
    std::vector<QModelIndex> shown;
    for (const QString& module : selection.modules()) shown.push_back(model_->indexOfModule(module));
    const bool of_bucket = selection.kind() == Selection::Kind::bucket;
    const std::vector<NodeId> nodes = selectedNodes(document_);
    // Of what a plan has merged, the modules of its bucket: each parameter's would open all of them.
    const int bucket =
        nodes.size() > 1 ? document_.bucketOfNode(document_.findNode(selection.node())) : selection.bucket();
    if (bucket >= 0 && static_cast<std::size_t>(bucket) < document_.buckets().size()) {
        for (const std::string& module : document_.buckets()[static_cast<std::size_t>(bucket)].modules)
            shown.push_back(model_->indexOfModule(QString::fromStdString(module)));
    } else {
        for (const NodeId node : nodes) {
            const auto name = document_.graph()->name(node);
            const QModelIndex index =
                model_->indexOfNode(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
            if (std::ranges::find(shown, index) == shown.end()) shown.push_back(index);
        }
    }
    std::erase_if(shown, [](const QModelIndex& index) { return !index.isValid(); });
    // Who works here, as after a drop on a card, stays at the rows that are seen; nor is there anything to scroll to
    // where a row is seen already.
    const auto seen = [this](const QModelIndex& index) { return isSeen(index); };
    const QPersistentModelIndex fixed = isSeen(tree_->currentIndex()) ? tree_->currentIndex() : tree_->indexAt({0, 0});
    const int place = tree_->visualRect(fixed).top();
    openTo(shown);
    if (const QRect rect = tree_->visualRect(fixed); !rect.isEmpty()) {
        QScrollBar& bar = *tree_->verticalScrollBar();
        const bool by_rows = tree_->verticalScrollMode() == QAbstractItemView::ScrollPerItem;
        bar.setValue(bar.value() + (rect.top() - place) / (by_rows ? rect.height() : 1));
    }
    const bool stays = (of_bucket && tree_->hasFocus()) || std::ranges::any_of(shown, seen);
    if (shown.empty()) {
        // Also where nothing is selected.
        tree_->selectionModel()->clearSelection();
        return;
    }
    QItemSelection rows;
    for (const QModelIndex& index : shown) rows.select(index, index);
    const QModelIndex current = tree_->currentIndex().siblingAtColumn(ModuleTreeModel::name_column);
    const bool is_current = std::ranges::find(shown, current) != shown.end();
    tree_->setAutoScroll(false);  // which setting the current row does
    if (!is_current && !(of_bucket && tree_->hasFocus()))
        tree_->selectionModel()->setCurrentIndex(shown.front(), QItemSelectionModel::NoUpdate);
    tree_->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    tree_->setAutoScroll(true);
    if (!stays) tree_->scrollTo(shown.front());
}

bool ModulesPanel::isSeen(const QModelIndex& index) const {
    const QRect rect = tree_->visualRect(index);
    return !rect.isEmpty() && tree_->viewport()->rect().contains(rect.center());
}

void ModulesPanel::revealSelection() {
    const QModelIndexList rows = tree_->selectionModel()->selectedRows(ModuleTreeModel::name_column);
    const bool any_seen = std::ranges::any_of(rows, [this](const QModelIndex& row) { return isSeen(row); });
    if (!rows.isEmpty() && !any_seen) tree_->scrollTo(rows.front());
}

/// Opens what is around rows, and closes what was opened for the rows before.
void ModulesPanel::openTo(const std::vector<QModelIndex>& shown) {
    std::vector<QModelIndex> around;
    for (const QModelIndex& index : shown)
        for (QModelIndex parent = index.parent(); parent.isValid(); parent = parent.parent())
            if (std::ranges::find(around, parent) == around.end()) around.push_back(parent);
    std::erase_if(opened_, [&](const QPersistentModelIndex& opened) {
        if (std::ranges::find(around, QModelIndex(opened)) != around.end()) return false;
        if (opened.isValid()) tree_->collapse(opened);
        return true;
    });
    for (const QModelIndex& parent : around) {
        if (tree_->isExpanded(parent)) continue;
        opened_.emplace_back(parent);
        tree_->expand(parent);
    }
}

void ModulesPanel::stepSearch(int step) {
    const auto& found = model_->found();
    if (found.empty()) return;
    const int count = static_cast<int>(found.size());
    search_position_ = search_position_ < 0 && step < 0 ? count - 1 : (search_position_ + step + count) % count;
    const QModelIndex index = found[static_cast<std::size_t>(search_position_)];
    tree_->setCurrentIndex(index);
    tree_->scrollTo(index, QAbstractItemView::PositionAtCenter);
    search_count_->setText(tr("%1 of %2").arg(search_position_ + 1).arg(count));
}

void ModulesPanel::showOutsideMenu(const QPoint& position) {
    QStringList nodes;
    for (const QModelIndex& index : tree_->selectionModel()->selectedRows(ModuleTreeModel::name_column))
        if (index.data(ModuleTreeModel::kind_role).toInt() == ModuleTreeModel::node_kind)
            nodes.append(index.data(ModuleTreeModel::node_role).toString());
    QMenu menu(this);
    menu.addAction(tr("&Give a module…"), this, [this, nodes] { emit repairWanted(nodes); })
        ->setEnabled(document_.editable() && !nodes.isEmpty());
    menu.addAction(tr("&Repair modules…"), this, [this] { emit repairWanted({}); })->setEnabled(document_.editable());
    menu.exec(position);
}

void ModulesPanel::showModuleMenu(const QPoint& position) {
    const QStringList modules = tree_->selectedModules();
    if (modules.isEmpty()) return showOutsideMenu(position);
    QMenu menu(this);
    BucketCommands commands(document_);
    auto offer = [&](QMenu* where, const QString& title, int target, auto run) {
        QAction* action = where->addAction(title, this, [this, run] {
            if (const QString reason = run(); !reason.isEmpty()) emit refused(reason);
        });
        const QString reason = commands.refusal(modules, target);
        action->setEnabled(reason.isEmpty());
        action->setToolTip(shownLines(reason));
    };
    QMenu* into = menu.addMenu(tr("&Add to bucket"));
    into->setToolTipsVisible(true);
    offer(into, tr("&New bucket"), -1, [this, modules] { return BucketCommands(document_).putIntoNew(modules); });
    if (modules.size() > 1)
        offer(into, tr("New bucket &each"), -1,
              [this, modules] { return BucketCommands(document_).putIntoNewEach(modules); });
    into->addSeparator();
    for (int bucket = 0; bucket < static_cast<int>(document_.buckets().size()); ++bucket)
        offer(into, shownInMenu(commands.title(bucket)), bucket,
              [this, modules, bucket] { return BucketCommands(document_).put(modules, bucket); });
    const bool in_bucket = std::any_of(modules.begin(), modules.end(), [this](const QString& module) {
        return bucket_of_module(document_.buckets(), module.toStdString()) >= 0;
    });
    menu.addAction(tr("&Take out of bucket"), this, [this, modules] { BucketCommands(document_).takeOut(modules); })
        ->setEnabled(in_bucket && document_.editable());
    menu.addSeparator();
    menu.addAction(tr("&Copy"), this, [modules] { QApplication::clipboard()->setMimeData(moduleMimeData(modules)); });
    menu.addAction(tr("&Expand below"), this, [this] { tree_->expandRecursively(tree_->currentIndex()); });
    menu.exec(position);
}

}  // namespace overlap::ui
