#include "core/files/json_fields.h"

#include <charconv>
#include <optional>

#include "core/base/error.h"
#include "core/base/grouped_number.h"
#include "core/base/quote.h"
#include "core/files/json_text.h"

namespace overlap {

namespace {

using simdjson::dom::element_type;

[[noreturn]] void fail_expected(std::string_view expected, simdjson::dom::element found, const JsonPlace& place) {
    place.fail("expected " + std::string(expected) + ", found " + describe_json(found));
}

}  // namespace

std::string quoted_text(std::string_view text) {
    return JsonWriter().value(shortened(text)).take();
}

std::string JsonPlace::text() const {
    if (!above_) return std::string(field_);
    std::string result = above_->text();
    if (index_ != no_index) {
        result.append("[").append(std::to_string(index_)).append("]");
        if (!field_.empty()) result.append(" ").append(quoted_text(field_));
        return result;
    }
    const bool above_is_named_item = above_->index_ != no_index && !above_->field_.empty();
    return result + (above_is_named_item ? ", " : ".") + shortened(field_);
}

void JsonPlace::fail(std::string problem) const {
    throw InputError(text(), std::move(problem));
}

std::string describe_json(simdjson::dom::element value) {
    switch (value.type()) {
        case element_type::NULL_VALUE:
            return "null";
        case element_type::BOOL:
            return json_text(value);
        case element_type::INT64:
        case element_type::UINT64:
            return "the integer " + json_text(value);
        case element_type::DOUBLE:
            return "the number " + json_text(value);
        case element_type::STRING:
            return "the string " + quoted_text(value.get_string().value_unsafe());
        case element_type::ARRAY:
            return "a list";
        case element_type::OBJECT:
            break;
    }
    const std::string_view digits = wide_number(value);
    return digits.empty() ? "an object" : "the number " + shortened(digits);
}

std::string_view json_string(simdjson::dom::element value, const JsonPlace& place) {
    std::string_view text;
    if (value.get(text)) fail_expected("a string", value, place);
    return text;
}

bool json_boolean(simdjson::dom::element value, const JsonPlace& place) {
    bool result = false;
    if (value.get(result)) fail_expected("true or false", value, place);
    return result;
}

std::int64_t json_integer(simdjson::dom::element value, const JsonPlace& place, std::int64_t least,
                          std::int64_t greatest) {
    if (value.is_int64()) {
        const std::int64_t integer = value.get_int64().value_unsafe();
        if (integer >= least && integer <= greatest) return integer;
    }
    std::string expected = "an integer";
    constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    const bool is_larger = (value.is_uint64() && !value.is_int64()) || !wide_number(value).empty();
    if (least != lowest && (greatest != highest || is_larger)) {
        expected += " from " + grouped_count(least) + " to " + grouped_count(greatest);
    } else if (least != lowest) {
        expected += " of at least " + grouped_count(least);
    } else {
        expected += " of 64 bits";
    }
    fail_expected(expected, value, place);
}

double json_number(simdjson::dom::element value, const JsonPlace& place, double least, double most) {
    std::optional<double> number;
    if (value.is_double() || value.is_int64() || value.is_uint64()) {
        number = value.get_double().value_unsafe();
    } else if (const std::string_view digits = wide_number(value); !digits.empty()) {
        double wide = 0;
        if (std::from_chars(digits.data(), digits.data() + digits.size(), wide).ec == std::errc()) number = wide;
    }
    if (number && *number > most) fail_expected("at most " + grouped_text(most), value, place);
    if (number && *number >= least) return *number;
    std::string expected = "a finite number";
    if (least == 0) expected += " that is not negative";
    fail_expected(expected, value, place);
}

simdjson::dom::array json_list(simdjson::dom::element value, const JsonPlace& place) {
    simdjson::dom::array list;
    if (value.get(list)) fail_expected("a list", value, place);
    return list;
}

simdjson::dom::object json_object(simdjson::dom::element value, const JsonPlace& place) {
    simdjson::dom::object object;
    if (value.get(object) || !wide_number(value).empty()) fail_expected("an object", value, place);
    return object;
}

simdjson::dom::element json_required(simdjson::dom::object from, std::string_view key, const JsonPlace& place) {
    simdjson::dom::element found;
    if (from.at_key(key).get(found)) place.fail("the field \"" + std::string(key) + "\" is missing");
    return found;
}

}  // namespace overlap
