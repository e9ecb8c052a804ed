#include "ui/passes/option_help.h"

#include "ui/theme/harmless_text.h"
#include "ui/theme/theme.h"

namespace overlap::ui {
namespace {

int heightOf(const QFontMetrics& metrics, const QString& text, int width) {
    return metrics.boundingRect(QRect(0, 0, width, QWIDGETSIZE_MAX), Qt::AlignLeft | Qt::TextWordWrap, text).height();
}

/// As much of the text as has room.
QString fitting(const QFontMetrics& metrics, const QString& text, const QSize& room) {
    QString shown = text;
    for (qsizetype length = text.size(); length > 0 && heightOf(metrics, shown, room.width()) > room.height(); --length)
        shown = text.left(length).trimmed() + u'…';
    return shown;
}

}  // namespace

OptionHelp::OptionHelp(const QString& help, QWidget* parent) : QLabel(parent), help_(help) {
    setWordWrap(true);
    setFont(textFont(smallTextPx));
    setTextFormat(Qt::PlainText);
    setAlignment(Qt::AlignLeft | Qt::AlignTop);
    showText();
}

void OptionHelp::setRefusal(const QString& reason) {
    refusal_ = shownName(reason);
    setToolTip(refusal_);
    showText();
}

QSize OptionHelp::sizeHint() const {
    return minimumSizeHint();
}

/// As wide as its column.
QSize OptionHelp::minimumSizeHint() const {
    return {0, fontMetrics().height()};
}

int OptionHelp::heightForWidth(int width) const {
    ensurePolished();
    return heightOf(fontMetrics(), help_, width);
}

void OptionHelp::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    showText();
}

void OptionHelp::showText() {
    const QString role = refusal_.isEmpty() ? QStringLiteral("dim") : QStringLiteral("refusal");
    if (property("role") != role) {
        setProperty("role", role);
        setStyleSheet(styleSheet());  // the role is another one
    }
    setText(refusal_.isEmpty() ? help_ : fitting(fontMetrics(), refusal_, size()));
}

}  // namespace overlap::ui
