#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include "core/exports/html_text.h"

/// Pieces of text of the report.
namespace overlap {

/// @param html what is in it, escaped already.
inline std::string paragraph(const std::string& html, std::string_view classes = "") {
    return (classes.empty() ? "<p>" : "<p class=\"" + std::string(classes) + "\">") + html + "</p>\n";
}

/// The title of a section.
inline std::string section(std::string_view title) {
    return "<h2>" + html_text(title) + "</h2>\n";
}

/// A sentence, with the full stop that it may lack.
inline std::string sentence(std::string_view text) {
    return html_text(text) + (text.empty() || text.ends_with('.') ? "" : ".");
}

/// A difference with its sign, which is a minus and no hyphen.
inline std::string signed_text(double difference, std::string text) {
    if (difference == 0) return "no change";
    if (text.starts_with('-')) text.erase(0, 1);
    return (difference < 0 ? "−" : "+") + text;
}

/// A part of a whole in percent, without its sign; empty where the whole is 0.
inline std::string share_text(double part, double whole) {
    if (whole == 0) return "";
    const double percent = 100 * part / whole;
    std::string text = std::to_string(std::llround(std::abs(percent) * 10));
    if (text.size() == 1) text.insert(0, "0");
    text.insert(text.size() - 1, ".");
    return text + " %";
}

}  // namespace overlap
