#include "ui/passes/overlaps_view.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include "ui/document/document.h"
#include "ui/edits/overlap_commands.h"
#include "ui/passes/overlaps_model.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/cell_delegate.h"
#include "ui/widgets/severity_sign.h"

namespace overlap::ui {
namespace {

constexpr int row_padding = 5;
constexpr int most_rows_shown = 4;
constexpr int settings_gap = 12;

int rowHeight() {
    return QFontMetrics(textFont()).height() + QFontMetrics(textFont(smallTextPx)).height() + 2 * row_padding;
}

class OverlapDelegate : public CellDelegate {
  public:
    using CellDelegate::CellDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {160, rowHeight()}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const QString asked = paintWithoutText(*painter, option, index).text;
        const Theme& theme = currentTheme();
        const bool refused = index.data(OverlapsModel::refused_role).toBool();
        QRect area = option.rect.adjusted(8, row_padding, -8, -row_padding);
        painter->save();
        if (refused) {
            const QRectF sign(area.left(), area.top() + 3, severity_sign_size, severity_sign_size);
            paintSeveritySign(*painter, Severity::caution, sign);
        }
        area.setLeft(area.left() + severity_sign_size + 8);
        const auto write = [&](const QFont& font, const QColor& colour, const QString& text) {
            const QFontMetrics metrics(font);
            painter->setFont(font);
            painter->setPen(colour);
            painter->drawText(QRect(area.left(), area.top(), area.width(), metrics.height()), Qt::AlignVCenter,
                              elidedName(metrics, text, Qt::ElideRight, area.width()));
            area.setTop(area.top() + metrics.height());
        };
        write(textFont(), theme.text, asked);
        write(textFont(smallTextPx), refused ? theme.exposed : theme.dim,
              index.data(OverlapsModel::state_role).toString());
        painter->restore();
    }
};

}  // namespace

OverlapsView::OverlapsView(Document& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new OverlapsModel(document, this)),
      list_(new QListView),
      settings_(new QHBoxLayout),
      group_order_(new QCheckBox(tr("Keep group order"))),
      control_deps_(new QCheckBox(tr("Insert control_deps"))) {
    setObjectName("overlaps");
    auto* heading = new QLabel(tr("Overlaps by hand"));
    heading->setFont(textFont(normalTextPx, QFont::DemiBold));
    heading->setContentsMargins(8, 4, 8, 2);
    list_->setObjectName("overlapList");
    list_->setAccessibleName(tr("Overlaps by hand"));
    list_->setModel(model_);
    list_->setItemDelegate(new OverlapDelegate(this));
    list_->setUniformItemSizes(true);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setContextMenuPolicy(Qt::CustomContextMenu);
    list_->installEventFilter(this);
    group_order_->setToolTip(
        tr("Collectives of one process group run in the order in which they are issued; those ahead move along. Off, "
           "they may overtake one another, and every rank must run the same plan"));
    control_deps_->setToolTip(
        tr("Wraps what an overlap orders into higher_order.control_deps, so that Inductor keeps it"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 4);
    layout->setSpacing(0);
    layout->addWidget(heading);
    layout->addWidget(list_, 1);
    settings_->setContentsMargins(8, 2, 8, 0);
    for (QCheckBox* setting : {group_order_, control_deps_}) {
        setting->setAccessibleName(setting->text());
        settings_->addWidget(setting);
    }
    settings_->addStretch();
    layout->addLayout(settings_);
    connect(group_order_, &QCheckBox::toggled, this,
            [this](bool on) { OverlapCommands(document_).setKeepGroupOrder(on); });
    connect(control_deps_, &QCheckBox::toggled, this,
            [this](bool on) { OverlapCommands(document_).setInsertOverlapDeps(on); });
    connect(list_, &QListView::clicked, this,
            [this](const QModelIndex& index) { document_.selection().selectNode(model_->collective(index.row())); });
    connect(list_, &QListView::doubleClicked, this,
            [this](const QModelIndex& index) { emit editWanted(model_->collective(index.row())); });
    connect(list_, &QListView::customContextMenuRequested, this,
            [this](const QPoint& position) { showMenu(list_->viewport()->mapToGlobal(position)); });
    connect(model_, &QAbstractItemModel::modelReset, this, &OverlapsView::update);
    update();
}

void OverlapsView::update() {
    const OverlapDirectives& overlaps = OverlapCommands(document_).overlaps();
    const QSignalBlocker no_order(group_order_), no_deps(control_deps_);
    group_order_->setChecked(overlaps.keep_group_order);
    control_deps_->setChecked(overlaps.insert_overlap_deps);
    const int rows = std::clamp(model_->rowCount(), 1, most_rows_shown);
    list_->setMinimumHeight(rowHeight());
    list_->setMaximumHeight(rows * rowHeight() + 2);
    showIfAny();
}

void OverlapsView::showIfAny() {
    setVisible(model_->rowCount() > 0);
}

QSize OverlapsView::minimumSizeHint() const {
    const QMargins margins = settings_->contentsMargins();
    const int widest = std::max(group_order_->sizeHint().width(), control_deps_->sizeHint().width());
    return {margins.left() + widest + margins.right(), QWidget::minimumSizeHint().height()};
}

void OverlapsView::resizeEvent(QResizeEvent* event) {
    const QMargins margins = settings_->contentsMargins();
    const int both = group_order_->sizeHint().width() + settings_gap + control_deps_->sizeHint().width();
    const bool fit = margins.left() + both + margins.right() <= width();
    settings_->setDirection(fit ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    settings_->setSpacing(fit ? settings_gap : 2);
    QWidget::resizeEvent(event);
}

void OverlapsView::removeCurrent() {
    const int row = list_->currentIndex().row();
    OverlapCommands(document_).remove(row);
    list_->setCurrentIndex(model_->index(std::min(row, model_->rowCount() - 1)));
}

void OverlapsView::showMenu(const QPoint& position) {
    const QModelIndex index = list_->currentIndex();
    if (!index.isValid()) return;
    QMenu menu;
    menu.addAction(tr("Change…"), this, [this, index] { emit editWanted(model_->collective(index.row())); });
    menu.addAction(tr("Remove"), this, &OverlapsView::removeCurrent);
    menu.exec(position);
}

bool OverlapsView::eventFilter(QObject* watched, QEvent* event) {
    if (watched == list_ && event->type() == QEvent::KeyPress && list_->currentIndex().isValid()) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Delete || key == Qt::Key_Backspace) {
            removeCurrent();
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            emit editWanted(model_->collective(list_->currentIndex().row()));
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

}  // namespace overlap::ui
