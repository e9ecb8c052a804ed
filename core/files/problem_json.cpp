#include "core/files/problem_json.h"

#include <string>

namespace overlap {

void write_problems(JsonWriter& json, std::span<const Problem> problems) {
    json.begin_array();
    for (const Problem& problem : problems) {
        json.begin_object().member("severity", severity_name(problem.severity));
        json.member("kind", problem_kind_name(problem.kind)).member("message", std::string_view(problem.message));
        json.key("nodes").begin_array();
        for (const std::string& node : problem.nodes) json.value(std::string_view(node));
        json.end_array().end_object();
    }
    json.end_array();
}

}  // namespace overlap
