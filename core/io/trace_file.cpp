#include "core/io/trace_file.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/files/json_scan.h"
#include "core/files/text_window.h"
#include "core/io/trace_event_reader.h"
#include "core/io/trace_header_reader.h"

namespace overlap {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Thrown where a stop is requested; leaves this file as an empty result.
struct Stopped {};

class TraceReader {
  public:
    TraceReader(TextWindow& window, const TraceReading& reading) : window_(window), reading_(reading) {}

    std::shared_ptr<const MeasuredTrace> run() {
        if (have(byte_order_mark.size()) && window_.text().starts_with(byte_order_mark)) {
            window_.pass(byte_order_mark.size());
        }
        const char first = next();
        window_.pass(1);
        if (first == '[') {
            read_events(true);
        } else if (first == '{') {
            read_members();
            if (!has_events_) throw InputError("", "it has no traceEvents, so it is no profiler's trace");
        } else {
            throw InputError("byte 0", "expected { or [, with which a trace begins");
        }
        if (skip_white()) {
            throw InputError(place(), "text follows behind the end of the trace");
        }
        return builder_.finish(header_.finish(), [this] { poll(); });
    }

  private:
    std::string place() const { return "byte " + std::to_string(window_.position()); }

    [[noreturn]] void fail_truncated(std::string where) const {
        throw InputError(std::move(where), "the text ends in the middle of this: the trace is truncated");
    }

    bool grow() {
        const bool grown = window_.grow();
        poll();
        return grown;
    }

    /// Stops where that is requested, and reports progress.
    void poll() const {
        if (reading_.stop.stop_requested()) throw Stopped();
        if (reading_.progress) reading_.progress(window_.source_position(), window_.source_size());
    }

    /// Whether there are this many bytes.
    bool have(std::size_t bytes) {
        while (window_.text().size() < bytes) {
            if (!grow()) return false;
        }
        return true;
    }

    /// False at the end of the text.
    bool skip_white() {
        while (true) {
            const std::size_t white = window_.text().find_first_not_of(" \t\r\n");
            window_.pass(std::min(white, window_.text().size()));
            if (!window_.text().empty()) return true;
            if (!grow()) return false;
        }
    }

    /// The next letter that is no white space, not passed.
    char next() {
        if (!skip_white()) fail_truncated(place());
        return window_.text().front();
    }

    void expect(char letter, const char* what) {
        if (next() != letter) throw InputError(place(), std::string("expected ") + what);
        window_.pass(1);
    }

    /// The value that comes next, not passed.
    std::string_view value(const std::string& where) {
        while (true) {
            const std::size_t end = json_value_end(window_.text());
            if (end == 0) throw InputError(where, "expected a value");
            if (end != std::string_view::npos) return window_.text().substr(0, end);
            if (!grow()) fail_truncated(where);
        }
    }

    void read_members() {
        if (next() == '}') return window_.pass(1);
        while (true) {
            if (next() != '"') throw InputError(place(), "expected the name of a member in quotes");
            const std::string_view quoted = value(place());
            const std::string key(quoted.substr(1, quoted.size() - 2));
            window_.pass(quoted.size());
            expect(':', "a colon behind the member's name");
            const char first = next();
            if (key == "traceEvents" && first == '[') {
                if (has_events_) throw InputError(place(), "there is a second list of traceEvents");
                window_.pass(1);
                read_events(false);
            } else {
                const std::string_view text = value(key + ", " + place());
                header_.add(key, text);
                window_.pass(text.size());
            }
            if (next() == '}') return window_.pass(1);
            expect(',', "a comma or } behind a member");
        }
    }

    /// Entries up to and with the closing bracket. @param may_be_open: the end of the text may stand for the bracket.
    void read_events(bool may_be_open) {
        has_events_ = true;
        while (true) {
            const JsonListCut cut = json_list_cut(window_.text());
            if (cut.place != std::string_view::npos) {
                read_batch(cut.place);
                window_.pass(1);  // the comma or the bracket
                if (cut.is_closed) return;
            } else if (!grow()) {
                if (!may_be_open || !cut.is_whole) {
                    fail_truncated("traceEvents[" + std::to_string(builder_.size()) + "], " + place());
                }
                if (skip_white()) read_batch(window_.text().size());
                return;
            }
        }
    }

    /// The first `size` bytes of the window are entries. They become a list of their own for the parser: the byte in
    /// front of them, which is passed already, and the one behind them are brackets for as long as it reads.
    void read_batch(std::size_t size) {
        if (reading_.stop.stop_requested()) throw Stopped();
        char* begin = window_.begin();
        const char before = std::exchange(begin[-1], '[');
        const char behind = std::exchange(begin[size], ']');
        // The list begins one byte before the window's text, whose place is at least 1: a bracket was passed.
        events_.read({begin - 1, size + 2}, window_.readable() + 1, window_.position() - 1);
        begin[-1] = before;
        begin[size] = behind;
        window_.pass(size);
        reserve_once();
    }

    /// Makes room for as many events as the file has if the rest is like the first batch, which has been read.
    void reserve_once() {
        if (reserved_) return;
        reserved_ = true;
        const auto read = static_cast<double>(std::max<std::uint64_t>(window_.source_position(), 1));
        const double share = std::max(1.0, static_cast<double>(window_.source_size()) / read);
        builder_.reserve(static_cast<std::size_t>(std::min(builder_.size() * share, 1e9)));
    }

    TextWindow& window_;
    const TraceReading& reading_;
    MeasuredTraceBuilder builder_;
    TraceEventReader events_{builder_};
    TraceHeaderReader header_;
    bool has_events_ = false, reserved_ = false;
};

std::shared_ptr<const MeasuredTrace> read_window(TextWindow window, const TraceReading& reading) {
    try {
        return TraceReader(window, reading).run();
    } catch (const Stopped&) {
        return nullptr;
    }
}

}  // namespace

std::shared_ptr<const MeasuredTrace> read_trace_file(const std::string& path, const TraceReading& reading) {
    try {
        return read_window(TextWindow::of_file(path), reading);
    } catch (const InputError& error) {
        throw error.in_file(path);
    }
}

std::shared_ptr<const MeasuredTrace> read_trace_bytes(std::string_view bytes, const std::string& name,
                                                      const TraceReading& reading) {
    try {
        return read_window(TextWindow::of_bytes(bytes), reading);
    } catch (const InputError& error) {
        throw error.in_file(name);
    }
}

std::string read_trace_event(const std::string& path, const MeasuredTrace& trace, std::uint32_t event) {
    GzipCheckpoints none;
    return read_trace_event(path, trace, event, none);
}

std::string read_trace_event(const std::string& path, const MeasuredTrace& trace, std::uint32_t event,
                             GzipCheckpoints& checkpoints) {
    const std::uint64_t offset = trace.events().offset[event];
    try {
        TextWindow window = TextWindow::of_file_from(path, offset, checkpoints);
        while (window.position() < offset) {
            if (window.text().empty() && !window.grow()) break;
            window.pass(
                static_cast<std::size_t>(std::min<std::uint64_t>(window.text().size(), offset - window.position())));
        }
        while (window.position() == offset) {
            const std::size_t end = json_value_end(window.text());
            if (end != std::string_view::npos) {
                if (window.text().front() != '{') break;
                return std::string(window.text().substr(0, end));
            }
            if (!window.grow()) break;
        }
        throw InputError("byte " + std::to_string(offset), "the event is no longer there: the file has changed");
    } catch (const InputError& error) {
        throw error.in_file(path);
    }
}

}  // namespace overlap
