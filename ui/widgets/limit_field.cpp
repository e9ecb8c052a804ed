#include "ui/widgets/limit_field.h"

#include <QLineEdit>
#include <QStyleOptionSpinBox>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/theme/harmless_text.h"

namespace overlap::ui {

LimitField::LimitField(QWidget* parent) : QDoubleSpinBox(parent) {
    setDecimals(3);
    setRange(0, most_limit_gib);
    setKeyboardTracking(false);  // a number that is half typed is no limit
    // The field tells what it comes to, its line what is typed.
    connect(this, &QDoubleSpinBox::textChanged, this, &QWidget::updateGeometry);
    connect(lineEdit(), &QLineEdit::textChanged, this, &QWidget::updateGeometry);
}

void LimitField::setNames(Names names) {
    names_ = std::move(names);
}

QSize LimitField::minimumSizeHint() const {
    ensurePolished();
    QStyleOptionSpinBox option;
    initStyleOption(&option);
    const QString shown = value() == minimum() && !specialValueText().isEmpty()
                              ? specialValueText()
                              : prefix() + textFromValue(value()) + suffix();
    constexpr int caret = 6;  // with the margins of the line
    // What is being typed may be longer than what it will come to.
    const auto width = [this](const QString& text) { return fontMetrics().horizontalAdvance(text); };
    const QSize content(std::max(width(shown), width(lineEdit()->text())) + caret, lineEdit()->sizeHint().height());
    return style()->sizeFromContents(QStyle::CT_SpinBox, &option, content, this);
}

QString LimitField::textFromValue(double gib) const {
    QString text = QDoubleSpinBox::textFromValue(gib);
    const QString point = locale().decimalPoint();
    if (!text.contains(point)) return text;
    while (text.endsWith(locale().zeroDigit())) text.chop(1);
    if (text.endsWith(point)) text.chop(point.size());
    return text;
}

/// Of the text with prefix and suffix, where these still stand.
ReadLimit LimitField::read(const QString& text) const {
    QString typed = text.trimmed();
    if (typed == specialValueText().trimmed()) return {minimum(), {}};
    if (const QString before = prefix().trimmed(); !before.isEmpty() && typed.startsWith(before))
        typed = typed.mid(before.size());
    if (const QString after = suffix().trimmed(); !after.isEmpty() && typed.endsWith(after)) typed.chop(after.size());
    if (typed.trimmed().isEmpty()) return {minimum(), {}};
    return readLimit(typed, names_ ? names_() : std::vector<NamedBytes>());
}

double LimitField::valueFromText(const QString& text) const {
    const std::optional<double> gib = read(text).gib;
    if (!gib) return value();
    // Rounded up, so that what is called by its name is within the limit.
    const double step = std::pow(10, decimals());
    return std::ceil(*gib * step - 1e-6) / step;
}

/// Any text may be on its way to a limit.
QValidator::State LimitField::validate(QString& text, int&) const {
    return read(text).gib ? QValidator::Acceptable : QValidator::Intermediate;
}

/// Called when what was typed is to count: then the field goes back to its value, which is not to be silent.
void LimitField::fixup(QString& text) const {
    const QString reason = read(text).reason;
    if (reason.isEmpty()) return;
    // Also called when it is hidden with something half typed.
    if (isVisible())
        QToolTip::showText(mapToGlobal(rect().bottomLeft()), shownName(reason), const_cast<LimitField*>(this));
    emit const_cast<LimitField*>(this)->refused(reason);
}

}  // namespace overlap::ui
