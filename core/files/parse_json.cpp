#include "core/files/parse_json.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/text_place.h"
#include "core/files/utf8.h"

namespace overlap {

namespace {

using Json = nlohmann::ordered_json;
using Event = Json::parse_event_t;

/// Goes over a text and counts what the parser has taken, which it does not tell its callback.
class CountedText {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountedText(const char* at, std::size_t& taken) : at_(at), taken_(&taken) {}
    reference operator*() const { return *at_; }
    CountedText& operator++() {
        ++at_;
        ++*taken_;
        return *this;
    }
    CountedText operator++(int) {
        const CountedText before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountedText& other) const { return at_ == other.at_; }

  private:
    const char* at_;
    std::size_t* taken_;
};

/// The parser's callback: sees brackets and keys as they come, before equal keys are merged.
class StructureCheck {
  public:
    StructureCheck(std::string_view text, const std::size_t& taken) : text_(text), taken_(taken) {}

    void see(Event event, const Json& parsed) {
        switch (event) {
            case Event::object_start:
            case Event::array_start:
                enter();
                break;
            case Event::object_end:
            case Event::array_end:
                keys_.pop_back();
                break;
            case Event::key:
                see_key(parsed.get_ref<const std::string&>());
                break;
            case Event::value:
                break;
        }
    }

  private:
    void enter() {
        if (keys_.size() == parsed_depth_limit) {
            throw InputError(text_place(text_, taken_ - 1),
                             "nested more than " + std::to_string(parsed_depth_limit) + " deep");
        }
        keys_.emplace_back();
    }
    void see_key(const std::string& key) {
        std::vector<std::string>& keys = keys_.back();
        if (std::find(keys.begin(), keys.end(), key) != keys.end()) {
            throw InputError(text_place(text_, key_begin()),
                             "the key " + in_quotes(key) + " occurs twice in one object");
        }
        keys.push_back(key);
    }
    /// The start of the key that the parser has just taken: the last quote without a backslash before it.
    std::size_t key_begin() const {
        std::size_t begin = taken_ - 1;
        do {
            begin = text_.rfind('"', begin - 1);
        } while (text_[begin - 1] == '\\');
        return begin;
    }

    std::string_view text_;
    const std::size_t& taken_;
    std::vector<std::vector<std::string>> keys_;  ///< of the objects that are open; none for lists
};

/// The number that nlohmann's message quotes.
std::string overflowing_number(const std::string& message) {
    const std::size_t begin = message.find('\''), end = message.rfind('\'');
    return begin < end ? message.substr(begin + 1, end - begin - 1) : "";
}

}  // namespace

Json parse_json_document(std::string_view text) {
    require_utf8(text);
    std::size_t taken = 0;
    StructureCheck check(text, taken);
    try {
        return Json::parse(CountedText(text.data(), taken), CountedText(text.data() + text.size(), taken),
                           [&](int, Event event, Json& parsed) {
                               check.see(event, parsed);
                               return true;
                           });
    } catch (const Json::out_of_range& error) {
        throw InputError("", "invalid JSON: the number " + shortened(overflowing_number(error.what())) +
                                 " is beyond what a double holds");
    } catch (const Json::parse_error& error) {
        // The message ends in what was expected; what comes before is the library's own numbering of places.
        std::string reason = error.what();
        const std::size_t colon = reason.find(": ");
        if (colon != std::string::npos) reason.erase(0, colon + 2);
        const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
        throw InputError(text_place(text, byte), "invalid JSON: " + reason);
    }
}

}  // namespace overlap
