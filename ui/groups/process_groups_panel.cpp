#include "ui/groups/process_groups_panel.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScopedValueRollback>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <array>

#include "ui/document/document.h"
#include "ui/document/graph_reading.h"
#include "ui/groups/group_effect.h"
#include "ui/groups/group_settings_popup.h"
#include "ui/groups/process_groups_model.h"
#include "ui/panels/problems_panel.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/availability.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_note.h"
#include "ui/widgets/flat_table.h"

namespace overlap::ui {
namespace {

constexpr int cell_margin = 8;
constexpr int gap = 8;
/// Of the view that columns of text may take at most: group, ranks, collectives. What waits for what has the rest.
constexpr std::array<double, 3> widest_shares = {0.22, 0.12, 0.18};

/// Text, and behind it in a lower tone what it is called in the file.
class GroupDelegate : public CellDelegate {
  public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem plain(option);
        initStyleOption(&plain, index);
        const QFontMetrics& metrics = plain.fontMetrics;
        // One pixel more: advances are rounded, and eliding is not.
        int width = metrics.horizontalAdvance(plain.text) + 2 * cell_margin + 1;
        if (const QString detail = index.data(ProcessGroupsModel::detail_role).toString(); !detail.isEmpty())
            width += gap + metrics.horizontalAdvance(detail);
        return {width, metrics.height() + 9};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QStyleOptionViewItem plain = paintWithoutText(*painter, option, index);
        const QString& shown = plain.text;

        const QRect area = option.rect.adjusted(cell_margin, 0, -cell_margin, 0);
        const QFontMetrics& metrics = plain.fontMetrics;
        painter->save();
        painter->setFont(plain.font);
        painter->setPen(toneOf(index));
        const auto side = static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
        painter->drawText(area, side, elidedName(metrics, shown, Qt::ElideRight, area.width()));
        const int used = metrics.horizontalAdvance(shown) + gap;
        if (const QString detail = index.data(ProcessGroupsModel::detail_role).toString();
            !detail.isEmpty() && used < area.width()) {
            painter->setPen(currentTheme().asText(currentTheme().dim));
            const QRect rest = area.adjusted(used, 0, 0, 0);
            painter->drawText(rest, side, elidedName(metrics, detail, Qt::ElideRight, rest.width()));
        }
        painter->restore();
    }

  private:
    static QColor toneOf(const QModelIndex& index) {
        const Theme& theme = currentTheme();
        if (index.column() == ProcessGroupsModel::exposed_column)
            return index.data(ProcessGroupsModel::exposed_role).toBool() ? theme.asText(theme.exposed) : theme.text;
        if (index.column() == ProcessGroupsModel::queue_column) return theme.asText(theme.dim);
        if (index.data(ProcessGroupsModel::created_role).toBool() && index.column() == ProcessGroupsModel::group_column)
            return theme.asText(theme.accent);
        return theme.text;
    }
};

}  // namespace

ProcessGroupsPanel::ProcessGroupsPanel(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      commands_(document),
      model_(new ProcessGroupsModel(document, this)),
      view_(new QTreeView),
      effect_(new GroupEffect(document, this)),
      settings_(new GroupSettingsPopup(document, this)),
      set_up_(new QAction(tr("&Set up…"), this)) {
    setObjectName("groups");
    setAccessibleName(tr("Process groups"));
    isolate_ = makeAction(GroupCommands::Move::isolate_experts, tr("&Isolate expert-parallel group"),
                          tr("Give the all-to-alls of expert parallelism a process group of their own, with a stream "
                             "of high priority, so that they do not queue behind other collectives"));
    separate_ = makeAction(GroupCommands::Move::separate_gathers, tr("Give all-&gathers their own groups"),
                           tr("Move all-gathers from the groups on which FSDP gathers parameters to groups of their "
                              "own, so that they do not queue behind reduce-scatters"));
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 6, 8, 6);
    bar->setSpacing(8);
    set_up_->setToolTip(tr("Priority of the selected group's stream, thread blocks of its collectives"));
    for (QAction* action : {isolate_, separate_, set_up_}) {
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setAccessibleName(action->text().remove(u'&'));
        bar->addWidget(button);
        if (action == set_up_)
            connect(action, &QAction::triggered, this,
                    [this, button] { settings_->openAt(button->mapToGlobal(QPoint(0, button->height()))); });
    }
    auto* effect = new ElidedLabel;
    effect->setObjectName("groupEffect");
    effect->setProperty("role", "dim");
    bar->addWidget(effect, 1);
    connect(effect_, &GroupEffect::changed, effect, [this, effect] {
        effect->setText(effect_->text());
        effect->setToolTip(effect_->text());
    });

    view_->setModel(model_);
    sayWhenEmpty(*view_, [this] { return document_.evaluation() ? tr("The step has no process group") : QString(); });
    view_->setItemDelegate(new GroupDelegate(view_));
    makeFlatTable(*view_, tr("Process groups"));
    view_->header()->setSectionResizeMode(QHeaderView::Fixed);
    view_->header()->setMinimumSectionSize(0);
    view_->installEventFilter(this);
    view_->viewport()->installEventFilter(this);
    setFocusProxy(view_);
    setFocusPolicy(Qt::StrongFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(view_, 1);

    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& row) {
        if (following_ || !row.isValid()) return;
        const QScopedValueRollback guard(following_, true);
        document_.selection().selectGroup(row.data(ProcessGroupsModel::name_role).toString());
    });
    // A row that a selected collective has marked is the current one already; a click on it selects the group.
    connect(view_, &QTreeView::clicked, this, [this](const QModelIndex& row) {
        document_.selection().selectGroup(row.data(ProcessGroupsModel::name_role).toString());
    });
    connect(model_, &QAbstractItemModel::modelReset, this, [this] {
        fitColumns();
        showSelection();
    });
    connect(&document.selection(), &Selection::changed, this, &ProcessGroupsPanel::showSelection);
    connect(&document, &Document::planChanged, this, &ProcessGroupsPanel::updateActions);
    connect(&document, &Document::graphChanged, this, &ProcessGroupsPanel::updateActions);
    whenReadingChanges(document, this, [this] { updateActions(); });
    updateActions();
}

