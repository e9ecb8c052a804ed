#include "ui/widgets/number_field.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <cmath>

#include "ui/theme/harmless_text.h"
#include "ui/theme/tool_tip_lines.h"

namespace overlap::ui {

NumberField::NumberField(int decimals, QWidget* parent) : QDoubleSpinBox(parent) {
    setDecimals(decimals);
    setKeyboardTracking(false);  // "16" is one change, and not one to "1" before it
}

QString NumberField::textFromValue(double value) const {
    QString text = locale().toString(value, 'f', decimals());
    text.remove(locale().groupSeparator());
    if (const QString point = locale().decimalPoint(); text.contains(point)) {
        while (text.endsWith(locale().zeroDigit())) text.chop(1);
        if (text.endsWith(point)) text.chop(point.size());
    }
    return text;
}

/// Without what stands behind the number, where that still does.
QString NumberField::typedIn(const QString& text) const {
    QString typed = text.trimmed();
    // It may have been typed as well.
    if (const QString behind = suffix().trimmed(); !behind.isEmpty())
        while (typed.endsWith(behind)) typed = typed.chopped(behind.size()).trimmed();
    return typed;
}

std::optional<double> NumberField::inRange(const QString& text) const {
    bool is_number = false;
    const double number = locale().toDouble(typedIn(text).replace(QChar(0x2212), u'-'), &is_number);
    if (!is_number || !std::isfinite(number) || number < minimum() || number > maximum()) return std::nullopt;
    return number;
}

/// What has more decimals than the field would be rounded.
std::optional<double> NumberField::numberOf(const QString& text) const {
    const std::optional<double> number = inRange(text);
    return number && locale().toDouble(textFromValue(*number)) == *number ? number : std::nullopt;
}

double NumberField::valueFromText(const QString& text) const {
    return numberOf(text).value_or(value());
}

/// Any text may be on its way to a number.
QValidator::State NumberField::validate(QString& text, int&) const {
    return numberOf(text) ? QValidator::Acceptable : QValidator::Intermediate;
}

/// Called when what was typed is to count: then the field goes back to its number, which is not to be silent.
void NumberField::fixup(QString& text) const {
    if (!numberOf(text)) const_cast<NumberField*>(this)->refuse(text);
}

void NumberField::refuse(const QString& text) {
    const QString typed = typedIn(text);
    const QString what = decimals() == 0 ? tr("a whole number")
                         : inRange(text) ? tr("a number of at most %1 decimals").arg(decimals())
                                         : tr("a number");
    const QString reason = tr("%1 is not taken: expected %2 from %3 to %4")
                               .arg(typed.isEmpty() ? tr("An empty field") : shownName(typed), what,
                                    textFromValue(minimum()), textFromValue(maximum()));
    // Also called when it is hidden with something half typed.
    if (isVisible()) showToolTip(mapToGlobal(rect().bottomLeft()), reason, this);
    emit refused(reason);
}

void NumberField::keyPressEvent(QKeyEvent* event) {
    const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!enters || numberOf(lineEdit()->text())) return QDoubleSpinBox::keyPressEvent(event);
    refuse(lineEdit()->text());
    event->accept();
}

}  // namespace overlap::ui
