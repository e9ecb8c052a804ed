#include "core/job/schedules/schedule_csv.h"

#include "core/base/error.h"
#include "core/files/json_bytes.h"

namespace overlap::job {

namespace {

void read_cell(ActionRow& row, std::string_view cell, std::size_t row_number, std::size_t cell_number) {
    // A quoted cell, as spreadsheets write it.
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    try {
        add_cell(row, cell);
    } catch (const InputError& error) {
        throw InputError("row " + std::to_string(row_number) + ", cell " + std::to_string(cell_number),
                         error.problem());
    }
}

}  // namespace

ActionLists read_schedule_csv(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" \t\r\n");
    text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
    ActionLists lists;
    while (!text.empty()) {
        const std::size_t line_end = text.find('\n');
        std::string_view line = text.substr(0, line_end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        ActionRow& row = lists.emplace_back();
        for (std::size_t cell = 1; !line.empty(); ++cell) {
            const std::size_t end = line.find(',');
            read_cell(row, line.substr(0, end), lists.size(), cell);
            if (end == std::string_view::npos) break;
            line.remove_prefix(end + 1);
        }
        if (line_end == std::string_view::npos) break;
        text.remove_prefix(line_end + 1);
    }
    return lists;
}

ActionLists read_schedule_file(const std::string& path) {
    return read_schedule_csv(read_json_file(path)->view());
}

std::string schedule_csv(const ActionLists& lists) {
    std::string text;
    for (const ActionRow& row : lists) {
        for (std::size_t cell = 0; cell < row.size(); ++cell) text.append(cell ? "," : "").append(cell_text(row[cell]));
        text += '\n';
    }
    return text;
}

}  // namespace overlap::job
