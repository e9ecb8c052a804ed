#pragma once

#include <QString>
#include <cstdint>

namespace overlap::ui {

/// Between a number and its unit: a thin space that does not break.
inline constexpr QChar thinSpace{0x202f};
/// The sign of negative numbers; a hyphen is too short beside tabular figures.
inline constexpr QChar minusSign{0x2212};

/// At most four significant digits, no trailing zeros: "1672", "218.4", "31.58", "2.051".
QString formatNumber(double value);
/// A sentence of core's, whose numbers are followed by ordinary spaces, with spaces that do not break before units.
QString withUnbrokenUnits(const QString& sentence);
/// Milliseconds; µs and ns below 0.1 ms, seconds from 10 s. "218.4 ms", "1600.3 ms", "95.2 µs", "0 ms".
QString formatTime(double ms);
/// Bytes in B, KiB, MiB, GiB, TiB. "31.58 GiB", "436.2 MiB", "0 B".
QString formatBytes(double bytes);
/// A share of 1 in percent with one decimal: "40.2 %".
QString formatPercent(double share);
/// A count with thin spaces between thousands: "9 939".
QString formatCount(std::int64_t count);

enum class Unit { Time, Bytes, Percent, Count };
/// A difference with its sign: "+0.4 GiB", "−12.1 ms", "±0 ms". `difference` is in what the unit's formatter takes.
QString formatDifference(double difference, Unit unit);

}  // namespace overlap::ui
