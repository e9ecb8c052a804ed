#include "ui/timeline/memory_limit_editor.h"

#include <QKeyEvent>
#include <algorithm>
#include <cmath>
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

QString MemoryLimitEditor::textOf(std::int64_t bytes, const QString& typed) const {
    if (bytes <= 0) return {};
    const std::optional<double> gib = typed.isEmpty() ? std::nullopt : readLimit(typed, names_).gib;
    // A number of GiB allows all that is shown as that much.
    if (gib && (std::llround(*gib * bytes_per_gib) == bytes || limitBytes(*gib) == bytes)) return typed;
    return QString::number(static_cast<double>(bytes) / bytes_per_gib, 'f', 2);
}

void MemoryLimitEditor::open(const QRect& place, const QRect& area, std::int64_t bytes, std::vector<NamedBytes> names,
                             const QString& typed) {
    names_ = std::move(names);
    const bool has_device = std::ranges::find(names_, QStringLiteral("device"), &NamedBytes::first) != names_.end();
    setPlaceholderText(has_device ? tr("GiB; empty: the device") : tr("GiB; empty: no limit"));
    setToolTip(has_device ? tr("Such as 40, 40 GiB, baseline + 6 or plan - 5 %; empty is what the device holds")
                          : tr("Such as 40, 40 GiB, baseline + 6 or plan - 5 %; empty is no limit"));
    setText(textOf(bytes, typed));
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
    emit accepted(typed);
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
