#include "ui/mesh/sharding_board.h"

#include <QAccessible>
#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <algorithm>

#include "ui/mesh/answers/rank_slices.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"
#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {
namespace {

constexpr int row_height = 25;
constexpr int chip_height = 18;
constexpr int label_width = 80;
constexpr int chip_padding = 8;
constexpr int chip_gap = 12;  ///< has room for the sign of an order

QString opText(ReduceOp op) {
    return QString::fromStdString(std::string(to_text(op)));
}

}  // namespace

ShardingBoard::ShardingBoard(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&QWidget::update));
}

void ShardingBoard::show(const DeviceMesh& mesh, const MeshTensor& tensor, const ShardingState& state) {
    const bool resized = !state_ || tensor.dims() != tensor_.dims();
    mesh_ = mesh;
    tensor_ = tensor;
    state_ = state;
    reduce_op_ = std::ranges::any_of(state.placements, &Placement::is_partial) ? reduceOpOf(state) : reduce_op_;
    endDrag();
    select(selected_ < mesh.dims() ? selected_ : -1);
    if (resized) updateGeometry();
    update();
}

void ShardingBoard::clear() {
    state_.reset();
    endDrag();
    update();
}

void ShardingBoard::setVerdict(const QString& verdict, bool better) {
    verdict_ = verdict;
    verdict_better_ = better;
    update();
}

void ShardingBoard::select(int mesh_dim) {
    selected_ = mesh_dim;
    QString description = tr("Arrow keys choose a mesh dimension, Ctrl and arrow keys move it");
    if (state_ && selected_ >= 0) {
        const Place place = placeOf(selected_);
        const ShardingRow row = rows()[place.row];
        description = tr("%1: %2").arg(chipText(selected_), rowText(row));
        if (row.kind == PlacementKind::shard)
            description += tr(", place %1 of %2").arg(place.place + 1).arg(row.mesh_dims.size());
    }
    if (description != accessibleDescription()) {
        setAccessibleDescription(description);
        QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
        QAccessible::updateAccessibility(&changed);
    }
    update();
}

std::vector<ShardingRow> ShardingBoard::rows() const {
    return shardingRows(shown(), tensor_.dims());
}

ShardingBoard::Place ShardingBoard::placeOf(int mesh_dim) const {
    const std::vector<ShardingRow> all = rows();
    for (std::size_t row = 0; row < all.size(); ++row)
        for (std::size_t place = 0; place < all[row].mesh_dims.size(); ++place)
            if (all[row].mesh_dims[place] == mesh_dim) return {row, place};
    return {};
}

QSize ShardingBoard::sizeHint() const {
    return {280, row_height * (std::max(1, tensor_.dims()) + 2)};  // also without a state: what is below stays there
}

QSize ShardingBoard::minimumSizeHint() const {
    return {200, sizeHint().height()};
}

QString ShardingBoard::chipText(int mesh_dim) const {
    const auto index = static_cast<std::size_t>(mesh_dim);
    QString text = mesh_.dim_names.empty()
                       ? QString::number(mesh_dim)
                       : QStringLiteral("%1 %2").arg(mesh_dim).arg(shownName(meshDimText(mesh_, mesh_dim)));
    text += QStringLiteral(" ×%1").arg(mesh_.shape[index]);
    if (const Placement& placement = shown().placements[index]; placement.is_strided_shard())
        text += tr(" strided %1").arg(placement.split_factor);
    return text;
}

QString ShardingBoard::rowText(const ShardingRow& row) const {
    if (row.kind == PlacementKind::replicate) return tr("replicated");
    if (row.kind == PlacementKind::partial) return tr("partial %1").arg(opText(reduce_op_));
    return tr("dim %1 of %2").arg(row.tensor_dim).arg(tensor_.shape[static_cast<std::size_t>(row.tensor_dim)]);
}

int ShardingBoard::chipWidth(int mesh_dim) const {
    return QFontMetrics(textFont(normalTextPx)).horizontalAdvance(chipText(mesh_dim)) + 2 * chip_padding;
}

