#include "core/passes/shell_pattern.h"

#include <cstddef>
#include <vector>

namespace overlap {

namespace {

/// The bytes of the character at the beginning of a text, which is not empty.
std::string_view first_character(std::string_view text) {
    std::size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) ++length;
    return text.substr(0, length);
}

/// The place of the bracket that closes a set, counted from behind its opening one; npos where there is none. A bracket
/// that comes first is of the set.
std::size_t end_of_set(std::string_view pattern) {
    std::size_t at = pattern.starts_with('!') ? 1 : 0;
    if (at < pattern.size() && pattern[at] == ']') ++at;
    return pattern.find(']', at);
}

/// Whether a set, without its brackets, has a character. UTF-8 is ordered as its characters are.
bool set_has(std::string_view set, std::string_view character) {
    const bool negated = set.starts_with('!');
    if (negated) set.remove_prefix(1);
    // Characters by themselves, so that a dash between two makes a range of them.
    std::vector<std::string_view> parts;
    while (!set.empty()) {
        parts.push_back(first_character(set));
        set.remove_prefix(parts.back().size());
    }
    bool found = false;
    for (std::size_t at = 0; at < parts.size() && !found; ++at) {
        if (at + 2 < parts.size() && parts[at + 1] == "-") {
            found = parts[at] <= character && character <= parts[at + 2];
            at += 2;
        } else {
            found = parts[at] == character;
        }
    }
    return found != negated;
}

/// Matches one character; returns what the pattern has behind it, or a view without data where it does not match.
std::string_view after_one(std::string_view pattern, std::string_view character) {
    if (pattern.front() == '?') return pattern.substr(1);
    if (pattern.front() == '[') {
        const std::size_t end = end_of_set(pattern.substr(1));
        if (end != pattern.npos) {
            return set_has(pattern.substr(1, end), character) ? pattern.substr(end + 2) : std::string_view();
        }
    }
    const std::string_view wanted = first_character(pattern);
    return wanted == character ? pattern.substr(wanted.size()) : std::string_view();
}

}  // namespace

bool matches_shell_pattern(std::string_view text, std::string_view pattern) {
    // Where the last star may take one character more. Stars before it never have to: it takes what is left.
    std::string_view retry_text, retry_pattern;
    bool can_retry = false;
    while (!text.empty() || !pattern.empty()) {
        if (!pattern.empty() && pattern.front() == '*') {
            pattern.remove_prefix(1);
            retry_text = text;
            retry_pattern = pattern;
            can_retry = true;
            continue;
        }
        if (!text.empty() && !pattern.empty()) {
            const std::string_view character = first_character(text);
            if (const std::string_view behind = after_one(pattern, character); behind.data()) {
                text.remove_prefix(character.size());
                pattern = behind;
                continue;
            }
        }
        if (!can_retry || retry_text.empty()) return false;
        retry_text.remove_prefix(first_character(retry_text).size());
        text = retry_text;
        pattern = retry_pattern;
    }
    return true;
}

bool matches_module_pattern(std::string_view module, std::string_view pattern) {
    while (true) {
        const std::size_t module_end = module.find('.'), pattern_end = pattern.find('.');
        if ((module_end == module.npos) != (pattern_end == pattern.npos)) return false;
        if (!matches_shell_pattern(module.substr(0, module_end), pattern.substr(0, pattern_end))) return false;
        if (module_end == module.npos) return true;
        module.remove_prefix(module_end + 1);
        pattern.remove_prefix(pattern_end + 1);
    }
}

}  // namespace overlap
