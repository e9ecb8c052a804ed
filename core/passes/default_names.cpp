#include "core/passes/default_names.h"

namespace overlap {

std::string default_name_of_call(std::string_view target) {
    return default_name_of_attribute(target.substr(target.find('.') + 1));
}

std::string default_name_of_attribute(std::string_view attribute) {
    const auto is_lower = [](char letter) { return letter >= 'a' && letter <= 'z'; };
    const auto is_upper = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    if (attribute.size() > 4 && attribute.starts_with("__") && attribute.ends_with("__")) {
        attribute = attribute.substr(2, attribute.size() - 4);
    }
    std::string name;
    bool replaced = false;
    for (std::size_t at = 0; at < attribute.size(); ++at) {
        const char letter = attribute[at];
        if (is_upper(letter)) {
            if (at > 0 && is_lower(attribute[at - 1])) name += '_';
            name += static_cast<char>(letter - 'A' + 'a');
        } else if (is_lower(letter) || is_digit(letter) || letter == '_') {
            name += letter;
        } else if (!replaced) {
            name += '_';
        }
        // What an identifier may not have becomes one underscore, however much it is.
        replaced = !(is_upper(letter) || is_lower(letter) || is_digit(letter) || letter == '_');
    }
    if (name.empty()) name = "_unnamed";
    return is_digit(name.front()) ? '_' + name : name;
}

}  // namespace overlap
