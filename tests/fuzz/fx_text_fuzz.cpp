// libFuzzer target: any text is refused or a graph, which is a document that reads back the same.

#include "core/graph/error.h"
#include "core/imports/fx_text.h"
#include "core/io/graph_file.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    for (const FxFunction& function : find_fx_functions(input)) {
        ImportedGraph imported;
        try {
            imported = read_fx_text(input, function, {});
        } catch (const InputError&) {
            continue;  // to the text's next function
        }
        const std::string text = write_graph_text(*imported.graph);
        require(write_graph_text(*read_graph_text(text, "again")) == text, "an import was read back as another graph");
    }
}
