// libFuzzer target: any text gives an InputError or a graph, and the graph is a document that reads back the same.
//
//     fx_text_fuzz -max_len=20000 CORPUS tests/data/fx_text

#include <cstdint>
#include <cstdlib>

#include "core/graph/error.h"
#include "core/imports/fx_text.h"
#include "core/io/graph_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace overlap;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const FxFunction& function : find_fx_functions(text)) {
        ImportedGraph imported;
        try {
            imported = read_fx_text(text, function, {});
        } catch (const InputError&) {
            continue;
        }
        const std::string written = write_graph_text(*imported.graph);
        if (write_graph_text(*read_graph_text(written, "again")) != written) std::abort();
    }
    return 0;
}
