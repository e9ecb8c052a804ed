#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace overlap {

/// Writes JSON text piece by piece, without a document in memory: graphs and traces have many small objects. Members
/// and items come in the order in which they are written; commas are put where they belong. No white space is written.
class JsonWriter {
  public:
    JsonWriter& begin_object() { return begin('{'); }
    JsonWriter& end_object() { return end('}'); }
    JsonWriter& begin_array() { return begin('['); }
    JsonWriter& end_array() { return end(']'); }
    /// The name of the member whose value is written next.
    JsonWriter& key(std::string_view name);

    JsonWriter& value(std::string_view text);
    JsonWriter& value(const char* text) { return value(std::string_view(text)); }
    /// The shortest text that reads back as `number`; numbers that are not finite, which JSON lacks, become null.
    JsonWriter& value(double number);
    JsonWriter& value(std::int64_t number);
    JsonWriter& value(bool truth);
    /// As value(), but recognisable as a floating number: `4.0`. For formats that distinguish it from the integer 4.
    JsonWriter& floating(double number);
    JsonWriter& null();
    /// A value that is JSON text already.
    JsonWriter& json(std::string_view text);

    template <typename Any>
    JsonWriter& member(std::string_view name, const Any& any) {
        return key(name).value(any);
    }
    /// The members of `object_json`, an object's text without white space or nothing, into the object that is open.
    JsonWriter& members(std::string_view object_json);

    std::string_view text() const { return text_; }
    bool empty() const { return text_.empty(); }
    void reserve(std::size_t bytes) { text_.reserve(bytes); }
    /// Starts again; the memory is reused.
    void clear();
    std::string take() { return std::move(text_); }

  private:
    // Inline: a graph has millions of brackets and commas.
    void separate() {
        if (needs_comma_) text_ += ',';
        needs_comma_ = true;
    }
    JsonWriter& begin(char bracket) {
        separate();
        text_ += bracket;
        needs_comma_ = false;
        return *this;
    }
    JsonWriter& end(char bracket) {
        text_ += bracket;
        needs_comma_ = true;
        return *this;
    }
    void quote(std::string_view text);

    std::string text_;
    bool needs_comma_ = false;
};

}  // namespace overlap
