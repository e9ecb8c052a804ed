#include "core/io/trace_event_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "core/files/json_document.h"
#include "core/files/json_fields.h"
#include "core/files/json_scan.h"

namespace overlap {

namespace {

using simdjson::ondemand::json_type;

constexpr std::int64_t cuda_device_type = 1;  // c10::DeviceType::CUDA, which ROCm uses too

/// Whether the text of a key, which a quote ends, is `name`. @param key may be read up to the padding of its window.
template <std::size_t Size>
bool is(const char* key, const char (&name)[Size]) {
    return key[Size - 1] == '"' && std::memcmp(key, name, Size - 1) == 0;  // most keys differ in length
}

std::string_view trimmed(std::string_view token) {
    while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
    return token;
}

/// A string's text, or how another scalar is written.
std::string_view text_of(simdjson::ondemand::value value) {
    return value.type() == json_type::string ? std::string_view(value.get_string()) : trimmed(value.raw_json_token());
}

std::int64_t integer_of(std::string_view text, int base) {
    std::int64_t number = no_id;
    std::from_chars(text.data(), text.data() + text.size(), number, base);
    return number;
}

/// An integer, also one in quotes; `no_id` where it is none: args may hold anything.
std::int64_t integer_of(simdjson::ondemand::value value) {
    return integer_of(text_of(value), 10);
}

std::optional<std::int64_t> time_of(simdjson::ondemand::value value, const char* field) {
    const json_type type = value.type();
    if (type == json_type::null) return std::nullopt;
    const std::string_view text = text_of(value);
    const std::optional<std::int64_t> time_ns = nanoseconds_of(text);
    if (time_ns) return time_ns;
    throw InputError("", std::string("\"") + field + "\": expected a number of microseconds within 95 years, found " +
                             quoted_text(text));
}

std::string place_of(std::uint64_t number, std::uint64_t byte) {
    return "traceEvents[" + std::to_string(number) + "], byte " + std::to_string(byte);
}

}  // namespace

std::optional<std::int64_t> nanoseconds_of(std::string_view microseconds) {
    constexpr std::int64_t limit = MeasuredTraceBuilder::greatest_time_ns;
    const bool is_negative = microseconds.starts_with('-');
    const std::string_view text = microseconds.substr(is_negative ? 1 : 0);
    std::size_t at = 0;
    std::int64_t time_ns = 0;
    const auto digit = [&] { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    for (; digit(); ++at) {
        if (time_ns > limit / 1000) return std::nullopt;
        time_ns = 10 * time_ns + (text[at] - '0');
    }
    if (at == 0 || time_ns > limit / 1000) return std::nullopt;
    time_ns *= 1000;
    if (at < text.size() && text[at] == '.') {
        ++at;
        const std::size_t first = at;
        for (std::int64_t unit_ns = 100; digit(); ++at, unit_ns /= 10) {
            time_ns += unit_ns * (text[at] - '0');
            if (at - first == 3 && text[at] >= '5') ++time_ns;
        }
        if (at == first) return std::nullopt;
    }
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        double number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        if (!(number * 1000 <= static_cast<double>(limit))) return std::nullopt;
        time_ns = std::llround(number * 1000);
        at = text.size();
    }
    if (at != text.size() || time_ns > limit) return std::nullopt;
    return is_negative ? -time_ns : time_ns;
}

void TraceEventReader::read(std::string_view list, std::size_t readable, std::uint64_t position) {
    const std::uint32_t first = builder_.size();
    std::uint64_t offset = position;
    try {
        simdjson::ondemand::document document = parser_.iterate(list.data(), list.size(), readable);
        for (auto entry : document.get_array()) {
            Value value = entry.value();
            offset = position + static_cast<std::uint64_t>(value.raw_json_token().data() - list.data());
            if (value.type() != json_type::object)
                throw InputError("", "expected an object, found " + quoted_text(text_of(value)));
            read_entry(value, offset);
        }
    } catch (const simdjson::simdjson_error& error) {
        explain(list, position, first, error);
    } catch (const InputError& error) {
        throw InputError(place_of(builder_.size(), offset), error.problem());
    }
}

void TraceEventReader::read_entry(Value entry, std::uint64_t offset) {
    event_ = {};
    event_.offset = offset;
    has_collective_ = has_fields_ = false;
    device_type_ = 0;
    for (auto field : entry.get_object()) {
        has_fields_ = true;
        const char* key = field.key().value().raw();
        read_field(key, field.value());
    }
    if (event_.phase == 0 && has_fields_) throw InputError("", "\"ph\" is missing");
    if (device_type_ != cuda_device_type || event_.name != "[memory]") event_.memory.reset();
    if (has_collective_ && collective_.name != empty_string) event_.collective = collective_;
    builder_.add(event_);
}

void TraceEventReader::read_field(const char* key, Value value) {
    switch (key[0]) {
        case 'p':
            if (is(key, "ph")) {
                const std::string_view phase = text_of(value);
                if (phase.size() != 1) throw InputError("", "\"ph\": expected one letter, found " + quoted_text(phase));
                event_.phase = phase[0];
            } else if (is(key, "pid")) {
                event_.process = text_of(value);
            }
            break;
        case 't':
            if (is(key, "ts")) event_.start_ns = time_of(value, "ts");
            if (is(key, "tid")) event_.thread = text_of(value);
            break;
        case 'd':
            if (is(key, "dur")) event_.duration_ns = time_of(value, "dur");
            break;
        case 'n':
            if (is(key, "name")) event_.name = text_of(value);
            break;
        case 'c':
            if (is(key, "cat")) event_.category = text_of(value);
            break;
        case 'i':
            if (is(key, "id")) event_.flow = flow_id(value);
            break;
        case 'a':
            if (is(key, "args") && value.type() == json_type::object) read_arguments(value.get_object());
            break;
        default:
            break;
    }
}

void TraceEventReader::read_arguments(simdjson::ondemand::object arguments) {
    // Python's functions are the most frequent events, and nothing in their args is looked at.
    if (event_.category == "python_function") return;
    for (auto field : arguments) {
        const char* key = field.key().value().raw();
        read_argument(key, field.value());
    }
}

void TraceEventReader::read_argument(const char* key, Value value) {
    switch (key[0]) {
        case 'E':
            if (is(key, "External id")) event_.external_id = integer_of(value);
            break;
        case 'c':
            if (is(key, "correlation")) event_.correlation = integer_of(value);
            break;
        case 's':
            if (is(key, "stream")) event_.has_stream = integer_of(value) >= 0;
            if (is(key, "sort_index")) event_.sort_index = integer_of(value);
            break;
        case 'n':
            if (is(key, "name")) event_.label = text_of(value);
            break;
        case 'C':
            if (is(key, "Collective name")) collective().name = interned(value);
            break;
        case 'I':  // "size" is what older traces call the number of elements
            if (is(key, "In msg nelems") || is(key, "In msg size")) collective().input_elements = integer_of(value);
            break;
        case 'O':
            if (is(key, "Out msg nelems") || is(key, "Out msg size")) collective().output_elements = integer_of(value);
            break;
        case 'G':
            if (is(key, "Group size")) collective().group_size = integer_of(value);
            break;
        case 'd':
            if (is(key, "dtype")) collective().dtype = interned(value);
            break;
        case 'S':
            if (is(key, "Seq")) collective().sequence = integer_of(value);
            break;
        case 'P':
            if (is(key, "Process Group Name")) collective().group_name = interned(value);
            if (is(key, "Process Group Description")) collective().group_description = interned(value);
            if (is(key, "Process Group Ranks")) collective().group_ranks = interned(value);
            break;
        case 'T':
            if (is(key, "Total Allocated")) memory().allocated_bytes = integer_of(value);
            break;
        case 'D':
            if (is(key, "Device Id")) memory().device = integer_of(value);
            if (is(key, "Device Type")) device_type_ = integer_of(value);
            break;
        default:
            break;
    }
}

std::int64_t TraceEventReader::flow_id(Value value) {
    const std::string_view text = text_of(value);
    const bool is_hexadecimal = text.starts_with("0x");
    const std::string_view digits = text.substr(is_hexadecimal ? 2 : 0);
    std::int64_t id = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), id, is_hexadecimal ? 16 : 10);
    if (error == std::errc() && end == digits.data() + digits.size()) return id;
    return -2 - std::int64_t{builder_.intern(text)};  // any other text: distinct from numbers and from no_id
}

