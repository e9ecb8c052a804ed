#pragma once

namespace overlap {

/// `value` rounded to six decimals: the double nearest to the decimal that is nearest to the exact value, ties to even.
/// Python's `round(value, 6)`, bit for bit; the estimates of graph files are rounded with it.
double round_to_six_decimals(double value);

}  // namespace overlap
