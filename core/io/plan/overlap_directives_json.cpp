#include "core/io/plan/overlap_directives_json.h"

#include <algorithm>
#include <array>

#include "core/base/error.h"
#include "core/base/nearest_name.h"
#include "core/base/quote.h"
#include "core/io/plan/plan_json.h"

namespace overlap {

namespace {

std::string text_field(const Json& json, const char* key, const std::string& place) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null()) return {};
    if (!found->is_string()) fail_type(place + "." + key, *found, "a name");
    return found->get<std::string>();
}

bool flag_field(const Json& json, const char* key, bool fallback) {
    const auto found = json.find(key);
    if (found == json.end()) return fallback;
    if (!found->is_boolean()) fail_type(std::string("overlaps.") + key, *found, "true or false");
    return found->get<bool>();
}

constexpr std::array<const char*, 5> directive_fields = {"collective", "start_after", "start_before", "wait_after",
                                                         "hide_behind"};

OverlapDirective read_directive(const Json& json, const std::string& place) {
    if (!json.is_object()) fail_type(place, json, "an object with collective and what it is to run behind");
    OverlapDirective directive;
    directive.collective = text_field(json, "collective", place);
    directive.start_after = text_field(json, "start_after", place);
    directive.start_before = text_field(json, "start_before", place);
    directive.wait_after = text_field(json, "wait_after", place);
    directive.hide_behind = text_field(json, "hide_behind", place);
    if (directive.collective.empty()) throw InputError(place, "has no collective");
    for (const auto& [key, value] : json.items())
        if (std::find(directive_fields.begin(), directive_fields.end(), key) == directive_fields.end())
            directive.extra.emplace_back(key, value.dump());
    return directive;
}

}  // namespace

OverlapDirectives read_overlap_directives(const Json& json) {
    OverlapDirectives directives;
    const Json* list = &json;
    if (json.is_object()) {
        directives.keep_group_order = flag_field(json, "keep_group_order", directives.keep_group_order);
        directives.insert_overlap_deps = flag_field(json, "insert_overlap_deps", directives.insert_overlap_deps);
        const std::vector<std::string> settings = {"keep_group_order", "insert_overlap_deps", "directives"};
        for (const auto& [key, value] : json.items())
            if (std::ranges::find(settings, key) == settings.end())
                throw InputError("overlaps",
                                 "there is no setting " + in_quotes(shortened(key)) + suggest_names(key, settings));
        const auto found = json.find("directives");
        if (found == json.end()) throw InputError("overlaps", "has no directives");
        list = &*found;
    }
    if (!list->is_array()) fail_type("overlaps", *list, "a list of directives");
    for (std::size_t index = 0; index < list->size(); ++index)
        directives.list.push_back(
            read_directive((*list)[index], std::string("overlaps[").append(std::to_string(index)).append("]")));
    return directives;
}

Json overlap_directives_json(const OverlapDirectives& directives) {
    Json list = Json::array();
    for (const OverlapDirective& directive : directives.list) {
        Json json = {{"collective", directive.collective}};
        const auto put = [&](const char* key, const std::string& value) {
            if (!value.empty()) json[key] = value;
        };
        put("start_after", directive.start_after);
        put("start_before", directive.start_before);
        put("wait_after", directive.wait_after);
        put("hide_behind", directive.hide_behind);
        add_unknown_fields(json, directive.extra);
        list.push_back(std::move(json));
    }
    const OverlapDirectives defaults;
    if (directives.keep_group_order == defaults.keep_group_order &&
        directives.insert_overlap_deps == defaults.insert_overlap_deps)
        return list;
    return {{"keep_group_order", directives.keep_group_order},
            {"insert_overlap_deps", directives.insert_overlap_deps},
            {"directives", std::move(list)}};
}

}  // namespace overlap