QRect ShardingBoard::rowArea(std::size_t row) const {
    return {label_width, static_cast<int>(row) * row_height + 1, width() - label_width, row_height - 2};
}

QRect ShardingBoard::chipArea(int mesh_dim) const {
    const Place place = placeOf(mesh_dim);
    const ShardingRow row = rows()[place.row];
    const QRect area = rowArea(place.row);
    int left = area.left() + 4;
    for (std::size_t before = 0; before < place.place; ++before) left += chipWidth(row.mesh_dims[before]) + chip_gap;
    return {left, area.top() + (area.height() - chip_height) / 2, chipWidth(mesh_dim), chip_height};
}

int ShardingBoard::chipAt(const QPoint& position) const {
    if (!state_) return -1;
    for (int mesh_dim = 0; mesh_dim < mesh_.dims(); ++mesh_dim)
        if (chipArea(mesh_dim).contains(position)) return mesh_dim;
    return -1;
}

ShardingBoard::Place ShardingBoard::placeAt(const QPoint& position) const {
    const std::vector<ShardingRow> all = shardingRows(*state_, tensor_.dims());
    Place place;
    place.row = static_cast<std::size_t>(std::clamp(position.y() / row_height, 0, static_cast<int>(all.size()) - 1));
    int left = rowArea(place.row).left() + 4;
    for (const int mesh_dim : all[place.row].mesh_dims) {
        if (mesh_dim == dragged_) continue;
        const int wide = chipWidth(mesh_dim);
        if (position.x() > left + wide / 2) ++place.place;
        left += wide + chip_gap;
    }
    return place;
}

void ShardingBoard::mousePressEvent(QMouseEvent* event) {
    if (!state_ || event->button() != Qt::LeftButton) return;
    press_ = event->position().toPoint();
    pressed_ = chipAt(press_);
    if (pressed_ >= 0) select(pressed_);
    const std::size_t partial_row = rows().size() - 1;
    const bool on_label = press_.x() < label_width && press_.y() / row_height == static_cast<int>(partial_row);
    if (on_label) openMenu(event->globalPosition().toPoint());
}

void ShardingBoard::mouseMoveEvent(QMouseEvent* event) {
    pointer_ = event->position().toPoint();
    if (pressed_ < 0) return setCursor(chipAt(pointer_) >= 0 ? Qt::OpenHandCursor : Qt::ArrowCursor);
    if (dragged_ < 0 && (pointer_ - press_).manhattanLength() < QApplication::startDragDistance()) return;
    dragged_ = pressed_;
    setCursor(Qt::ClosedHandCursor);
    const Place place = placeAt(pointer_);
    ShardingState state = movedTo(*state_, tensor_.dims(), dragged_, place.row, place.place, reduce_op_);
    if (!preview_ || *preview_ != state) {
        preview_ = std::move(state);
        emit previewed(*preview_);
    }
    update();
}

void ShardingBoard::mouseReleaseEvent(QMouseEvent*) {
    const int moved = dragged_;
    const std::optional<ShardingState> state = preview_;
    endDrag();
    if (moved < 0 || !state) return;
    emit previewEnded();
    if (*state != *state_) emit edited(*state, tr("Move %1").arg(meshDimText(mesh_, moved)));
}

void ShardingBoard::endDrag() {
    pressed_ = -1;
    dragged_ = -1;
    preview_.reset();
    verdict_.clear();
    unsetCursor();
    update();
}

void ShardingBoard::moveTo(int mesh_dim, const Place& place) {
    ShardingState state = movedTo(*state_, tensor_.dims(), mesh_dim, place.row, place.place, reduce_op_);
    if (state != *state_) emit edited(state, tr("Move %1").arg(meshDimText(mesh_, mesh_dim)));
}

