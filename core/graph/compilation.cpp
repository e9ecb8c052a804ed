#include "core/graph/compilation.h"

#include <algorithm>
#include <array>

namespace overlap {

namespace {

struct ScopeWords {
    CompiledScope scope;
    std::string_view name, text;
};

constexpr std::array<ScopeWords, 3> scope_words{{
    {CompiledScope::eager, "eager", "nothing"},
    {CompiledScope::blocks, "blocks", "its transformer blocks"},
    {CompiledScope::whole, "whole", "the whole graph"},
}};

const ScopeWords& words_of(CompiledScope scope) {
    return *std::ranges::find(scope_words, scope, &ScopeWords::scope);
}

}  // namespace

std::string_view compiled_scope_name(CompiledScope scope) {
    return words_of(scope).name;
}

std::string_view compiled_scope_text(CompiledScope scope) {
    return words_of(scope).text;
}

std::optional<CompiledScope> compiled_scope_by_name(std::string_view name) {
    const auto found = std::ranges::find(scope_words, name, &ScopeWords::name);
    return found == scope_words.end() ? std::nullopt : std::optional(found->scope);
}

}  // namespace overlap