QAction* ProcessGroupsPanel::makeAction(GroupCommands::Move move, const QString& text, const QString& help) {
    auto* action = new QAction(text, this);
    action->setCheckable(true);
    action->setToolTip(help);
    action->setStatusTip(help);
    connect(action, &QAction::triggered, this, [this, move](bool on) {
        on ? commands_.apply(move) : commands_.remove(move);
        updateActions();  // also where the plan did not change, so that the check mark is true
    });
    return action;
}

void ProcessGroupsPanel::updateActions() {
    updateAction(isolate_, GroupCommands::Move::isolate_experts);
    updateAction(separate_, GroupCommands::Move::separate_gathers);
}

void ProcessGroupsPanel::updateAction(QAction* action, GroupCommands::Move move) {
    const bool applied = commands_.applied(move);
    const QString refusal = applied ? QString() : commands_.refusal(move);
    action->setChecked(applied);
    setAvailable(*action, refusal);
}

bool ProcessGroupsPanel::busy() const {
    return effect_->busy();
}

void ProcessGroupsPanel::showSelection() {
    const Selection& selection = document_.selection();
    QString name;
    if (selection.kind() == Selection::Kind::group) name = selection.group();
    if (selection.kind() == Selection::Kind::node) name = model_->groupOfNode(selection.node());
    const int row = model_->rowOf(name);
    settings_->setGroup(row < 0 ? QString() : name);
    setAvailable(*set_up_, row >= 0 ? QString() : tr("No group is selected"));
    const QScopedValueRollback guard(following_, true);
    if (row < 0) {
        view_->selectionModel()->clear();
    } else {
        view_->setCurrentIndex(model_->index(row, 0));
    }
}

bool ProcessGroupsPanel::eventFilter(QObject* watched, QEvent* event) {
    if (watched == view_->viewport() && event->type() == QEvent::Resize) fitColumns();
    if (watched != view_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Copy)) {
        QApplication::clipboard()->setText(tableText(*model_));
        return true;
    }
    if ((key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) && view_->currentIndex().isValid()) {
        document_.selection().selectGroup(view_->currentIndex().data(ProcessGroupsModel::name_role).toString());
        return true;
    }
    return false;
}

void ProcessGroupsPanel::fitColumns() {
    const int width = view_->viewport()->width();
    int used = 0;
    for (int column = 0; column < ProcessGroupsModel::queue_column; ++column) {
        int wanted = view_->header()->sectionSizeHint(column);
        for (int row = 0; row < model_->rowCount(); ++row)
            wanted = std::max(wanted, view_->sizeHintForIndex(model_->index(row, column)).width());
        if (const auto text = static_cast<std::size_t>(column); text < widest_shares.size())
            wanted = std::min(wanted, static_cast<int>(width * widest_shares[text]));
        view_->header()->resizeSection(column, wanted);
        used += wanted;
    }
    // Sentences are read as a whole: where they are longer than the rest, the table scrolls.
    int longest = view_->header()->sectionSizeHint(ProcessGroupsModel::queue_column);
    for (int row = 0; row < model_->rowCount(); ++row)
        longest =
            std::max(longest, view_->sizeHintForIndex(model_->index(row, ProcessGroupsModel::queue_column)).width());
    view_->header()->resizeSection(ProcessGroupsModel::queue_column, std::max(longest, width - used));
}

}  // namespace overlap::ui
