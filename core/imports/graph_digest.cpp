#include "core/imports/graph_digest.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <utility>

#include "core/base/md5.h"

namespace overlap {
namespace {

/// Writes the program of a graph as a text that is only compared, never read.
class ProgramText {
  public:
    explicit ProgramText(const Graph& graph) : graph_(graph) {}

    std::string write() && {
        for (NodeId node = 0; node < graph_.node_count(); ++node) {
            group_ = graph_.group_name(node);
            add(graph_.name(node));
            add(std::to_string(static_cast<int>(graph_.op(node))));
            add(graph_.target(node));
            add_value(graph_.record(node).args);
            add_value(graph_.record(node).kwargs);
            for (const TensorMeta& tensor : graph_.outputs(node)) add_tensor(tensor);
            text_ += '\n';
        }
        return std::move(text_);
    }

  private:
    void add(std::string_view item) { text_.append(item).push_back('\1'); }

    void add_value(const Value& value) {
        text_ += static_cast<char>('a' + static_cast<int>(value.kind));
        switch (value.kind) {
            case ValueKind::none:
                break;
            case ValueKind::boolean:
                text_ += value.boolean ? '1' : '0';
                break;
            case ValueKind::integer:
                add(std::to_string(value.integer));
                break;
            case ValueKind::floating:
                add(std::to_string(std::bit_cast<std::uint64_t>(value.floating)));
                break;
            case ValueKind::node:
                add(std::to_string(value.node));
                break;
            case ValueKind::device:
                add(without_index(graph_.text(value.string)));
                break;
            case ValueKind::raw_json:
                add(without_addresses(graph_.text(value.string)));
                break;
            case ValueKind::list:
            case ValueKind::dictionary:
            case ValueKind::slice:
            case ValueKind::symbol:
                for (const Value& child : graph_.children(value)) add_value(child);
                text_ += ')';
                break;
            default:
                add_string(graph_.text(value.string));
        }
    }

    /// Names of groups are replaced by the order in which the graph first uses them.
    void add_string(std::string_view string) {
        if (string.empty() || string != group_) return add(string);
        add(std::to_string(groups_.emplace(string, groups_.size()).first->second));
    }

    void add_tensor(const TensorMeta& tensor) {
        if (!tensor.is_tensor) return add("-");
        add(dtype_info(tensor.dtype).name);
        for (const std::int64_t size : graph_.shape(tensor)) add(std::to_string(size));
        for (const std::int64_t stride : graph_.stride(tensor)) add(std::to_string(stride));
    }

    static std::string_view without_index(std::string_view device) { return device.substr(0, device.find(':')); }

    static std::string without_addresses(std::string_view json) {
        constexpr std::string_view mark = "0x";
        std::string text;
        for (std::size_t begin = 0; begin < json.size();) {
            const std::size_t address = std::min(json.find(mark, begin), json.size());
            text += json.substr(begin, address - begin);
            begin = std::min(json.find_first_not_of("0123456789abcdefABCDEF", address + mark.size()), json.size());
        }
        return text;
    }

    const Graph& graph_;
    std::string text_;
    std::string_view group_;  ///< of the node that is being written
    std::map<std::string_view, std::size_t> groups_;
};

}  // namespace

std::string program_digest(const Graph& graph) {
    return md5_hexadecimal(ProgramText(graph).write());
}

}  // namespace overlap
