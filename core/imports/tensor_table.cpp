#include "core/imports/tensor_table.h"

#include "core/base/error.h"
#include "core/base/quote.h"
#include "core/files/json_bytes.h"
#include "core/files/json_document.h"
#include "core/files/json_fields.h"

namespace overlap {
namespace {

template <typename Read>
TensorTable named_table(const std::string& name, const SymbolValues& symbols, const Read& read) {
    try {
        const JsonDocument document(read());
        TensorTable tensors;
        for (const auto [node, value] : json_object(document.root(), JsonPlace("table"))) {
            const JsonPlace place(node);
            std::optional<FxType> type = parse_fx_type(json_string(value, place), symbols);
            if (!type || !type->tensor) place.fail("expected a tensor's type such as \"bf16[16, 32][32, 1]cuda:0\"");
            tensors.emplace(node, std::move(*type->tensor));
        }
        return tensors;
    } catch (const InputError& error) {
        throw error.in_file(name);
    }
}

}  // namespace

TensorTable read_tensor_table(const std::string& path, const SymbolValues& symbols) {
    return named_table(path, symbols, [&] { return *read_json_file(path); });
}

TensorTable read_tensor_table_text(std::string_view text, const std::string& name, const SymbolValues& symbols) {
    return named_table(name, symbols, [&] { return JsonBytes(std::string(text)); });
}

}  // namespace overlap
