#include "core/imports/fx/fx_functions.h"

#include <optional>

namespace overlap {
namespace {

struct OpenClass {
    std::string name;
    std::size_t indent;
};

/// Follows the classes that a line stands in.
class FunctionFinder {
  public:
    std::vector<FxFunction> find(std::string_view text) {
        for (std::size_t begin = 0; begin < text.size();) {
            const std::size_t end = std::min(text.find('\n', begin), text.size());
            see_line(text.substr(begin, end - begin), begin);
            begin = end + 1;
        }
        return std::move(functions_);
    }

  private:
    void see_line(std::string_view line, std::size_t offset) {
        const std::size_t indent = line.find_first_not_of(" \t");
        if (indent == std::string_view::npos) return;
        const std::string_view code = line.substr(indent);
        if (code.starts_with("class ")) {
            leave_classes(indent);
            const std::string_view name = code.substr(6, code.find_first_of("(:") - 6);
            classes_.push_back({std::string(name), indent});
        } else if (code.starts_with("def forward(")) {
            leave_classes(indent);
            add(offset + indent, false);
        } else if (code.starts_with("def load_args(")) {
            if (!functions_.empty()) functions_.back().inputs = offset + indent;
        } else if (code.starts_with("graph(") && code.find(')') != std::string_view::npos && code.ends_with(':')) {
            add(offset + indent, true);
        }
    }

    void leave_classes(std::size_t indent) {
        while (!classes_.empty() && classes_.back().indent >= indent) classes_.pop_back();
    }

    void add(std::size_t begin, bool is_node_list) {
        FxFunction function;
        function.begin = begin;
        function.is_node_list = is_node_list;
        function.is_nested = classes_.size() > 1;
        if (!classes_.empty()) function.name = classes_.back().name;
        functions_.push_back(std::move(function));
    }

    std::vector<FxFunction> functions_;
    std::vector<OpenClass> classes_;
};

}  // namespace

std::vector<FxFunction> find_fx_functions(std::string_view text) {
    return FunctionFinder().find(text);
}

}  // namespace overlap
