#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace overlap {

/// Writes JSON text piece by piece, without a document in memory: traces have many small objects. Members and items
/// come in the order in which they are written; commas are put where they belong.
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
    JsonWriter& null();

    template <typename Any>
    JsonWriter& member(std::string_view name, const Any& any) {
        return key(name).value(any);
    }

    std::string take() { return std::move(text_); }

  private:
    JsonWriter& begin(char bracket);
    JsonWriter& end(char bracket);
    void separate();
    void quote(std::string_view text);

    std::string text_;
    bool needs_comma_ = false;
};

}  // namespace overlap
