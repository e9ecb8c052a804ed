// libFuzzer target: an edited graph as a program of commands with its buffers, and what ranks agree on.

#include "core/run/issue_order.h"
#include "core/run/memory_plan.h"
#include "core/run/operands.h"
#include "tests/fuzz/edited_graph.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    Choices choices(input);
    const auto graph = edited_graph(choices);
    const Program program = make_program(*graph);
    const MemoryPlan memory = plan_memory(*graph, program);
    find_operands(*graph, program, memory);
    const RankAgreement agreement{.order = issue_order(program)};
    const RankAgreement again = must_accept([&] { return read_agreement(agreement_text(agreement)); });
    require(again.order.lines == agreement.order.lines, "what a rank tells the others is read as something else");
}
