#include "core/imports/fx/fx_node_list.h"

#include <array>
#include <set>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/base/text_place.h"
#include "core/base/trimmed_text.h"
#include "core/files/json_writer.h"
#include "core/imports/untyped/printed_number.h"
#include "core/imports/untyped/python_tokens.h"

namespace overlap {
namespace {

constexpr int deepest = 64;

class FxNodeList {
  public:
    FxNodeList(std::string_view text, std::size_t begin, UntypedGraph& graph)
        : text_(text), position_(begin), graph_(graph) {}

    void read() {
        next_line();  // `graph():`
        while (position_ < text_.size()) {
            const std::size_t end = std::min(text_.find('\n', position_), text_.size());
            const std::string_view line = trimmed(text_.substr(position_, end - position_));
            line_end_ = end;
            if (line.starts_with('%')) {
                read_node();
            } else if (line.starts_with("return")) {
                read_return(line);
                return;
            } else if (!line.empty()) {
                fail("expected a node, which begins with %, or the return");
            }
            next_line();
        }
        fail("the text ends inside the graph, before its return");
    }

  private:
    [[noreturn]] void fail(std::string problem) const {
        throw InputError(text_place(text_, position_), std::move(problem));
    }

    void next_line() { position_ = std::min(text_.find('\n', position_), text_.size() - 1) + 1; }

    void skip_space() {
        while (position_ < line_end_ && (text_[position_] == ' ' || text_[position_] == '\t')) ++position_;
    }

    std::string_view rest() const { return text_.substr(position_, line_end_ - position_); }

    void expect(std::string_view what) {
        skip_space();
        if (!rest().starts_with(what)) fail("expected " + in_quotes(what));
        position_ += what.size();
    }

    /// Passes what is in front of `end`, and `end`.
    std::string_view until(std::string_view end) {
        const std::size_t found = rest().find(end);
        if (found == std::string_view::npos) fail("expected " + in_quotes(end) + " in this line");
        const std::string_view passed = rest().substr(0, found);
        position_ += found + end.size();
        return passed;
    }

    void read_node() {
        UntypedNode node;
        expect("%");
        node.offset = position_;
        const std::string_view name = trimmed(until(" : "));
        if (name.empty()) fail("expected a name behind %");
        if (const std::size_t quote = rest().find('"');
            quote < rest().find("[num_users")) {  // Tensor "f32[16][1]cuda:0"
            until("\"");
            const std::string_view annotation = until("\"");
            if (auto type = parse_fx_type(annotation, {})) node.declared = std::move(type->tensor);
        }
        until("] = ");
        const std::string_view op = until("[target=");
        const auto known = node_op_by_name(op);
        if (!known) fail("there is no operation " + in_quotes(shortened(op)));
        node.record.op = *known;
        const bool has_arguments = rest().find("](args = ") != std::string_view::npos;
        std::string_view target = has_arguments ? until("](args = ") : until("]");
        constexpr std::string_view operators = "torch.ops.";
        if (*known == NodeOp::call_function && target.starts_with(operators)) target.remove_prefix(operators.size());
        node.record.target = graph_.builder.target(target);
        if (has_arguments) {
            node.record.args = value(0);
            if (!node.record.args.is(ValueKind::list)) fail("expected the arguments in parentheses");
            expect(", kwargs = ");
            node.record.kwargs = value(0);
            if (!node.record.kwargs.is(ValueKind::dictionary)) fail("expected the keyword arguments in braces");
            if (node.record.args.count == 0) node.record.args = {};
            if (node.record.kwargs.count == 0) node.record.kwargs = {};
            name_group(node.record);
        }
        add(std::move(node), name);
    }

    /// The name of a group is often a number.
    void name_group(NodeRecord& record) {
        const int index = graph_.builder.target_info(record.target).group_argument;
        const auto args = graph_.builder.children(record.args);
        if (index < 0 || static_cast<std::size_t>(index) >= args.size()) return;
        std::vector<Value> items(args.begin(), args.end());
        Value& group = items[static_cast<std::size_t>(index)];
        if (!group.is(ValueKind::integer)) return;
        group = graph_.builder.string(std::to_string(group.integer));
        record.args = graph_.builder.list(items);
    }

    void read_return(std::string_view line) {
        UntypedNode node;
        node.offset = position_;
        node.record.op = NodeOp::output;
        node.record.target = graph_.builder.target("output");
        expect("return");
        returning_ = true;
        if (line == "return") fail("expected what is returned");
        const std::array returned{value(0)};
        node.record.args = graph_.builder.list(returned);
        add(std::move(node), "output");
    }

    void add(UntypedNode node, std::string_view name) {
        const std::string_view kept = graph_.builder.text(graph_.builder.intern(name));
        node.record.name = graph_.builder.intern(name);
        if (!names_.emplace(kept, static_cast<NodeId>(graph_.nodes.size())).second) {
            fail("the name " + in_quotes(shortened(name)) + " is given for the second time");
        }
        graph_.nodes.push_back(std::move(node));
    }

