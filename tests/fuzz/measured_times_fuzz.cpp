// libFuzzer target: any text is refused or a table of measured times, which prices collectives of a mesh.

#include <cmath>

#include "core/io/measured_times_file.h"
#include "tests/fuzz/fuzz_target.h"

void overlap::fuzz::run(std::string_view input) {
    const MeasuredTable table = read_measured_table_text(input, "fuzz");
    const auto times = table_times(table, {.shape = {4, 8}, .dim_names = {"dp", "tp"}});
    for (const StepKind kind : {StepKind::all_gather, StepKind::all_to_all, StepKind::reduce_scatter}) {
        for (const double gib : {0.0, 1e-6, 0.25, 1e6}) {
            const int mesh_dim = 1;
            const double time = times->time(kind, {&mesh_dim, 1}, gib);
            require(!std::isnan(time) && time >= 0, "a collective takes no time that is a number");
        }
    }
}
