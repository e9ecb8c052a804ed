// QProcess starts a program from a child that shares the memory of its parent. ThreadSanitizer marks the child as
// ignored and as not allowed to start threads, which would then apply to the parent: so the child gets a copy of the
// memory. Built into programs that are built with that sanitizer.

#include <dlfcn.h>
#include <sched.h>

#include <cstdarg>

extern "C" int clone(int (*run)(void*), void* stack, int flags, void* argument, ...) {
    using Clone = int(int (*)(void*), void*, int, void*, ...);
    static auto* const next = reinterpret_cast<Clone*>(dlsym(RTLD_NEXT, "clone"));
    // The flags say which of them were given; the next function checks them.
    va_list further;
    va_start(further, argument);
    auto* const parent_id = va_arg(further, int*);
    auto* const thread_data = va_arg(further, void*);
    auto* const child_id = va_arg(further, int*);
    va_end(further);
    return next(run, stack, flags & ~CLONE_VM, argument, parent_id, thread_data, child_id);
}
