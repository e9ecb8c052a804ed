#include "core/imports/fx/fx_inputs.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "core/base/quote.h"
#include "core/base/text_place.h"
#include "core/imports/operators/known_tensor.h"
#include "core/imports/untyped/python_expression.h"

namespace overlap {
namespace {

using Kind = PythonExpressionKind;

struct InputStorage {
    int number = 0;
    std::int64_t bytes = -1;
    std::string device;
    std::optional<Dtype> dtype;
};

class FxInputs {
  public:
    FxInputs(std::string_view text, std::size_t begin, UntypedGraph& graph)
        : text_(text), graph_(graph), tokens_(text, begin, text.size()), expressions_(tokens_) {}

    void read() {
        tokens_.skip_line();
        for (;;) {
            const PythonToken next = tokens_.peek();
            if (next.kind == PythonTokenKind::newline || next.kind == PythonTokenKind::comment) {
                tokens_.take();
                continue;
            }
            const std::size_t line = text_.rfind('\n', next.offset) + 1;
            if (next.kind == PythonTokenKind::end || next.offset == line) return;  // the function's body is indented
            read_statement();
            expressions_.clear();
        }
    }

  private:
    void read_statement() {
        PythonExpressionId value = expressions_.parse();
        std::string_view target;
        if (tokens_.take_if("=")) {
            target = expressions_[value].text;
            value = expressions_.parse();
        }
        const std::string callee = expressions_[value].kind == Kind::call
                                       ? expressions_.dotted_name(expressions_.child(value, 0)).value_or("")
                                       : std::string();
        const std::size_t offset = expressions_[value].offset;
        if (callee == "reader.storage") {
            add_storage(target, value);
        } else if (callee == "reader.tensor") {
            add_tensor(value);
        } else if (callee == "reader.symint") {
            UntypedNode& node = next_placeholder(offset);
            if (const auto number = integer(positional(value, 0))) node.value = number;
        } else {
            const std::string what = "a statement of load_args states no input, and is left out";
            graph_.notes.add(what, graph_.notes.is_new(what) ? text_place(text_, offset) : std::string());
        }
    }

    std::optional<PythonExpressionId> positional(PythonExpressionId call, std::size_t index) const {
        const auto parts = expressions_.children(call);
        if (index + 1 >= parts.size() || expressions_[parts[index + 1]].kind == Kind::keyword) return std::nullopt;
        return parts[index + 1];
    }

    std::optional<PythonExpressionId> keyword(PythonExpressionId call, std::string_view name) const {
        for (const PythonExpressionId part : expressions_.children(call)) {
            if (expressions_[part].kind == Kind::keyword && expressions_[part].text == name) {
                return expressions_.child(part, 0);
            }
        }
        return std::nullopt;
    }

    std::optional<std::int64_t> integer(std::optional<PythonExpressionId> id) const {
        if (!id || expressions_[*id].kind != Kind::integer) return std::nullopt;
        std::int64_t value = 0;
        const std::string_view text = expressions_[*id].text;
        if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) return std::nullopt;
        return value;
    }

    std::optional<Dtype> dtype(std::optional<PythonExpressionId> id) const {
        const auto name = id ? expressions_.dotted_name(*id) : std::nullopt;
        return name && name->starts_with("torch.") ? dtype_by_name(std::string_view(*name).substr(6)) : std::nullopt;
    }

    std::optional<Sizes> sizes(std::optional<PythonExpressionId> id) const {
        if (!id || (expressions_[*id].kind != Kind::tuple && expressions_[*id].kind != Kind::list)) return std::nullopt;
        Sizes sizes;
        for (const PythonExpressionId item : expressions_.children(*id)) {
            const auto size = integer(item);
            if (!size) tokens_.fail(expressions_[item].offset, "expected a size");
            sizes.push_back(*size);
        }
        return sizes;
    }

    /// `buf0 = reader.storage(None, 4096, device=device(type='cuda', index=0), dtype_hint=torch.int64)`
    void add_storage(std::string_view name, PythonExpressionId call) {
        InputStorage storage;
        storage.number = static_cast<int>(storages_.size());
        storage.bytes = integer(positional(call, 1)).value_or(-1);
        storage.device = "cpu";
        storage.dtype = dtype(keyword(call, "dtype_hint"));
        if (const auto device = keyword(call, "device"); device && expressions_[*device].kind == Kind::call) {
            if (const auto type = keyword(*device, "type")) storage.device = expressions_[*type].text;
        }
        storages_[std::string(name)] = std::move(storage);
    }

    /// `reader.tensor(buf0, (64, 32), (32, 1), dtype=torch.bfloat16, is_leaf=True)  # arg0_1`
    void add_tensor(PythonExpressionId call) {
        const std::size_t offset = expressions_[call].offset;
        const auto storage_name = positional(call, 0);
        const auto storage =
            storage_name ? storages_.find(std::string(expressions_[*storage_name].text)) : storages_.end();
        if (storage == storages_.end()) tokens_.fail(offset, "expected a storage that load_args has made");
        auto shape = sizes(positional(call, 1));
        if (!shape) tokens_.fail(offset, "expected the sizes of a tensor");
        DeclaredTensor tensor;
        auto stride = positional(call, 2);
        if (!stride) stride = keyword(call, "stride");
        tensor.stride = sizes(stride).value_or(contiguous_strides(*shape));
        if (tensor.stride->size() != shape->size()) tokens_.fail(offset, "a tensor has other strides than sizes");
        tensor.shape = std::move(*shape);
        const auto own = dtype(keyword(call, "dtype"));
        tensor.dtype = own ? *own : storage->second.dtype.value_or(*dtype_by_name("float32"));
        tensor.storage_offset = integer(keyword(call, "storage_offset")).value_or(0);
        tensor.device = storage->second.device;
        tensor.storage = storage->second.number;
        tensor.storage_bytes = storage->second.bytes;
        UntypedNode& node = next_placeholder(offset);
        if (!node.declared) node.declared = std::move(tensor);
    }

    UntypedNode& next_placeholder(std::size_t offset) {
        if (next_ >= graph_.nodes.size() || graph_.nodes[next_].record.op != NodeOp::placeholder) {
            tokens_.fail(offset, "load_args states more inputs than the graph has");
        }
        return graph_.nodes[next_++];
    }

    std::string_view text_;
    UntypedGraph& graph_;
    PythonTokens tokens_;
    PythonExpressions expressions_;
    std::unordered_map<std::string, InputStorage> storages_;
    std::size_t next_ = 0;
};

}  // namespace

void read_fx_inputs(std::string_view text, std::size_t begin, UntypedGraph& graph) {
    FxInputs(text, begin, graph).read();
}

}  // namespace overlap
