#include "core/modules/module_pattern.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/quote.h"

namespace overlap {

namespace {

/// Calls literal(text) and part(name) for what a pattern or a template consists of, in order.
template <typename Literal, typename Part>
void for_each_piece(std::string_view text, Literal&& literal, Part&& part) {
    while (!text.empty()) {
        const std::size_t open = text.find('{');
        if (open != 0) literal(text.substr(0, open));
        if (open == std::string_view::npos) return;
        const std::size_t close = text.find('}', open);
        if (close == std::string_view::npos)
            throw InputError("", "in " + in_quotes(shortened(text)) + " a { is not closed");
        part(text.substr(open + 1, close - open - 1));
        text.remove_prefix(close + 1);
    }
}

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

std::size_t digits_of(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

}  // namespace

ModulePattern::ModulePattern(std::string_view text) {
    const auto add_literal = [this](std::string_view piece) {
        while (!piece.empty()) {
            const std::size_t star = piece.find('*');
            if (star != 0) tokens_.push_back({TokenKind::literal, std::string(piece.substr(0, star))});
            if (star == std::string_view::npos) return;
            tokens_.push_back({TokenKind::any_text, {}});
            piece.remove_prefix(star + 1);
        }
    };
    const auto add_part = [&](std::string_view name) {
        const bool some_text = name.ends_with('*');
        if (some_text) name.remove_suffix(1);
        if (name.empty()) throw InputError("", "in " + in_quotes(shortened(text)) + " a part in braces has no name");
        tokens_.push_back({some_text ? TokenKind::some_text : TokenKind::number, std::string(name)});
    };
    for_each_piece(text, add_literal, add_part);
}

std::vector<std::string> ModulePattern::part_names() const {
    std::vector<std::string> names;
    for (const Token& token : tokens_)
        if (token.kind == TokenKind::number || token.kind == TokenKind::some_text) names.push_back(token.text);
    return names;
}

bool ModulePattern::matches(std::string_view name, PatternParts& parts) const {
    // begins[token] is where its text begins. Where a token does not match, the last star takes one letter more: what
    // stands before that star has matched as early as it can, which leaves most to the rest.
    std::vector<std::size_t> begins(tokens_.size() + 1, 0);
    std::optional<std::size_t> star;
    std::size_t star_end = 0, token = 0, at = 0;
    while (token < tokens_.size() || at < name.size()) {
        bool matched = false;
        if (token < tokens_.size()) {
            const Token& wanted = tokens_[token];
            begins[token] = at;
            const std::string_view rest = name.substr(at);
            if (wanted.kind == TokenKind::any_text || (wanted.kind == TokenKind::some_text && !rest.empty())) {
                star = token;
                star_end = at += wanted.kind == TokenKind::some_text ? 1 : 0;
                matched = true;
            } else if (wanted.kind == TokenKind::literal && rest.starts_with(wanted.text)) {
                at += wanted.text.size();
                matched = true;
            } else if (wanted.kind == TokenKind::number && digits_of(rest) > 0) {
                at += digits_of(rest);
                matched = true;
            }
        }
        if (matched) {
            ++token;
        } else {
            if (!star || star_end == name.size()) return false;
            at = ++star_end;
            token = *star + 1;
        }
    }
    begins[tokens_.size()] = name.size();
    PatternParts found;
    for (std::size_t index = 0; index < tokens_.size(); ++index) {
        if (tokens_[index].kind == TokenKind::literal || tokens_[index].kind == TokenKind::any_text) continue;
        const std::string_view stood_for = name.substr(begins[index], begins[index + 1] - begins[index]);
        const auto [known, added] = found.emplace(tokens_[index].text, stood_for);
        if (!added && known->second != stood_for) return false;
    }
    parts = std::move(found);
    return true;
}

std::string fill_template(std::string_view text, const PatternParts& parts) {
    std::string filled;
    for_each_piece(
        text, [&](std::string_view literal) { filled += literal; },
        [&](std::string_view name) {
            const auto part = parts.find(name);
            if (part == parts.end()) throw InputError("", "nothing gives the part {" + std::string(name) + "}");
            filled += part->second;
        });
    return filled;
}

std::vector<std::string> template_parts(std::string_view text) {
    std::vector<std::string> names;
    for_each_piece(
        text, [](std::string_view) {}, [&](std::string_view name) { names.emplace_back(name); });
    return names;
}

}  // namespace overlap
