#include "core/base/limit_text.h"

#include <algorithm>
#include <array>
#include <charconv>

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

/// @returns nothing where the text does not begin with a number, or goes on behind its unit.
std::optional<Amount> amount_in(std::string_view text) {
    const std::size_t length = std::min(text.find_first_not_of("0123456789.,"), text.size());
    std::string digits(text.substr(0, length));
    std::ranges::replace(digits, ',', '.');
    Amount amount;
    const char* const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, amount.number, std::chars_format::fixed);
    if (error != std::errc() || end != last) return {};
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
    LimitSum(const std::vector<NamedLimit>& names, std::string_view whole) : names_(names), whole_(whole) {}

    double bytes() const { return bytes_; }
    const std::string& reason() const { return reason_; }

    /// Begins at the first of the names, as what has a sign in front does.
    bool begin_at_first_name() {
        if (names_.empty()) return refuse("there is nothing to count " + in_quotes(whole_) + " from");
        bytes_ = static_cast<double>(names_.front().second);
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
        if (named != names_.end()) return static_cast<double>(named->second);
        const std::optional<Amount> amount = amount_in(term);
        if (!amount) {
            refuse(term.empty() ? "something is missing beside + or -" : no_number(term));
            return {};
        }
        if (amount->unit.empty()) return amount->number * bytes_per_gib;
        if (amount->unit == "%") return share(amount->number, term);
        const auto unit = std::ranges::find(memory_units, amount->unit, &MemoryUnit::name);
        if (unit != memory_units.end()) return amount->number * unit->bytes;
        refuse(in_quotes(amount->unit) + " is not a unit of memory; use MiB, GiB, TiB, MB, GB or TB");
        return {};
    }

    std::optional<double> share(double percent, std::string_view term) {
        if (shares_have_a_whole_) return bytes_ * percent / 100;
        refuse("it is not said of what " + in_quotes(term) + " is" +
               (names_.empty() ? "" : "; write " + names_.front().first + " - " + std::string(term)));
        return {};
    }

    std::string no_number(std::string_view term) const {
        if (names_.empty()) return in_quotes(term) + " is no number of GiB";
        return in_quotes(term) + " is neither a number of GiB nor one of " + names_in(names_);
    }

    bool refuse(const std::string& reason) {
        reason_ = reason;
        return false;
    }

    const std::vector<NamedLimit>& names_;
    std::string_view whole_;
    std::string reason_;
    double bytes_ = 0;
    bool shares_have_a_whole_ = false;  ///< something stands before the next summand
};

}  // namespace

LimitText read_limit(std::string_view text, const std::vector<NamedLimit>& names, double lone_number_of) {
    std::string limit(trimmed(text));
    std::ranges::transform(limit, limit.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (const std::optional<Amount> lone = amount_in(limit); lone && lone->unit.empty())
        return {lone->number * lone_number_of, {}};
    LimitSum sum(names, limit);
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
    if (sum.bytes() < 0) return {{}, in_quotes(limit) + " is below 0"};
    return {sum.bytes(), {}};
}

}  // namespace overlap
