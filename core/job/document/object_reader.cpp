#include "core/job/document/object_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/io/plan/plan_json.h"

namespace overlap::job {

ObjectReader::ObjectReader(const Json& value, std::string place, std::string_view expected)
    : value_(value), place_(std::move(place)) {
    if (!value.is_object()) fail_type(place_, value, std::string(expected));
}

std::string ObjectReader::at(std::string_view key) const {
    return place_.empty() ? std::string(key) : place_ + "." + std::string(key);
}

void ObjectReader::fail(std::string_view key, const std::string& problem) const {
    throw InputError(key.empty() ? place_ : at(key), problem);
}

const Json* ObjectReader::find(std::string_view key) {
    known_.push_back(key);
    const auto field = value_.find(key);
    return field == value_.end() ? nullptr : &*field;
}

const Json& ObjectReader::require(std::string_view key, std::string_view expected) {
    const Json* field = find(key);
    if (!field) fail(key, "missing, expected " + std::string(expected));
    return *field;
}

std::string read_text(const Json& value, const std::string& place) {
    if (!value.is_string()) fail_type(place, value, "a string");
    return value.get<std::string>();
}

double read_number(const Json& value, const std::string& place, double least, double most) {
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    if (!(number >= least && number <= most)) {
        fail_type(place, value, "a number of " + grouped_text(least) + " to " + grouped_text(most));
    }
    return number;
}

std::int64_t read_integer(const Json& value, const std::string& place, std::int64_t least, std::int64_t most) {
    const bool fits =
        value.is_number_unsigned() ? value.get<std::uint64_t>() <= 0x7fffffffffffffffull : value.is_number_integer();
    const std::int64_t number = fits ? value.get<std::int64_t>() : 0;
    if (!fits || number < least || number > most) {
        std::string expected = "a whole number of at least " + grouped_text(static_cast<double>(least));
        if (most != std::numeric_limits<std::int64_t>::max())
            expected += " and at most " + grouped_text(static_cast<double>(most));
        fail_type(place, value, expected);
    }
    return number;
}

std::string ObjectReader::text(std::string_view key) {
    const Json* field = find(key);
    return field ? read_text(*field, at(key)) : std::string();
}

std::optional<double> ObjectReader::number(std::string_view key, double least, double most) {
    const Json* field = find(key);
    if (!field) return std::nullopt;
    return read_number(*field, at(key), least, most);
}

std::optional<std::int64_t> ObjectReader::integer(std::string_view key, std::int64_t least, std::int64_t most) {
    const Json* field = find(key);
    if (!field) return std::nullopt;
    return read_integer(*field, at(key), least, most);
}

std::optional<std::int32_t> ObjectReader::count(std::string_view key, std::int32_t least) {
    const std::optional<std::int64_t> number = integer(key, least, most_counted);
    if (!number) return std::nullopt;
    return static_cast<std::int32_t>(*number);
}

const Json* ObjectReader::list(std::string_view key) {
    const Json* field = find(key);
    if (field && !field->is_array()) fail_type(at(key), *field, "a list");
    return field;
}

std::optional<std::vector<std::string>> ObjectReader::texts(std::string_view key) {
    const Json* items = list(key);
    if (!items) return std::nullopt;
    std::vector<std::string> read;
    for (std::size_t i = 0; i < items->size(); ++i) read.push_back(read_text((*items)[i], item_place(at(key), i)));
    return read;
}

std::optional<std::vector<std::int64_t>> ObjectReader::integers(std::string_view key, std::int64_t least,
                                                                std::int64_t most) {
    const Json* items = list(key);
    if (!items) return std::nullopt;
    std::vector<std::int64_t> read;
    for (std::size_t i = 0; i < items->size(); ++i)
        read.push_back(read_integer((*items)[i], item_place(at(key), i), least, most));
    return read;
}

UnknownFields ObjectReader::unknown() const {
    UnknownFields fields;
    for (const auto& [key, value] : value_.items())
        if (std::find(known_.begin(), known_.end(), key) == known_.end()) fields.emplace_back(key, value.dump());
    return fields;
}

}  // namespace overlap::job
