// libFuzzer target: any text is refused or a table of tensors, with values for some of the symbols that it names.

#include "core/imports/tensor_table.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    static const SymbolValues symbols = {{"s0", 8}, {"s1", 1}, {"u0", 1 << 20}};
    for (const auto& [node, tensor] : read_tensor_table_text(input, "fuzz", symbols)) {
        require(!tensor.stride || tensor.stride->size() == tensor.shape.size(), "a tensor has strides of another rank");
    }
}
