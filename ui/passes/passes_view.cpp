#include "ui/passes/passes_view.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QPainter>

#include "ui/passes/passes_model.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/severity_sign.h"

namespace overlap::ui {
namespace {

constexpr int line_gap = 2;
constexpr int padding = 6;
constexpr QSize switch_size(26, 14);
constexpr int text_left = 8 + 26 + 10;
constexpr double stale_opacity = 0.5;

void paintSwitch(QPainter& painter, const QRect& area, bool on, bool enabled) {
    const Theme& theme = currentTheme();
    const double radius = area.height() / 2.0;
    const QColor ground = on ? (enabled ? theme.accent : theme.faint) : theme.background;
    painter.setPen(QPen(on ? ground : theme.dim, 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(area).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    const double knob = area.height() - 6;
    const double left = on ? area.right() - knob - 2 : area.left() + 3;
    painter.setPen(Qt::NoPen);
    painter.setBrush(on ? theme.textOn(ground) : theme.dim);
    painter.drawEllipse(QRectF(left, area.top() + 3, knob, knob));
}

void paintElided(QPainter& painter, const QRect& area, const QString& text, Qt::TextElideMode mode) {
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(painter.fontMetrics(), text, mode, area.width()));
}

}  // namespace

QRect PassDelegate::switchArea(const QRect& row) {
    return {QPoint(row.left() + 8, row.center().y() - switch_size.height() / 2 + 1), switch_size};
}

QSize PassDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    const int height = QFontMetrics(textFont(normalTextPx)).height() + QFontMetrics(textFont(smallTextPx)).height();
    return {160, height + line_gap + 2 * padding};
}

void PassDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem ground(option);
    initStyleOption(&ground, index);
    ground.text.clear();
    const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
    style->drawPrimitive(QStyle::PE_PanelItemViewItem, &ground, painter, option.widget);

    const Theme& theme = currentTheme();
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    const int severity = index.data(PassesModel::severity_role).toInt();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    paintSwitch(*painter, switchArea(option.rect), on, index.flags().testFlag(Qt::ItemIsUserCheckable));

    QRect name(option.rect.left() + text_left, option.rect.top() + padding, 0,
               QFontMetrics(textFont(normalTextPx)).height());
    name.setRight(option.rect.right() - 10);
    QRect outcome(name.left(), name.bottom() + 1 + line_gap, name.width(),
                  QFontMetrics(textFont(smallTextPx)).height());

    painter->setFont(numberFont(smallTextPx));
    painter->setPen(theme.dim);
    const QString time = index.data(PassesModel::time_role).toString();
    painter->setOpacity(index.data(PassesModel::stale_role).toBool() ? stale_opacity : 1);
    painter->drawText(name, Qt::AlignRight | Qt::AlignVCenter, time);
    painter->setOpacity(1);
    if (!time.isEmpty()) name.setRight(name.right() - painter->fontMetrics().horizontalAdvance(time) - 8);

    painter->setFont(textFont(normalTextPx, QFont::Medium));
    painter->setPen(on ? theme.text : theme.dim);
    paintElided(*painter, name, QStringLiteral("%1  %2").arg(index.row() + 1).arg(index.data().toString()),
                Qt::ElideMiddle);

    painter->setOpacity(index.data(PassesModel::stale_role).toBool() ? stale_opacity : 1);
    if (severity >= 0) {
        const QRectF sign(outcome.left(), outcome.center().y() - severity_sign_size / 2.0 + 0.5, severity_sign_size,
                          severity_sign_size);
        paintSeveritySign(*painter, static_cast<Severity>(severity), sign);
        outcome.setLeft(outcome.left() + severity_sign_size + 6);
    }
    painter->setFont(textFont(smallTextPx));
    painter->setPen(severity == static_cast<int>(Severity::error) ? theme.exposed : theme.dim);
    paintElided(*painter, outcome, index.data(PassesModel::outcome_role).toString(), Qt::ElideRight);
    painter->restore();
}

bool PassDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                               const QModelIndex& index) {
    bool wanted = false;
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        wanted = mouse->button() == Qt::LeftButton &&
                 switchArea(option.rect).adjusted(-8, -8, 6, 8).contains(mouse->position().toPoint());
    } else if (event->type() == QEvent::KeyPress) {
        wanted = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    }
    if (!wanted || !index.flags().testFlag(Qt::ItemIsUserCheckable)) return false;
    const bool on = index.data(Qt::CheckStateRole).toInt() == Qt::Checked;
    return model->setData(index, static_cast<int>(on ? Qt::Unchecked : Qt::Checked), Qt::CheckStateRole);
}

PassesView::PassesView(PassesModel& model, QWidget* parent) : QListView(parent) {
    setModel(&model);
    setItemDelegate(new PassDelegate(this));
    setObjectName("passes");
    setAccessibleName(tr("Passes in the order in which they run"));
    setFrameShape(NoFrame);
    setUniformItemSizes(true);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setDragDropMode(InternalMove);
    setMouseTracking(true);
}

void PassesView::contextMenuEvent(QContextMenuEvent* event) {
    emit menuWanted(event->reason() == QContextMenuEvent::Keyboard
                        ? viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft())
                        : event->globalPos());
}

void PassesView::keyPressEvent(QKeyEvent* event) {
    if (!event->matches(QKeySequence::Copy)) return QListView::keyPressEvent(event);
    QStringList lines;
    for (int row = 0; row < model()->rowCount(); ++row)
        lines.append(model()->index(row, 0).data(PassesModel::sentence_role).toString());
    QApplication::clipboard()->setText(lines.join(u'\n'));
}

void PassesView::paintEvent(QPaintEvent* event) {
    QListView::paintEvent(event);
    if (model()->rowCount() > 0) return;
    QPainter painter(viewport());
    painter.setFont(textFont(normalTextPx));
    painter.setPen(currentTheme().dim);
    painter.drawText(viewport()->rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
                     accessibleDescription());
}

}  // namespace overlap::ui
