#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/unknown_fields.h"
#include "core/files/ordered_json.h"

namespace overlap::job {

/// Ranks, stages and microbatches are counted up to here.
inline constexpr std::int64_t most_counted = 10'000'000;
/// No time is longer: about 300 years.
inline constexpr double longest_ms = 1e13;

/// Takes the fields of one object of a document and remembers which it knew.
class ObjectReader {
  public:
    /// @param place of the object, empty for the document. @throws InputError where `value` is no object.
    ObjectReader(const Json& value, std::string place, std::string_view expected);

    /// The field, or null where it is missing. It counts as known.
    const Json* find(std::string_view key);
    /// @throws InputError where it is missing.
    const Json& require(std::string_view key, std::string_view expected);
    std::string text(std::string_view key);  ///< empty where missing
    std::optional<double> number(std::string_view key, double least = 0, double most = longest_ms);
    std::optional<std::int64_t> integer(std::string_view key, std::int64_t least = 0,
                                        std::int64_t most = std::numeric_limits<std::int64_t>::max());
    std::optional<std::int32_t> count(std::string_view key, std::int32_t least);
    std::optional<std::vector<std::string>> texts(std::string_view key);
    std::optional<std::vector<std::int64_t>> integers(std::string_view key, std::int64_t least = 0,
                                                      std::int64_t most = std::numeric_limits<std::int64_t>::max());
    /// The items of a list; null where it is missing.
    const Json* list(std::string_view key);

    /// `schedule.name`.
    std::string at(std::string_view key) const;
    /// Fields that were not asked for.
    UnknownFields unknown() const;
    [[noreturn]] void fail(std::string_view key, const std::string& problem) const;

  private:
    const Json& value_;
    std::string place_;
    std::vector<std::string_view> known_;
};

// Values alone. @throws InputError at `place`.
double read_number(const Json& value, const std::string& place, double least = 0, double most = longest_ms);
std::int64_t read_integer(const Json& value, const std::string& place, std::int64_t least, std::int64_t most);
std::string read_text(const Json& value, const std::string& place);

}  // namespace overlap::job
