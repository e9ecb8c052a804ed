#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace overlap {

// Numbers as sentences, tables and files show them, whatever the locale.

/// Figures for people, without exponent or trailing zeros: at most four significant digits, `1672`, `218.4`, `2.051`.
std::string number_text(double value);
/// The same with at most so many decimals: `0.5`, `12.25`.
std::string number_text(double value, int most_decimals);
/// Always so many decimals, as the numbers of a column have: `0.50`.
std::string fixed_text(double value, int decimals);
/// The fewest digits that read back as the same number: `0`, `0.5`, `1e+30`. For files; sentences have grouped_text().
std::string shortest_text(double value);

/// `21.9 ms`, with four digits, `1600.3 ms` with five from 1 s on; seconds from 10 s, µs below 0.1 ms, ns below 1 µs.
std::string time_text(double time_ms);
/// `12.345 ms`: always in milliseconds, for columns of times that are compared.
std::string milliseconds_text(double time_ms);
/// `436.2 MiB`, with four digits, and `0.979 GiB` from 1,000 MiB on; whole bytes below a KiB.
std::string bytes_text(std::int64_t bytes);
/// `12.34 %` of 12.34; `-` where there is none.
std::string percent_text(std::optional<double> percent);

}  // namespace overlap
