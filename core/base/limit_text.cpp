#include "core/base/limit_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/byte_units.h"
#include "core/base/quote.h"
#include "core/base/trimmed_text.h"

namespace overlap {
namespace {

struct MemoryUnit {
    std::string_view name;
    double bytes;
};
constexpr std::array memory_units{MemoryUnit{"b", 1},
                                  MemoryUnit{"kib", 1024},
                                  MemoryUnit{"mib", bytes_per_mib},
                                  MemoryUnit{"gib", bytes_per_gib},
                                  MemoryUnit{"tib", bytes_per_gib * 1024},
                                  MemoryUnit{"kb", 1e3},
                                  MemoryUnit{"mb", 1e6},
                                  MemoryUnit{"gb", 1e9},
                                  MemoryUnit{"tb", 1e12}};

/// A number and what stands behind it: `31.5` and `gib`.
struct Amount {
    double number = 0;
    std::string_view unit;
};

/// The number that is all of `digits`, whose decimal point may be a comma: infinity where it is too large; nothing
/// where it is none.
std::optional<double> number_in(std::string digits, std::chars_format format) {
    std::ranges::replace(digits, ',', '.');
    double number = 0;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, number, format);
    if (end != last) return {};
    if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
    if (error != std::errc()) return {};
    return number;
}

/// A number and nothing else, which may have an exponent as programs write it: `4e10`, `4e+10`.
std::optional<double> lone_number_in(std::string_view text) {
    if (text.find_first_not_of("0123456789.,e+-") != std::string_view::npos) return {};
    if (text.starts_with('-')) return {};  // counted from a name
    return number_in(std::string(text), std::chars_format::general);
}

/// Whether a comma may be meant to part thousands: then it is no decimal point that one could rely on.
bool may_part_thousands(std::string_view text) {
    for (std::size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',', comma + 1)) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", comma + 1), text.size());
        if (end - comma - 1 == 3) return true;
    }
    return false;
}

/// @returns nothing where the text does not begin with a number, or goes on behind its unit.
std::optional<Amount> amount_in(std::string_view text) {
    const std::size_t length = std::min(text.find_first_not_of("0123456789.,"), text.size());
    const std::optional<double> number = number_in(std::string(text.substr(0, length)), std::chars_format::fixed);
    if (!number) return {};
    Amount amount;
    amount.number = *number;
    amount.unit = trimmed(text.substr(length));
    const auto is_letter = [](char letter) { return letter >= 'a' && letter <= 'z'; };
    if (amount.unit != "%" && !std::ranges::all_of(amount.unit, is_letter)) return {};
    return amount;
}

std::string names_in(const std::vector<NamedLimit>& names) {
    std::string all;
    for (const NamedLimit& name : names) all.append(all.empty() ? "" : ", ").append(name.first);
    return all;
}

/// Sums up a limit, summand by summand.
class LimitSum {
  public:
    LimitSum(const std::vector<NamedLimit>& names, std::string_view whole, double lone_number_of)
        : names_(names), whole_(whole), lone_number_of_(lone_number_of) {}

    double bytes() const { return bytes_; }
    const std::string& reason() const { return reason_; }

    bool has_names() const { return has_names_; }

    /// Begins at the first of the names, as what has a sign in front does.
    bool begin_at_first_name() {
        if (names_.empty()) return refuse("there is nothing to count " + in_quotes(whole_) + " from");
        bytes_ = static_cast<double>(names_.front().second);
        has_names_ = true;
        shares_have_a_whole_ = true;
        return true;
    }

    bool add(double sign, std::string_view term) {
        const std::optional<double> summand = bytes_in(term);
        if (!summand) return false;
        bytes_ += sign * *summand;
        shares_have_a_whole_ = true;
        return true;
    }

  private:
    std::optional<double> bytes_in(std::string_view term) {
        const auto named = std::ranges::find(names_, term, &NamedLimit::first);
        if (named != names_.end()) {
            has_names_ = true;
            return static_cast<double>(named->second);
        }
        const std::optional<Amount> amount = amount_in(term);
        if (!amount) {
            refuse(term.empty() ? "something is missing beside + or -" : no_number(term));
            return {};
        }
        if (amount->unit.empty()) return amount->number * bytes_per_gib;
        if (amount->unit == "%") return share(amount->number, term);
        const auto unit = std::ranges::find(memory_units, amount->unit, &MemoryUnit::name);
        if (unit != memory_units.end()) return amount->number * unit->bytes;
        refuse(in_quotes(amount->unit) + " is not a unit of memory; use B, KiB, MiB, GiB, TiB, KB, MB, GB or TB");
        return {};
    }

    std::optional<double> share(double percent, std::string_view term) {
        if (shares_have_a_whole_) return bytes_ * percent / 100;
        refuse("it is not said of what " + in_quotes(term) + " is" +
               (names_.empty() ? "" : "; write " + names_.front().first + " - " + std::string(term)));
        return {};
    }

    std::string no_number(std::string_view term) const {
        // A name that others have, and this one would have were it known.
        if (term == "device")
            return "the cost model does not tell what the device holds, so " + in_quotes(shortened(whole_)) +
                   " is not known";
        const bool is_in_a_sum = term != whole_;
        const std::string unit = is_in_a_sum || lone_number_of_ != 1 ? "GiB" : "bytes";
        if (names_.empty()) return in_quotes(term) + " is no number of " + unit;
        return in_quotes(term) + " is neither a number of " + unit + " nor one of " + names_in(names_);
    }

    bool refuse(const std::string& reason) {
        reason_ = reason;
        return false;
    }

    const std::vector<NamedLimit>& names_;
    std::string_view whole_;
    double lone_number_of_;
    std::string reason_;
    double bytes_ = 0;
    bool has_names_ = false;            ///< bytes of one of them are in the sum
    bool shares_have_a_whole_ = false;  ///< something stands before the next summand
};

LimitText limit_of(double bytes, std::string_view limit) {
    if (!std::isfinite(bytes)) return {{}, in_quotes(shortened(limit)) + " has too large a number"};
    if (bytes < 0) return {{}, in_quotes(shortened(limit)) + " is below 0"};
    return {bytes, {}};
}

}  // namespace

LimitText read_limit(std::string_view text, const std::vector<NamedLimit>& names, double lone_number_of) {
    std::string limit(trimmed(text));
    std::ranges::transform(limit, limit.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (limit.empty()) return {{}, "the limit is blank"};
    if (may_part_thousands(limit))
        return {{},
                "the comma in " + in_quotes(shortened(limit)) +
                    " may part decimals or thousands; write a point before decimals and nothing between thousands"};
    if (const std::optional<double> lone = lone_number_in(limit)) return limit_of(*lone * lone_number_of, limit);
    LimitSum sum(names, limit, lone_number_of);
    std::string_view rest = limit;
    double sign = 1;
    if (rest.starts_with('+') || rest.starts_with('-')) {
        if (!sum.begin_at_first_name()) return {{}, sum.reason()};
        sign = rest.front() == '-' ? -1 : 1;
        rest.remove_prefix(1);
    }
    for (bool more = true; more;) {
        const std::size_t next = rest.find_first_of("+-");
        more = next != std::string_view::npos;
        if (!sum.add(sign, trimmed(rest.substr(0, next)))) return {{}, sum.reason()};
        if (!more) break;
        sign = rest[next] == '-' ? -1 : 1;
        rest.remove_prefix(next + 1);
    }
    LimitText read = limit_of(sum.bytes(), limit);
    read.depends_on_names = sum.has_names();
    return read;
}

}  // namespace overlap
