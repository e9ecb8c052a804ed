#include "core/files/csv_table.h"

#include <cmath>

#include "core/base/number_text.h"

namespace overlap {

CsvTable::CsvTable(std::initializer_list<std::string_view> heading) {
    for (const std::string_view title : heading) text(title);
    end_row();
}

CsvTable::CsvTable(const std::vector<std::string>& heading) {
    for (const std::string& title : heading) text(title);
    end_row();
}

void CsvTable::separate() {
    if (row_begun_) text_ += ',';
    row_begun_ = true;
}

CsvTable& CsvTable::text(std::string_view cell) {
    separate();
    const bool formula = !cell.empty() && std::string_view("=+-@\t\r\n'").find(cell.front()) != std::string_view::npos;
    if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
        if (formula) text_ += '\'';
        text_ += cell;
        return *this;
    }
    text_ += '"';
    if (formula) text_ += '\'';
    for (const char letter : cell) {
        if (letter == '"') text_ += '"';
        text_ += letter;
    }
    text_ += '"';
    return *this;
}

CsvTable& CsvTable::number(double number) {
    separate();
    text_ += shortest_text(number);
    return *this;
}

CsvTable& CsvTable::number(std::int64_t number) {
    separate();
    text_ += std::to_string(number);
    return *this;
}

CsvTable& CsvTable::milliseconds(double time_ms) {
    return number(std::round(time_ms * 1e6) / 1e6);
}

CsvTable& CsvTable::empty() {
    separate();
    return *this;
}

void CsvTable::end_row() {
    text_ += "\r\n";
    row_begun_ = false;
}

}  // namespace overlap
