#include "core/imports/tensor_table.h"

#include "core/graph/error.h"
#include "core/graph/quote.h"
#include "core/io/json_bytes.h"
#include "core/io/json_document.h"
#include "core/io/json_fields.h"

namespace overlap {

std::map<std::string, DeclaredTensor, std::less<>> read_tensor_table(const std::string& path,
                                                                     const SymbolValues& symbols) {
    try {
        std::optional<JsonBytes> bytes = read_json_file(path);
        const JsonDocument document(std::move(*bytes));
        std::map<std::string, DeclaredTensor, std::less<>> tensors;
        for (const auto [name, value] : json_object(document.root(), JsonPlace("table"))) {
            const JsonPlace place(name);
            std::optional<FxType> type = parse_fx_type(json_string(value, place), symbols);
            if (!type || !type->tensor) place.fail("expected a tensor's type such as \"bf16[16, 32][32, 1]cuda:0\"");
            tensors.emplace(name, std::move(*type->tensor));
        }
        return tensors;
    } catch (const InputError& error) {
        throw error.in_file(path);
    }
}

}  // namespace overlap