StringId TraceEventReader::interned(Value value) {
    if (value.type() != json_type::array) return builder_.intern(text_of(value));
    return builder_.intern(std::string_view(value.get_array().value().raw_json()));
}

CollectiveArguments& TraceEventReader::collective() {
    if (!has_collective_) collective_ = {};
    has_collective_ = true;
    return collective_;
}

MemorySample& TraceEventReader::memory() {
    return event_.memory ? *event_.memory : event_.memory.emplace();
}

void TraceEventReader::explain(std::string_view list, std::uint64_t position, std::uint32_t first,
                               const simdjson::simdjson_error& error) const {
    std::string_view rest = list.substr(1);
    for (std::uint64_t number = first; !rest.empty(); ++number) {
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
        const std::uint64_t byte = position + static_cast<std::uint64_t>(rest.data() - list.data());
        const std::size_t end = json_value_end(rest);
        if (end == 0) throw InputError(place_of(number, byte), "expected an event");
        try {
            JsonDocument(JsonBytes(std::string(rest.substr(0, end))));
        } catch (const InputError& entry) {
            throw InputError(place_of(number, byte), entry.problem());
        }
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end);
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
        if (rest.starts_with(']')) break;
        if (!rest.starts_with(',')) {
            throw InputError(place_of(number + 1, position + static_cast<std::uint64_t>(rest.data() - list.data())),
                             "expected a comma between events");
        }
        rest.remove_prefix(1);
    }
    throw InputError(place_of(builder_.size(), position), std::string("it cannot be parsed: ") + error.what());
}

}  // namespace overlap
