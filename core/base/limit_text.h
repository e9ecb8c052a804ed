#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace overlap {

/// A word that a limit of memory may be counted from, in small letters, and the bytes that it stands for: `baseline`.
using NamedLimit = std::pair<std::string, std::int64_t>;

/// What a limit of memory means.
struct LimitText {
    std::optional<double> bytes;  ///< finite and not below 0; nothing where it is not understood
    std::string reason;           ///< why it is not, as a sentence without full stop
    /// It is counted from names and written well: what it comes to, and so whether that is too little or too much, is
    /// known with their bytes alone.
    bool depends_on_names = false;
};

/// Reads a limit of memory as the window and the command line take it, in any letters: `31.5 GiB`, `800MiB`, `32 GB`, a
/// name, and sums such as `baseline + 6`, `device - 2 GiB` or `baseline + 10 %`. A number without a unit is of GiB, a
/// share is of what stands before it. With a sign in front it is counted from the first of the names: `+6`, `+10%`. A
/// comma is a decimal point, but refused before three digits, where it may part thousands. A number that stands alone
/// may have an exponent: `4e10`. Where `device` is none of the names, the reason says that the cost model does not
/// tell.
/// @param lone_number_of bytes of one, where the limit is a number without a unit and nothing else: 1, or those of a
/// GiB.
LimitText read_limit(std::string_view text, const std::vector<NamedLimit>& names, double lone_number_of);

}  // namespace overlap