    Value list(char close, int depth = 0) {
        if (depth > deepest) fail("this is nested more than 64 levels deep");
        skip_space();
        ++position_;
        std::vector<Value> items;
        for (;;) {
            skip_space();
            if (position_ >= line_end_) fail("a list does not end in this line");
            if (text_[position_] == close) break;
            items.push_back(value(depth + 1));
            separate(close);
        }
        ++position_;
        return graph_.builder.list(items);
    }

    Value dictionary(int depth) {
        if (depth > deepest) fail("this is nested more than 64 levels deep");
        ++position_;
        std::vector<Value> entries;
        std::set<StringId> keys;
        for (;;) {
            skip_space();
            if (position_ >= line_end_) fail("a dictionary does not end in this line");
            if (text_[position_] == '}') break;
            const std::size_t key_begin = position_;
            entries.push_back(graph_.builder.string(trimmed(until(": "))));
            if (!keys.insert(entries.back().string).second) {
                position_ = key_begin;
                fail("a dictionary has a key twice");
            }
            entries.push_back(value(depth + 1));
            separate('}');
        }
        ++position_;
        return graph_.builder.dictionary(entries);
    }

    Value value(int depth) {
        skip_space();
        if (position_ >= line_end_) fail("expected a value");
        const char first = text_[position_];
        if (first == '(') return list(')', depth);
        if (first == '[') return list(']', depth);
        if (first == '{') return dictionary(depth);
        const std::string_view text = bare();
        if (text.empty()) fail("expected a value");
        return word(text);
    }

    /// Passes the comma behind an item; behind the last one there may be none.
    void separate(char close) {
        skip_space();
        if (position_ < line_end_ && text_[position_] == ',') {
            ++position_;
        } else if (position_ < line_end_ && text_[position_] != close) {
            fail("expected a comma or the closing bracket");
        }
    }

    /// Text up to the comma or bracket behind it; brackets inside belong to it.
    std::string_view bare() {
        const std::size_t begin = position_;
        int open = 0;
        for (; position_ < line_end_; ++position_) {
            const char character = text_[position_];
            if (character == '(' || character == '[' || character == '{') ++open;
            const bool closes = character == ')' || character == ']' || character == '}';
            if (open == 0 && (closes || character == ',')) break;
            if (closes) --open;
        }
        return trimmed(text_.substr(begin, position_ - begin));
    }

    Value word(std::string_view text) {
        GraphBuilder& builder = graph_.builder;
        const bool is_node = text.starts_with('%');
        if (is_node || (returning_ && names_.contains(text))) {
            const auto known = names_.find(is_node ? text.substr(1) : text);
            if (known == names_.end()) fail("no node before this is called " + in_quotes(shortened(text)));
            return Value::of_node(known->second);
        }
        if (text == "None") return Value::of_none();
        if (text == "True" || text == "False") return Value::of_boolean(text == "True");
        if (text == "inf" || text == "-inf" || text == "nan") return builder.string(text, ValueKind::special_float);
        if (text.starts_with("slice(") && text.ends_with(')')) return slice(text);
        if (const auto number = printed_number(builder, text)) return *number;
        if (text.starts_with("torch.")) return torch_constant(text);
        if (text.starts_with("cuda:") || text == "cpu" || text == "meta")
            return builder.string(text, ValueKind::device);
        return builder.string(text);
    }

    Value torch_constant(std::string_view text) {
        const std::string_view name = text.substr(std::string_view("torch.").size());
        if (dtype_by_name(name)) return graph_.builder.string(name, ValueKind::dtype);
        if (name == "strided" || name == "jagged" || name.starts_with("sparse_")) {
            return graph_.builder.string(name, ValueKind::layout);
        }
        if (name.ends_with("_format") || name.starts_with("channels_last")) {
            return graph_.builder.string(name, ValueKind::memory_format);
        }
        JsonWriter json;
        json.begin_object().member("object", text).end_object();
        return graph_.builder.string(json.text(), ValueKind::raw_json);
    }

    Value slice(std::string_view text) {
        text = text.substr(6, text.size() - 7);
        std::vector<Value> bounds;
        while (bounds.size() < 3) {
            const std::size_t comma = std::min(text.find(','), text.size());
            bounds.push_back(word(trimmed(text.substr(0, comma))));
            text.remove_prefix(std::min(comma + 1, text.size()));
        }
        return graph_.builder.with_children(ValueKind::slice, bounds);
    }

    std::string_view text_;
    std::size_t position_;
    std::size_t line_end_ = 0;
    bool returning_ = false;
    UntypedGraph& graph_;
    std::unordered_map<std::string_view, NodeId> names_;
};

}  // namespace

void read_fx_node_list(std::string_view text, std::size_t begin, UntypedGraph& graph) {
    FxNodeList(text, begin, graph).read();
}

}  // namespace overlap
