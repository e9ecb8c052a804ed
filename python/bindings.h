#pragma once

#include <nanobind/nanobind.h>

namespace overlap::python {

namespace nb = nanobind;

// Each adds the classes and functions of one area to the module `overlap_studio.core`, in this order: signatures name
// classes that were added before.
void add_errors(nb::module_& core);
void add_graphs(nb::module_& core);
void add_plans(nb::module_& core);
void add_timelines(nb::module_& core);
void add_evaluations(nb::module_& core);
void add_exports(nb::module_& core);
void add_applications(nb::module_& core);
void add_explanations_and_comparisons(nb::module_& core);
void add_measurements(nb::module_& core);
void add_bounds_and_searches(nb::module_& core);
void add_jobs(nb::module_& core);
void add_job_checks(nb::module_& core);

}  // namespace overlap::python
