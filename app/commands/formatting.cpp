#include "app/commands/formatting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ostream>

namespace overlap::commands {

namespace {

std::string fixed(double value, int decimals) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
    return text.data();
}

}  // namespace

std::string bytes_text(std::int64_t bytes) {
    constexpr std::array units = {"KiB", "MiB", "GiB", "TiB", "PiB"};
    if (bytes > -1024 && bytes < 1024) return std::to_string(bytes) + " B";
    double value = static_cast<double>(bytes) / 1024;
    std::size_t unit = 0;
    while ((value >= 1024 || value <= -1024) && unit + 1 < units.size()) {
        value /= 1024;
        ++unit;
    }
    return fixed(value, value < 100 ? 2 : 1) + ' ' + units[unit];
}

std::string milliseconds_text(double milliseconds) {
    return fixed(milliseconds, 3) + " ms";
}

std::string percent_text(std::optional<double> percent) {
    if (!percent) return "-";
    const auto hundredths = static_cast<std::int64_t>(std::llround(*percent * 100));
    const std::string rest = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + (rest.size() < 2 ? ".0" : ".") + rest + " %";
}

std::string count_text(std::uint64_t count, const std::string& noun) {
    return std::to_string(count) + ' ' + noun + (count == 1 ? "" : "s");
}

std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char letter) { return letter < 0x20; }, ' ');
    return text;
}

std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

TextTable::TextTable(std::vector<std::string> header) {
    rows_.push_back(std::move(header));
}

void TextTable::add(std::vector<std::string> cells) {
    rows_.push_back(std::move(cells));
}

void TextTable::write(std::ostream& out, const std::string& indent) const {
    std::vector<std::size_t> widths(rows_.front().size(), 0);
    for (const std::vector<std::string>& row : rows_) {
        for (std::size_t column = 0; column < row.size(); ++column) {
            widths[column] = std::max(widths[column], row[column].size());
        }
    }
    for (const std::vector<std::string>& row : rows_) {
        std::string line = indent;
        for (std::size_t column = 0; column < row.size(); ++column) {
            const std::string padding(widths[column] - row[column].size(), ' ');
            if (column > 0) line += "  ";
            line += column == 0 ? row[column] + padding : padding + row[column];
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out << line << '\n';
    }
}

}  // namespace overlap::commands