void ShardingBoard::moveSelected(int by_rows, int by_places) {
    const Place from = placeOf(selected_);
    const std::vector<ShardingRow> all = rows();
    const int row = static_cast<int>(from.row) + by_rows;
    const int place = static_cast<int>(from.place) + by_places;
    if (row < 0 || row >= static_cast<int>(all.size()) || place < 0) return;
    const auto to = static_cast<std::size_t>(row);
    if (by_rows == 0 && place >= static_cast<int>(all[to].mesh_dims.size())) return;
    moveTo(selected_, {to, by_rows == 0 ? static_cast<std::size_t>(place) : all[to].mesh_dims.size()});
}

void ShardingBoard::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape && dragged_ >= 0) {
        endDrag();
        return emit previewEnded();
    }
    const int across = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const int down = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    if (!state_ || (across == 0 && down == 0)) return QWidget::keyPressEvent(event);
    if (selected_ < 0) return select(0);
    if (event->modifiers().testFlag(Qt::ControlModifier)) return moveSelected(down, across);
    const std::vector<ShardingRow> all = rows();
    const Place from = placeOf(selected_);
    if (across != 0) {
        const int place = static_cast<int>(from.place) + across;
        const std::vector<int>& chips = all[from.row].mesh_dims;
        if (place >= 0 && place < static_cast<int>(chips.size())) select(chips[static_cast<std::size_t>(place)]);
        return;
    }
    for (int row = static_cast<int>(from.row) + down; row >= 0 && row < static_cast<int>(all.size()); row += down) {
        const std::vector<int>& chips = all[static_cast<std::size_t>(row)].mesh_dims;
        if (!chips.empty()) return select(chips[std::min(from.place, chips.size() - 1)]);
    }
}

void ShardingBoard::contextMenuEvent(QContextMenuEvent* event) {
    if (!state_ || dragging()) return;
    if (event->reason() == QContextMenuEvent::Mouse) select(chipAt(event->pos()));
    openMenu(event->reason() == QContextMenuEvent::Mouse || selected_ < 0
                 ? event->globalPos()
                 : mapToGlobal(chipArea(selected_).bottomLeft()));
}

void ShardingBoard::openMenu(const QPoint& position) {
    pressed_ = -1;
    QMenu menu(this);
    const std::vector<ShardingRow> all = rows();
    if (selected_ >= 0) {
        const std::size_t own = placeOf(selected_).row;
        for (std::size_t row = 0; row < all.size(); ++row) {
            const QString text = all[row].kind == PlacementKind::shard ? tr("Cut dimension %1").arg(all[row].tensor_dim)
                                 : all[row].kind == PlacementKind::replicate ? tr("Replicate")
                                                                             : tr("Partial");
            menu.addAction(text, this,
                           [this, row, place = all[row].mesh_dims.size()] {
                               moveTo(selected_, {row, place});
                           })
                ->setEnabled(row != own);
        }
        menu.addSeparator();
    }
    for (int op = 0; op <= static_cast<int>(ReduceOp::bxor); ++op) {
        const auto reduce_op = static_cast<ReduceOp>(op);
        QAction* action = menu.addAction(tr("Partial ones by %1").arg(opText(reduce_op)), this, [this, reduce_op] {
            reduce_op_ = reduce_op;
            const ShardingState state = reducedBy(*state_, reduce_op);
            if (state != *state_) emit edited(state, tr("Reduce by %1").arg(opText(reduce_op)));
            update();
        });
        action->setCheckable(true);
        action->setChecked(reduce_op == reduce_op_);
    }
    menu.exec(position);
}

void ShardingBoard::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    const bool by_keys = event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    if (by_keys && selected_ < 0 && state_) select(0);
    update();
}

void ShardingBoard::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool ShardingBoard::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && state_) {
        auto* help = static_cast<QHelpEvent*>(event);
        const std::size_t row =
            std::min(rows().size() - 1, static_cast<std::size_t>(std::max(0, help->y() / row_height)));
        const PlacementKind kind = rows()[row].kind;
        showToolTip(
            help->globalPos(),
            kind == PlacementKind::shard
                ? tr("Mesh dimensions that cut this tensor dimension, outermost first. Drag them, or move the selected "
                     "one with Ctrl and the arrow keys.")
            : kind == PlacementKind::replicate ? tr("Mesh dimensions along which every rank holds the same")
                                               : tr("Mesh dimensions along which ranks hold terms that are still to be "
                                                    "reduced; a click here chooses how"),
            this);
        return true;
    }
    return QWidget::event(event);
}

