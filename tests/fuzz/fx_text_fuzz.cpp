// libFuzzer target: any text is refused or a graph, which is a document that reads back the same.

#include "core/base/error.h"
#include "core/imports/fx/fx_text.h"
#include "tests/fuzz/readable_graph.h"

void overlap::fuzz::run(std::string_view input) {
    for (const FxFunction& function : find_fx_functions(input)) {
        ImportedGraph imported;
        try {
            imported = read_fx_text(input, function, {});
        } catch (const InputError&) {
            continue;  // to the text's next function
        }
        require_readable(*imported.graph);
    }
}
