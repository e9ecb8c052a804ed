#include "ui/timeline/memory_limit_editor.h"

#include <QKeyEvent>
#include <algorithm>
#include <utility>

#include "core/base/byte_units.h"

namespace overlap::ui {
namespace {

constexpr int editor_width = 170;

}  // namespace

MemoryLimitEditor::MemoryLimitEditor(QWidget* parent) : QLineEdit(parent) {
    setObjectName("memoryLimitEditor");
    setAccessibleName(tr("Limit of the peak"));
    setFixedWidth(editor_width);
    setCursor(Qt::IBeamCursor);
    hide();
}

void MemoryLimitEditor::open(const QRect& place, const QRect& area, std::int64_t bytes, std::vector<NamedBytes> names) {
    names_ = std::move(names);
    const bool has_device = std::ranges::find(names_, QStringLiteral("device"), &NamedBytes::first) != names_.end();
    setPlaceholderText(has_device ? tr("GiB; empty: the device") : tr("GiB; empty: no limit"));
    setToolTip(has_device ? tr("Such as 40, 40 GiB, baseline + 6 or plan - 5 %; empty is what the device holds")
                          : tr("Such as 40, 40 GiB, baseline + 6 or plan - 5 %; empty is no limit"));
    setText(bytes > 0 ? QString::number(static_cast<double>(bytes) / bytes_per_gib, 'f', 2) : QString());
    selectAll();
    adjustSize();
    const int last_x = std::max(area.left(), area.right() + 1 - width());
    const int last_y = parentWidget()->height() - height();
    move(std::clamp(place.right() + 1 - width(), area.left(), last_x),
         std::max(0, std::min(place.center().y() - height() / 2, last_y)));
    show();
    raise();
    setFocus();
}

void MemoryLimitEditor::take() {
    const QString typed = text().trimmed();
    const ReadLimit limit = typed.isEmpty() ? ReadLimit{0, {}} : readLimit(typed, names_);
    if (!limit.gib) return emit refused(limit.reason);
    close();
    emit accepted(*limit.gib);
}

void MemoryLimitEditor::close() {
    hide();
    emit closed();
}

void MemoryLimitEditor::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return take();
        case Qt::Key_Escape:
            return close();
        default:
            QLineEdit::keyPressEvent(event);
            event->accept();
    }
}

void MemoryLimitEditor::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    // The menu of the line itself takes the focus for a while.
    if (event->reason() != Qt::PopupFocusReason) hide();
}

}  // namespace overlap::ui