void ShardingBoard::paintChip(QPainter& painter, const QRect& area, int mesh_dim, bool lifted) const {
    const Theme& theme = currentTheme();
    const bool selected = mesh_dim == selected_;
    painter.setPen(QPen(selected && (hasFocus() || lifted) ? theme.accent : theme.line, 1));
    painter.setBrush(selected ? theme.selection() : theme.raised);
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(theme.text);
    painter.setFont(textFont(normalTextPx));
    painter.drawText(area, Qt::AlignCenter, chipText(mesh_dim));
}

void ShardingBoard::paintEvent(QPaintEvent*) {
    const Theme& theme = currentTheme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (!state_) {
        painter.setPen(theme.dim);
        painter.drawText(rect().adjusted(4, 4, -4, -4), Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                         tr("Mesh dimensions can be dragged once the fields can be read."));
        return;
    }
    const std::vector<ShardingRow> all = rows();
    for (std::size_t index = 0; index < all.size(); ++index) {
        const ShardingRow& row = all[index];
        const QRect area = rowArea(index);
        const bool target = dragging() && placeOf(dragged_).row == index;
        painter.setFont(textFont(smallTextPx));
        painter.setPen(theme.dim);
        QString label = rowText(row);
        if (row.kind == PlacementKind::partial) label += QStringLiteral(" ▾");
        painter.drawText(QRect(0, area.top(), label_width - 4, area.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         elidedName(painter.fontMetrics(), label, Qt::ElideRight, label_width - 4));
        painter.setPen(QPen(target ? theme.accent : theme.line, 1));
        painter.setBrush(theme.background);
        painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        for (std::size_t place = 0; place < row.mesh_dims.size(); ++place) {
            const QRect chip = chipArea(row.mesh_dims[place]);
            if (place > 0 && row.kind == PlacementKind::shard) {
                painter.setPen(theme.dim);
                painter.drawText(QRect(chip.left() - chip_gap, chip.top(), chip_gap, chip.height()), Qt::AlignCenter,
                                 QStringLiteral("›"));
            }
            if (row.mesh_dims[place] != dragged_) {
                paintChip(painter, chip, row.mesh_dims[place], false);
                continue;
            }
            // Where the chip that hangs at the pointer would go.
            painter.setPen(QPen(theme.accent, 1, Qt::DashLine));
            painter.setBrush(Qt::NoBrush);
            painter.drawRoundedRect(QRectF(chip).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        }
    }
    if (!dragging()) return;
    QRect lifted(0, 0, chipWidth(dragged_), chip_height);
    lifted.moveCenter(pointer_);
    painter.setOpacity(0.9);
    paintChip(painter, lifted, dragged_, true);
    painter.setOpacity(1);
    if (verdict_.isEmpty()) return;
    painter.setFont(textFont(smallTextPx, QFont::DemiBold));
    QRect bubble(0, 0, painter.fontMetrics().horizontalAdvance(verdict_) + 16, 20);
    const bool below = lifted.bottom() + 4 + bubble.height() < height();
    bubble.moveTopLeft({std::clamp(lifted.left(), 0, std::max(0, width() - bubble.width())),
                        below ? lifted.bottom() + 4 : lifted.top() - 4 - bubble.height()});
    painter.setPen(QPen(theme.line, 1));
    painter.setBrush(theme.raised);
    painter.drawRoundedRect(QRectF(bubble).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter.setPen(verdict_better_ ? theme.asText(theme.hidden) : theme.text);
    painter.drawText(bubble, Qt::AlignCenter, verdict_);
}

}  // namespace overlap::ui
