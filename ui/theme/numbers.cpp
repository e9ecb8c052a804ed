#include "ui/theme/numbers.h"

#include <QRegularExpression>
#include <array>
#include <cmath>

namespace overlap::ui {
namespace {

constexpr QChar microSign{0x00b5};
/// Less is written as 0 ns.
constexpr double least_time_shown_ms = 0.0005e-6;

QString withUnit(double value, const QString& unit) {
    return formatNumber(value) + thinSpace + unit;
}

int decimalsFor(double magnitude) {
    if (magnitude >= 999.95) return 0;
    if (magnitude >= 99.995) return 1;
    if (magnitude >= 9.9995) return 2;
    return 3;
}

}  // namespace

QString formatNumber(double value) {
    const double magnitude = std::abs(value);
    QString digits = QString::number(magnitude, 'f', decimalsFor(magnitude));
    if (digits.contains(QLatin1Char('.'))) {
        while (digits.endsWith(QLatin1Char('0'))) digits.chop(1);
        if (digits.endsWith(QLatin1Char('.'))) digits.chop(1);
    }
    return value < 0 && digits != QLatin1String("0") ? minusSign + digits : digits;
}

QString withUnbrokenUnits(const QString& sentence) {
    static const QRegularExpression unit(QStringLiteral("(?<=\\d) (?=(?:s|ms|µs|ns|B|KiB|MiB|GiB|TiB|%)(?:\\W|$))"));
    return QString(sentence).replace(unit, thinSpace);
}

QString formatTime(double ms) {
    const double magnitude = std::abs(ms);
    if (magnitude >= 9999.5) return withUnit(ms / 1e3, QStringLiteral("s"));
    if (magnitude == 0 || magnitude >= 0.1) return withUnit(ms, QStringLiteral("ms"));
    if (magnitude >= 0.9995e-3) return withUnit(ms * 1e3, microSign + QStringLiteral("s"));
    return withUnit(ms * 1e6, QStringLiteral("ns"));
}

QString formatBytes(double bytes) {
    static const std::array<QString, 5> units{QStringLiteral("B"), QStringLiteral("KiB"), QStringLiteral("MiB"),
                                              QStringLiteral("GiB"), QStringLiteral("TiB")};
    std::size_t unit = 0;
    // 1,000 MiB reads better as 0.977 GiB than four digits do beside a neighbour in GiB; so the step is at 1,000.
    while (std::abs(bytes) >= 999.95 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return withUnit(bytes, units[unit]);
}

QString formatPercent(double share) {
    QString digits = QString::number(std::abs(share) * 100, 'f', 1);
    const bool zero = digits == QLatin1String("0.0");
    return (share < 0 && !zero ? QString(minusSign) : QString()) + digits + thinSpace + QLatin1Char('%');
}

QString formatCount(std::int64_t count) {
    QString digits = QString::number(count < 0 ? -count : count);
    for (qsizetype place = digits.size() - 3; place > 0; place -= 3) digits.insert(place, thinSpace);
    return count < 0 ? minusSign + digits : digits;
}

QString formatDifference(double difference, Unit unit) {
    QString text;
    double magnitude = std::abs(difference);
    if (unit == Unit::Time && magnitude < least_time_shown_ms) magnitude = 0;  // what sums in another order leave
    switch (unit) {
        case Unit::Time:
            text = formatTime(magnitude);
            break;
        case Unit::Bytes:
            text = formatBytes(magnitude);
            break;
        case Unit::Percent:
            text = formatPercent(magnitude);
            break;
        case Unit::Count:
            text = formatCount(std::llround(magnitude));
            break;
    }
    const bool zero = unit == Unit::Percent ? magnitude < 0.0005
                      : unit == Unit::Count ? std::llround(magnitude) == 0
                                            : magnitude == 0;
    if (zero) return QChar(0x00b1) + text;
    return (difference < 0 ? minusSign : QChar(QLatin1Char('+'))) + text;
}

}  // namespace overlap::ui
