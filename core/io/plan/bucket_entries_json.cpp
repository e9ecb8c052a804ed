#include "core/io/plan/bucket_entries_json.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/base/error.h"
#include "core/io/plan/plan_json.h"

namespace overlap {

namespace {

/// Whether `text` begins with a range such as `[0-2]`; white space may stand around its numbers.
bool begins_with_range(std::string_view text) {
    const auto skip = [&](std::string_view letters) {
        const std::size_t count = std::min(text.find_first_not_of(letters), text.size());
        text.remove_prefix(count);
        return count > 0;
    };
    const auto take = [&](char letter) {
        skip(" \t\n\v\f\r");
        if (!text.starts_with(letter)) return false;
        text.remove_prefix(1);
        skip(" \t\n\v\f\r");
        return true;
    };
    constexpr std::string_view digits = "0123456789";
    return take('[') && skip(digits) && take('-') && skip(digits) && take(']');
}

/// Whether a name is one of the abbreviations that users write: `norm+output`, `layers.[0-2]`.
bool is_abbreviation(std::string_view name) {
    if (name.find('+') != std::string_view::npos) return true;
    for (std::size_t i = name.find('['); i != std::string_view::npos; i = name.find('[', i + 1)) {
        if (begins_with_range(name.substr(i))) return true;
    }
    return false;
}

/// The entries that a name stands for: itself, or what it abbreviates.
std::vector<BucketEntry> named_entries(const std::string& name, const std::string& place, ExpansionBounds& bounds) {
    if (!is_abbreviation(name)) return {BucketEntry{.modules = {name}}};
    try {
        return parse_bucket_entries(name, bounds);
    } catch (const InputError& error) {
        throw InputError(place, error.place().empty() ? error.problem() : error.place() + ": " + error.problem());
    }
}

}  // namespace

std::vector<BucketEntry> read_bucket_entries(const Json& value, const std::string& place, ExpansionBounds& bounds) {
    if (value.is_string()) return named_entries(value.get<std::string>(), place, bounds);
    const bool object = value.is_object();
    if (!object && !value.is_array())
        fail_type(place, value, "an object with modules, a module path or a list of them");
    if (object && !value.contains("modules")) throw InputError(place, "has no modules");
    const Json& modules = object ? value.at("modules") : value;
    const std::string modules_place = object ? place + ".modules" : place;
    std::vector<BucketEntry> read(1);
    BucketEntry& entry = read.front();
    if (modules.is_string()) {
        for (BucketEntry& named : named_entries(modules.get<std::string>(), modules_place, bounds))
            std::move(named.modules.begin(), named.modules.end(), std::back_inserter(entry.modules));
    } else if (modules.is_array()) {
        for (std::size_t index = 0; index < modules.size(); ++index) {
            if (!modules[index].is_string())
                fail_type(item_place(modules_place, index), modules[index], "a module path");
            entry.modules.push_back(modules[index].get<std::string>());
        }
        entry.written_as_list = entry.modules.size() == 1;
    } else {
        fail_type(modules_place, modules, "a module path or a list of them");
    }
    if (!object) return read;
    entry.title = read_string(value, "title", place + ".");
    for (const auto& [key, ignored] : value.items()) {
        if (key != "modules" && key != "title") entry.extra.emplace_back(key, ignored.dump());
    }
    return read;
}

Json bucket_entry_json(const BucketEntry& entry) {
    Json bucket = Json::object();
    if (entry.modules.size() == 1 && !entry.written_as_list && !is_abbreviation(entry.modules.front())) {
        bucket["modules"] = entry.modules.front();
    } else {
        bucket["modules"] = entry.modules;
    }
    if (!entry.title.empty()) bucket["title"] = entry.title;
    add_unknown_fields(bucket, entry.extra);
    return bucket;
}

}  // namespace overlap
