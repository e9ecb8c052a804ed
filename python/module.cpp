// The module overlap_studio.core: functions of core for Python. Nothing is computed here.

#include "python/bindings.h"

NB_MODULE(core, core) {
    using namespace overlap::python;
    core.attr("__doc__") =
        "Graphs, plans and their evaluation: the functions of the command line `overlap`, for Python.\n\n"
        "Times are milliseconds unless a name says otherwise, sizes are bytes, arrays are read-only and "
        "one-dimensional. "
        "What cannot be used is an InputError with file, place and a sentence. Work runs without the interpreter's "
        "lock, "
        "and an interrupt (Ctrl+C) ends it with KeyboardInterrupt. All objects are immutable, and may be used by "
        "several "
        "threads.";
    // What others keep until the interpreter ends, as torch does, is no leak of ours.
    nb::set_leak_warnings(false);
    add_errors(core);
    add_graphs(core);
    add_plans(core);
    add_timelines(core);
    add_evaluations(core);
    add_exports(core);
    add_applications(core);
    add_explanations_and_comparisons(core);
    add_measurements(core);
    add_bounds_and_searches(core);
    add_jobs(core);
    add_job_checks(core);
}
