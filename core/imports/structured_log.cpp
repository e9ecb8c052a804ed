#include "core/imports/structured_log.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/md5.h"
#include "core/files/text_window.h"

namespace overlap {
namespace {

constexpr std::size_t longest_record = std::size_t{256} << 20;

bool is_digit(char character) {
    return character >= '0' && character <= '9';
}

/// Where the envelope begins: behind `V0728 16:17:36.735000 60448 torch/_inductor/debug.py:699] `; npos for no record.
std::size_t envelope_begin(std::string_view line) {
    if (line.size() < 6 || std::string_view("VIDWEC").find(line[0]) == std::string_view::npos)
        return std::string_view::npos;
    if (!std::all_of(line.begin() + 1, line.begin() + 5, is_digit)) return std::string_view::npos;
    const std::size_t end = line.find("] {");
    return end == std::string_view::npos ? end : end + 2;
}

void append_count(std::string& text, std::size_t count, std::string_view what, std::string_view did) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += std::to_string(count);
    text += ' ';
    text += what;
    if (count > 1) text += 's';
    text += ' ';
    text += did;
}

/// Collects the lines of a record, reads its envelope, and shows it.
class LogReader {
  public:
    explicit LogReader(const std::function<bool(const LogRecord&)>& visit) : visit_(visit) {}

    /// @return false when the visitor wants no more.
    bool add_line(std::string_view line) {
        ++line_;
        if (line.starts_with('\t')) {
            if (!in_record_) {
                if (!skipping_record_) damage(summary_.damage.skipped_lines);
                return true;
            }
            if (has_payload_lines_) payload_ += '\n';
            has_payload_lines_ = true;
            payload_ += line.substr(1);
            if (payload_.size() > longest_record) {
                damage(summary_.damage.skipped_records);
                in_record_ = false;
                skipping_record_ = true;
                payload_.clear();
            }
            return true;
        }
        if (line.empty()) return true;
        const std::size_t begin = envelope_begin(line);
        const bool goes_on = finish();
        if (begin == std::string_view::npos) {
            damage(summary_.damage.skipped_lines);
            return goes_on;
        }
        envelope_ = line.substr(begin);
        record_line_ = line_;
        in_record_ = true;
        return goes_on;
    }

    bool finish() {
        const bool had_record = std::exchange(in_record_, false);
        skipping_record_ = false;
        const bool goes_on = !had_record || show();
        payload_.clear();
        has_payload_lines_ = false;
        return goes_on;
    }

    LogSummary& summary() { return summary_; }

  private:
    void damage(std::size_t& counter) {
        ++counter;
        if (summary_.damage.first_line == 0) summary_.damage.first_line = line_;
    }

    void damage_record(std::size_t& counter) {
        ++counter;
        std::size_t& first = summary_.damage.first_line;
        if (first == 0 || record_line_ < first) first = record_line_;
    }

    bool show() {
        simdjson::dom::object envelope;
        if (parser_.parse(envelope_).get(envelope) != simdjson::SUCCESS) {
            damage_record(summary_.damage.skipped_records);
            return true;
        }
        LogRecord record;
        record.line = record_line_;
        std::string_view checksum;
        for (const auto [key, value] : envelope) {
            if (key == "rank") {
                record.rank = integer(value);
            } else if (key == "frame_id") {
                record.compile_id.frame_id = integer(value);
            } else if (key == "frame_compile_id") {
                record.compile_id.frame_compile_id = integer(value);
            } else if (key == "attempt") {
                record.compile_id.attempt = integer(value);
            } else if (key == "compiled_autograd_id") {
                record.compile_id.compiled_autograd_id = integer(value);
            } else if (key == "has_payload") {
                if (value.is_string()) checksum = std::string_view(value);
            } else if (key != "process" && key != "stack") {
                see_entry(record, key, value);
            }
        }
        if (record.key == "str") return true;
        ++summary_.records;
        record.payload = payload_;
        record.is_damaged = !checksum.empty() && md5_hexadecimal(payload_) != checksum;
        if (record.is_damaged) damage_record(summary_.damage.damaged_payloads);
        return visit_(record);
    }

