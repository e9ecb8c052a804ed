// libFuzzer target: any text is refused or a cost model, which is written as a text that reads back the same.

#include "core/io/cost_model/cost_model_file.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    const std::string text = cost_model_text(read_cost_model_text(input, "fuzz"));
    const NamedCostModel again = must_accept([&] { return read_cost_model_text(text, "again"); });
    require(cost_model_text(again) == text, "a model was written differently again");
}
