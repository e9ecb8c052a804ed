#include "core/files/json_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/base/text_place.h"
#include "core/files/json_numbers.h"
#include "core/files/utf8.h"

namespace overlap {

namespace {

/// Ignores all values and keeps where the text stops being JSON, and how deep it is nested at most. Not recursive.
class SyntaxChecker : public nlohmann::json_sax<nlohmann::json> {
  public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return enter(); }
    bool key(string_t&) override { return true; }
    bool end_object() override { return leave(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_array() override { return leave(); }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
        position_ = position == 0 ? 0 : position - 1;
        // "[json.exception...] parse error at line 1, column 2: syntax error while parsing value - unexpected ..."
        const std::string_view what = error.what();
        const std::size_t detail = what.find(" - ");
        problem_ = detail == std::string_view::npos ? std::string(what) : std::string(what.substr(detail + 3));
        return false;
    }

    std::size_t position() const { return position_; }
    const std::string& problem() const { return problem_; }
    std::size_t deepest() const { return deepest_; }

  private:
    bool enter() {
        deepest_ = std::max(deepest_, ++depth_);
        return true;
    }
    bool leave() {
        --depth_;
        return true;
    }

    std::size_t position_ = 0, depth_ = 0, deepest_ = 0;
    std::string problem_;
};

[[noreturn]] void explain(std::string_view text, simdjson::error_code error) {
    require_utf8(text);
    if (error == simdjson::MEMALLOC) throw JsonMemoryError("", "there is not enough memory to read it");
    SyntaxChecker checker;
    if (!nlohmann::json::sax_parse(text.begin(), text.end(), &checker)) {
        throw InputError(text_place(text, checker.position()), "invalid JSON: " + checker.problem());
    }
    if (checker.deepest() >= JsonDocument::depth_limit) {
        throw InputError("", "lists and objects are nested " + std::to_string(checker.deepest()) +
                                 " deep, and the limit is " + std::to_string(JsonDocument::depth_limit - 1));
    }
    throw InputError("", std::string("it cannot be parsed: ") + simdjson::error_message(error));
}

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

JsonDocument::JsonDocument(JsonBytes bytes) {
    std::string_view text = bytes.view();
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const auto parse = [&](std::string_view source) {
        return parser_.parse(source.data(), source.size(), false).get(root_);
    };
    const bool suspicious = may_have_wide_numbers(text);
    simdjson::error_code error = suspicious ? simdjson::NUMBER_ERROR : parse(text);
    if (error == simdjson::NUMBER_ERROR) {
        if (std::optional<std::string> wrapped = wrap_wide_numbers(text)) {
            bytes = JsonBytes(std::move(*wrapped));
            text = bytes.view();
        }
        error = parse(text);
    }
    if (error) explain(text, error);
}

}  // namespace overlap