    void see_entry(LogRecord& record, std::string_view key, simdjson::dom::element value) {
        record.key = key;
        detail_ = simdjson::minify(value);
        record.detail_json = detail_;
        std::string_view name;
        if (key == "artifact" && value["name"].get(name) == simdjson::SUCCESS) record.name = name;
        simdjson::dom::array interned;
        if (key == "str" && value.get(interned) == simdjson::SUCCESS && interned.size() == 2) {
            std::string_view text;
            const std::optional<std::int64_t> number = integer(interned.at(1));
            if (interned.at(0).get(text) == simdjson::SUCCESS && number) summary_.strings[*number] = text;
        }
    }

    template <typename Element>
    static std::optional<std::int64_t> integer(Element value) {
        std::int64_t number = 0;
        if (value.get(number) != simdjson::SUCCESS) return std::nullopt;
        return number;
    }

    const std::function<bool(const LogRecord&)>& visit_;
    LogSummary summary_;
    simdjson::dom::parser parser_;
    std::string envelope_, payload_, detail_;
    std::size_t line_ = 0, record_line_ = 0;
    bool in_record_ = false, has_payload_lines_ = false, skipping_record_ = false;
};

/// @return false at the end, also where the file cannot be read further than that.
bool grow(TextWindow& window, LogSummary& summary) {
    try {
        return window.grow();
    } catch (const InputError& error) {
        if (window.position() == 0 && window.text().empty()) throw;
        summary.damage.end = error.problem();
        return false;
    }
}

LogSummary read_window(TextWindow window, const std::function<bool(const LogRecord&)>& visit, std::stop_token stop) {
    LogReader reader(visit);
    bool goes_on = true;
    std::size_t searched = 0;
    while (goes_on && !stop.stop_requested()) {
        const std::size_t end = window.text().find('\n', searched);
        if (end != std::string_view::npos) {
            goes_on = reader.add_line(window.text().substr(0, end));
            window.pass(end + 1);
            searched = 0;
            continue;
        }
        searched = window.text().size();
        if (!grow(window, reader.summary())) {
            if (!window.text().empty()) goes_on = reader.add_line(window.text());
            break;
        }
    }
    if (goes_on && !stop.stop_requested()) reader.finish();
    reader.summary().was_stopped = stop.stop_requested();
    return std::move(reader.summary());
}

}  // namespace

std::string CompileId::text() const {
    if (!frame_id) return {};
    std::string text;
    if (compiled_autograd_id) {
        text += '!';
        text += std::to_string(*compiled_autograd_id);
        text += '/';
    }
    text += std::to_string(*frame_id);
    text += '/';
    text += std::to_string(frame_compile_id.value_or(0));
    if (attempt.value_or(0) != 0) {
        text += '_';
        text += std::to_string(*attempt);
    }
    return text;
}

std::string LogDamage::sentence() const {
    std::string text;
    append_count(text, skipped_records, "record", "skipped");
    append_count(text, skipped_lines, "line", "outside of records skipped");
    append_count(text, damaged_payloads, "payload", "read with a wrong checksum");
    if (!text.empty()) {
        text += ", from line ";
        text += std::to_string(first_line);
        text += " on";
    }
    if (!end.empty()) {
        if (!text.empty()) text += "; ";
        text += "read as far as it goes: ";
        text += end;
    }
    return text;
}

bool is_structured_log(std::string_view head) {
    while (!head.empty()) {
        const std::size_t end = std::min(head.find('\n'), head.size());
        const std::string_view text = head.substr(0, end);
        if (envelope_begin(text) != std::string_view::npos) return true;
        head.remove_prefix(std::min(end + 1, head.size()));
    }
    return false;
}

LogSummary read_structured_log(const std::string& path, const std::function<bool(const LogRecord&)>& visit,
                               std::stop_token stop) {
    try {
        return read_window(TextWindow::of_file(path), visit, stop);
    } catch (const InputError& error) {
        throw error.in_file(path);
    }
}

LogSummary read_structured_log_text(std::string_view bytes, const std::function<bool(const LogRecord&)>& visit) {
    return read_window(TextWindow::of_bytes(bytes), visit, {});
}

}  // namespace overlap
