#include "core/imports/fx/fx_comment.h"

#include <charconv>

#include "core/base/error.h"
#include "core/files/json_writer.h"
#include "core/imports/untyped/python_expression.h"

namespace overlap {
namespace {

// torch.fx cuts longer values of an annotation and ends them so.
constexpr std::size_t longest_annotation = 40;
constexpr std::string_view cut_mark = "...";

/// The next member of an object that has no text as long as it has no members.
JsonWriter& next_member(JsonWriter& object, std::string_view key) {
    if (object.empty()) object.begin_object();
    return object.key(key);
}

/// The text of such an object.
std::string closed(JsonWriter& object) {
    if (!object.empty()) object.end_object();
    return object.take();
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The word at the beginning of `text`.
std::string_view first_word(std::string_view text) {
    return text.substr(0, text.find_first_of(" ,"));
}

/// Removes `key` and the word behind it from `text`, and returns the word; nothing where it is not there.
std::optional<std::string> take_word(std::string& text, std::string_view key) {
    const std::size_t begin = text.find(key);
    if (begin == std::string::npos) return std::nullopt;
    const std::string word(first_word(std::string_view(text).substr(begin + key.size())));
    text.erase(begin, key.size() + word.size());
    return word;
}

class CommentReader {
  public:
    explicit CommentReader(std::string_view text) : rest_(text) {}

    std::optional<FxComment> read() {
        take_source();
        take_annotation();
        take_tags();
        take_rest();
        if (!empty_) return std::move(comment_);
        return std::nullopt;
    }

  private:
    void take_source() {
        constexpr std::string_view file_mark = "File: ";
        constexpr std::string_view code_mark = ", code: ";
        const std::size_t begin = rest_.find(file_mark);
        if (begin == std::string::npos) return;
        const std::string_view source = std::string_view(rest_).substr(begin + file_mark.size());
        const std::size_t code = source.find(code_mark);
        const std::string_view where = source.substr(0, code);
        const std::size_t function = where.rfind(" in ");
        const std::string_view file_and_line = where.substr(0, function);
        const std::size_t colon = file_and_line.rfind(':');
        const auto line =
            colon == std::string_view::npos ? std::nullopt : whole_number(file_and_line.substr(colon + 1));
        if (!line) return;
        JsonWriter& json = next_member(details_, "source").begin_object();
        json.member("file", file_and_line.substr(0, colon)).member("line", *line);
        if (function != std::string_view::npos) json.member("function", where.substr(function + 4));
        if (code != std::string_view::npos) json.member("code", source.substr(code + code_mark.size()));
        json.end_object();
        rest_.resize(begin);
        empty_ = false;
    }

    /// An annotation that is no dictionary stays in the text.
    void take_annotation() {
        constexpr std::string_view mark = "Annotation: ";
        const std::size_t begin = rest_.find(mark);
        if (begin == std::string::npos) return;
        try {
            PythonTokens tokens(rest_, begin + mark.size(), rest_.size());
            PythonExpressions expressions(tokens);
            const PythonExpressionId dictionary = expressions.parse_item();
            JsonWriter custom;
            if (expressions[dictionary].kind != PythonExpressionKind::dictionary) return;
            for (std::uint32_t entry = 0; entry + 1 < expressions[dictionary].count; entry += 2) {
                add_entry(custom, expressions, expressions.child(dictionary, entry),
                          expressions.child(dictionary, entry + 1));
            }
            comment_.custom_json = closed(custom);
            rest_.erase(begin, mark.size() + expressions.source(dictionary).size());
            empty_ = false;
        } catch (const InputError&) {  // it is kept as text
        }
    }

    void add_entry(JsonWriter& custom, const PythonExpressions& expressions, PythonExpressionId key,
                   PythonExpressionId value) {
        const std::string_view name =
            expressions[key].kind == PythonExpressionKind::string ? expressions[key].text : expressions.source(key);
        const PythonExpression& entry = expressions[value];
        const std::string_view text = entry.text;
        next_member(custom, name);
        if (entry.kind == PythonExpressionKind::string) {
            custom.value(text);
            if (text.size() == longest_annotation + cut_mark.size() && text.ends_with(cut_mark)) comment_.is_cut = true;
            if (name == "module_fqn") comment_.module_fqn = text;
        } else if (text == "True" || text == "False") {
            custom.value(text == "True");
        } else if (const auto number = whole_number(expressions.source(value))) {
            custom.value(*number);
        } else {
            custom.value(expressions.source(value));
        }
    }

    void take_tags() {
        if (const auto word = take_word(rest_, "recompute: ")) add_detail("recompute", *word);
        constexpr std::string_view checkpoint = "ac_graph_id: ";
        if (const auto word = take_word(rest_, checkpoint)) {
            add_detail("ac_graph_id", *word);
            const std::size_t policy = rest_.find(" - ");
            if (policy != std::string::npos) {
                const std::string name(first_word(std::string_view(rest_).substr(policy + 3)));
                add_detail("recompute", name);
                rest_.erase(policy, 3 + name.size());
            }
        }
        if (const auto word = take_word(rest_, "autograd_backward: ")) {
            comment_.autograd_backward = *word == "True";
            empty_ = false;
        }
        if (const auto word = take_word(rest_, "seq_nr: ")) {
            comment_.sequence_number = whole_number(*word);
            empty_ = false;
        }
        if (const auto word = take_word(rest_, "partitioner_tag: ")) {
            comment_.partitioner_tag = *word;
            empty_ = false;
        }
        constexpr std::string_view backward = "Backward of forward node:";
        const std::size_t begin = rest_.find(backward);
        if (begin != std::string::npos) {
            comment_.autograd_backward = true;
            rest_.erase(begin, backward.size());
        }
        constexpr std::string_view nothing_known = "No stacktrace found for following nodes";
        const std::size_t unknown = rest_.find(nothing_known);
        if (unknown != std::string::npos) {
            rest_.erase(unknown, nothing_known.size());
            empty_ = false;
        }
    }

    void add_detail(std::string_view key, std::string_view value) {
        next_member(details_, key).value(value);
        empty_ = false;
    }

    void take_rest() {
        const std::size_t begin = rest_.find_first_not_of("# \t,\r");
        if (begin != std::string::npos) add_detail("comment", std::string_view(rest_).substr(begin));
        comment_.details_json = closed(details_);
    }

    std::string rest_;
    FxComment comment_;
    JsonWriter details_;
    bool empty_ = true;
};

}  // namespace

std::optional<FxComment> parse_fx_comment(std::string_view text) {
    return CommentReader(text).read();
}

}  // namespace overlap
