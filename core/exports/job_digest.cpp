#include "core/exports/job_digest.h"

#include "core/base/word_hash.h"
#include "core/files/ordered_json.h"
#include "core/graph/value.h"

namespace overlap {

namespace {

/// The first word of a value: what it is, and how many there are of what it holds.
std::uint64_t head(ValueKind kind, std::size_t count = 0) {
    return static_cast<std::uint64_t>(kind) << 32 | count;
}

void add(WordHash& hash, const Json& value);

void add_text(WordHash& hash, ValueKind kind, std::string_view text) {
    hash.add(head(kind));
    hash.add(word_of_text(text));
}

void add_number(WordHash& hash, const Json& value) {
    if (value.is_number_float()) {
        hash.add(head(ValueKind::floating));
        hash.add(std::bit_cast<std::uint64_t>(value.get<double>()));
    } else if (value.is_number_unsigned() && value.get<std::uint64_t>() >> 63 != 0) {
        add_text(hash, ValueKind::raw_json, value.dump());
    } else {
        hash.add(head(ValueKind::integer));
        hash.add(static_cast<std::uint64_t>(value.get<std::int64_t>()));
    }
}

void add(WordHash& hash, const Json& value) {
    if (value.is_array()) {
        hash.add(head(ValueKind::list, value.size()));
        for (const Json& item : value) add(hash, item);
    } else if (value.is_object()) {
        hash.add(head(ValueKind::dictionary, 2 * value.size()));
        for (const auto& [key, item] : value.items()) {
            add_text(hash, ValueKind::string, key);
            add(hash, item);
        }
    } else if (value.is_string()) {
        add_text(hash, ValueKind::string, value.get_ref<const std::string&>());
    } else if (value.is_boolean()) {
        hash.add(head(ValueKind::boolean));
        hash.add(value.get<bool>() ? 1 : 0);
    } else if (value.is_number()) {
        add_number(hash, value);
    } else {
        hash.add(head(ValueKind::none));
    }
}

}  // namespace

std::string value_digest(const Json& value) {
    WordHash hash;
    add(hash, value);
    return hexadecimal(hash.value());
}

}  // namespace overlap
