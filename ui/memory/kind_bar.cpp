#include "ui/memory/kind_bar.h"

#include <QPainter>
#include <algorithm>

#include "ui/theme/harmless_text.h"
#include "ui/theme/numbers.h"
#include "ui/theme/theme_manager.h"

namespace overlap::ui {
namespace {

constexpr int margin = 8, gap = 6, mark = 8, mark_gap = 4;
/// In pixels, from the top: of the bar, of the names below it, and of all.
struct Heights {
    int bar_top, bar, names_top, all;
};
constexpr Heights usual{4, 12, 20, 40}, low_heights{1, 4, 5, 20};
constexpr std::size_t told_modules = 12;

QString nameOf(MemoryKind kind) {
    return QString::fromStdString(memory_kind_title(kind));
}

QString moreText(qint64 kinds, bool of_all) {
    return (of_all ? KindBar::tr("kinds: %1") : KindBar::tr("and %1 more")).arg(kinds);
}

QColor colourOf(MemoryKind kind) {
    return currentTheme().bucket(static_cast<std::uint32_t>(kind));
}

}  // namespace

KindBar::KindBar(QWidget* parent) : QWidget(parent) {
    setObjectName("memoryKinds");
    setAccessibleName(tr("What is held at the peak"));
    setLow(false);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, qOverload<>(&KindBar::update));
}

void KindBar::setLow(bool low) {
    low_ = low;
    setFixedHeight((low ? low_heights : usual).all);
    update();
}

void KindBar::setHeld(const HeldMemory& held) {
    parts_.clear();
    bytes_ = held.bytes;
    for (std::size_t kind = 0; kind < memory_kind_count; ++kind)
        if (held.by_kind[kind] > 0) parts_.push_back({static_cast<MemoryKind>(kind), held.by_kind[kind]});
    std::ranges::stable_sort(parts_, std::ranges::greater{}, &Part::bytes);
    QStringList lines{tr("At the peak: %1").arg(text())};
    for (std::size_t index = 0; index < std::min(told_modules, held.modules.size()); ++index) {
        const HeldMemory::OfModule& module = held.modules[index];
        const QString name = module.module.empty() ? tr("no module") : QString::fromStdString(module.module);
        lines.append(QStringLiteral("%1  %2").arg(formatBytes(static_cast<double>(module.bytes)), shownName(name)));
    }
    setToolTip(parts_.empty() ? QString() : lines.join(u'\n'));
    setAccessibleDescription(text());
    update();
}

QString KindBar::text() const {
    QStringList texts;
    for (const Part& part : parts_) texts.append(labelOf(part));
    return texts.join(QStringLiteral(", "));
}

QString KindBar::labelOf(const Part& part) const {
    return QStringLiteral("%1 %2").arg(nameOf(part.kind), formatBytes(static_cast<double>(part.bytes)));
}

QStringList KindBar::legend() const {
    const QFontMetrics metrics(textFont(smallTextPx));
    const int room = rect().width() - 2 * margin;
    QStringList shown;
    int used = 0;
    for (std::size_t index = 0; index < parts_.size(); ++index) {
        const QString label = labelOf(parts_[index]);
        const int end = used + mark + mark_gap + metrics.horizontalAdvance(label);
        const auto left = static_cast<qint64>(parts_.size() - index);
        const int more = left > 1 ? 2 * gap + metrics.horizontalAdvance(moreText(left, index == 0)) : 0;
        if (end + more > room) {
            shown.append(moreText(left, index == 0));
            break;
        }
        shown.append(label);
        used = end + 2 * gap;
    }
    return shown;
}

void KindBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = currentTheme();
    painter.fillRect(rect(), theme.panel);
    if (bytes_ <= 0) return;
    const Heights& heights = low_ ? low_heights : usual;
    double x = margin;
    const double width = rect().width() - 2.0 * margin;
    for (const Part& part : parts_) {
        const double length = width * static_cast<double>(part.bytes) / static_cast<double>(bytes_);
        painter.fillRect(QRectF(x, heights.bar_top, std::max(1.0, length - 1), heights.bar), colourOf(part.kind));
        x += length;
    }
    painter.setFont(textFont(smallTextPx));
    painter.setPen(theme.dim);
    int label_x = margin;
    const QStringList labels = legend();
    for (std::size_t index = 0; index < static_cast<std::size_t>(labels.size()); ++index) {
        const QString& label = labels[static_cast<qsizetype>(index)];
        if (index < parts_.size() && label == labelOf(parts_[index])) {
            painter.fillRect(QRectF(label_x, heights.names_top + 4, mark, mark), colourOf(parts_[index].kind));
            label_x += mark + mark_gap;
        }
        const int text_width = painter.fontMetrics().horizontalAdvance(label);
        painter.drawText(QRect(label_x, heights.names_top, text_width, painter.fontMetrics().height()),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, label);
        label_x += text_width + 2 * gap;
    }
}

}  // namespace overlap::ui
