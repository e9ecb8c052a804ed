#include "core/graph/compilation.h"

namespace overlap {

std::string_view compiled_scope_name(CompiledScope scope) {
    switch (scope) {
        case CompiledScope::eager:
            return "eager";
        case CompiledScope::blocks:
            return "blocks";
        case CompiledScope::whole:
            break;
    }
    return "whole";
}

std::string_view compiled_scope_text(CompiledScope scope) {
    switch (scope) {
        case CompiledScope::eager:
            return "nothing";
        case CompiledScope::blocks:
            return "its transformer blocks";
        case CompiledScope::whole:
            break;
    }
    return "the whole graph";
}

std::optional<CompiledScope> compiled_scope_by_name(std::string_view name) {
    for (const CompiledScope scope : {CompiledScope::eager, CompiledScope::blocks, CompiledScope::whole}) {
        if (compiled_scope_name(scope) == name) return scope;
    }
    return std::nullopt;
}

}  // namespace overlap
