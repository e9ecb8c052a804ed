// core's errors as exceptions of overlap_studio.errors.

#include <exception>

#include "core/base/error.h"
#include "python/bindings.h"
#include "python/convert.h"

namespace overlap::python {

namespace {

nb::object error_class(const char* name) {
    return nb::module_::import_("overlap_studio.errors").attr(name);
}

void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const PassRefusal& error) {
        const nb::object made = error_class("PassRefusal")(path_text(error.file()), text(error.place()),
                                                           text(error.problem()), text(error.pass()));
        PyErr_SetObject(nb::handle(made.type()).ptr(), made.ptr());
    } catch (const InputError& error) {
        const nb::object made =
            error_class("InputError")(path_text(error.file()), text(error.place()), text(error.problem()));
        PyErr_SetObject(nb::handle(made.type()).ptr(), made.ptr());
    }
}

}  // namespace

void add_errors(nb::module_& core) {
    nb::register_exception_translator(translate);
    core.attr("InputError") = error_class("InputError");
    core.attr("PassRefusal") = error_class("PassRefusal");
}

}  // namespace overlap::python
