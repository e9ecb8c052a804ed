#pragma once

#include <cstdint>
#include <string>

namespace overlap {

/// A limit or a count as a person writes it in a sentence, whatever the locale: `1,000,000`, `12,345.5`, `0.1`. From
/// 10 to the power of 15 on, where nobody counts the digits, with an exponent: `1e30`.
std::string grouped_text(double value);
/// The same of a whole number, with all its digits: `9,223,372,036,854,775,807`.
std::string grouped_count(std::int64_t value);

}  // namespace overlap
