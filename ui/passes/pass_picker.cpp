#include "ui/passes/pass_picker.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QScreen>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "core/passes/pass.h"
#include "core/passes/registry/registry.h"
#include "ui/theme/harmless_text.h"
#include "ui/theme/theme_manager.h"
#include "ui/widgets/popup_place.h"

namespace overlap::ui {
namespace {

constexpr int picker_width = 560;
constexpr int picker_rows = 7;
constexpr int summary_role = Qt::UserRole;

/// A pass as its name and below what it does.
class PassPickerDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {0, QFontMetrics(textFont()).height() + QFontMetrics(textFont(smallTextPx)).height() + 14};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem ground(option);
        initStyleOption(&ground, index);
        ground.text.clear();
        const QStyle* style = option.widget ? option.widget->style() : QApplication::style();
        style->drawPrimitive(QStyle::PE_PanelItemViewItem, &ground, painter, option.widget);
        const QRect area = option.rect.adjusted(10, 6, -10, -6);
        painter->save();
        painter->setFont(textFont(normalTextPx, QFont::Medium));
        painter->setPen(currentTheme().text);
        painter->drawText(area, Qt::AlignTop | Qt::AlignLeft, index.data().toString());
        painter->setFont(textFont(smallTextPx));
        painter->setPen(currentTheme().dim);
        painter->drawText(
            area, Qt::AlignBottom | Qt::AlignLeft,
            elidedName(painter->fontMetrics(), index.data(summary_role).toString(), Qt::ElideRight, area.width()));
        painter->restore();
    }
};

bool containsAll(const QString& text, const QStringList& words) {
    return std::ranges::all_of(words, [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

}  // namespace

PassPicker::PassPicker(QWidget* parent) : QFrame(parent, Qt::Popup), field_(new QLineEdit), list_(new QListWidget) {
    setObjectName("passPicker");
    setAccessibleName(tr("Passes to add"));
    field_->setPlaceholderText(tr("Search passes"));
    field_->setAccessibleName(tr("Search passes"));
    list_->setAccessibleName(tr("Passes"));
    list_->setItemDelegate(new PassPickerDelegate(list_));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setUniformItemSizes(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addWidget(field_);
    layout->addWidget(list_);
    field_->installEventFilter(this);
    connect(field_, &QLineEdit::textChanged, this, &PassPicker::fill);
    connect(list_, &QListWidget::itemClicked, this, &PassPicker::take);
}

void PassPicker::openAt(const QPoint& position) {
    field_->clear();
    fill({});
    const int rows = std::min(list_->count(), picker_rows);
    const int height = field_->sizeHint().height() + rows * list_->sizeHintForRow(0) + 26;
    const QRect screen = parentWidget()->screen()->availableGeometry();
    resize(std::min(picker_width, screen.width()), std::min(height, screen.height()));
    movePopupBelow(*this, position);
    show();
    field_->setFocus();
}

void PassPicker::fill(const QString& query) {
    const QStringList words = query.split(u' ', Qt::SkipEmptyParts);
    list_->clear();
    for (const Pass* pass : all_passes()) {
        const QString name = QString::fromUtf8(pass->name());
        const QString summary = QString::fromUtf8(pass->summary());
        if (!containsAll(name + u' ' + summary, words)) continue;
        auto* item = new QListWidgetItem(name, list_);
        item->setData(summary_role, summary);
        item->setToolTip(summary);
        item->setData(Qt::AccessibleTextRole, name + QStringLiteral(": ") + summary);
    }
    list_->setCurrentRow(0);
}

void PassPicker::take() {
    const QListWidgetItem* item = list_->currentItem();
    if (!item) return;
    const QString pass = item->text();
    close();
    emit picked(pass);
}

bool PassPicker::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            take();
            return true;
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_PageUp:
        case Qt::Key_PageDown:
            QApplication::sendEvent(list_, event);
            return true;
        default:
            return QFrame::eventFilter(watched, event);
    }
}

}  // namespace overlap::ui
