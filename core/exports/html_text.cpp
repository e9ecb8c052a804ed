#include "core/exports/html_text.h"

#include <cstdio>

#include "core/exports/code_points.h"

namespace overlap {

std::string html_text(std::string_view text) {
    std::string html;
    while (!text.empty()) {
        std::string_view rest = text;
        const char32_t point = take_code_point(rest);
        const std::string_view letter = text.substr(0, text.size() - rest.size());
        text = rest;
        if (point == '&') {
            html += "&amp;";
        } else if (point == '<') {
            html += "&lt;";
        } else if (point == '>') {
            html += "&gt;";
        } else if (point == '"') {
            html += "&quot;";
        } else if (point == '\'') {
            html += "&#39;";
        } else if (is_invisible(point)) {
            char number[24];
            std::snprintf(number, sizeof number, "⟨U+%04X⟩", static_cast<unsigned>(point));
            html += number;
        } else if (point == replacement_character) {
            html += "\xef\xbf\xbd";
        } else {
            html += letter;
        }
    }
    return html;
}

std::string html_name(std::string_view name, std::size_t longest) {
    if (name.size() <= longest) return "<code>" + html_text(name) + "</code>";
    return "<code>" + html_text(beginning_of(name, longest)) + "…</code> <small>(" + std::to_string(name.size()) +
           " bytes)</small>";
}

HtmlTable::HtmlTable(std::initializer_list<std::string_view> columns) {
    html_ = "<div class=\"table\"><table><thead><tr>";
    for (std::string_view title : columns) {
        right_.push_back(title.starts_with('#'));
        if (right_.back()) title.remove_prefix(1);
        html_ += right_.back() ? "<th class=\"number\">" : "<th>";
        html_ += html_text(title) + "</th>";
    }
    html_ += "</tr></thead><tbody>\n";
}

void HtmlTable::add(std::initializer_list<std::string> cells) {
    html_ += "<tr>";
    std::size_t column = 0;
    for (const std::string& cell : cells) {
        html_ += right_[column++] ? "<td class=\"number\">" : "<td>";
        html_ += cell + "</td>";
    }
    html_ += "</tr>\n";
    ++rows_;
}

std::string HtmlTable::take() {
    return html_ + "</tbody></table></div>\n";
}

}  // namespace overlap
