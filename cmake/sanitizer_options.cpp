// Options of sanitized programs unless ASAN_OPTIONS, LSAN_OPTIONS, UBSAN_OPTIONS or TSAN_OPTIONS set something else.
// Built into each of them, so that a program that a test or another program starts behaves the same. The sanitizers
// look these functions up by name; those of a sanitizer that is not linked are never called.

// A finding ends a program with a separate status: 1 is wrong input, which tests expect.
#define FINDING "exitcode=86"
#define SUPPRESSIONS(file) "suppressions=" OVERLAP_SUPPRESSIONS_FOLDER "/" file

extern "C" {

// Leaks of libraries that a program may be linked with.
int MPI_Initialized(int* flag) __attribute__((weak));

// Open MPI leaves memory to the end of the program, of plugins that it has unloaded by then: its origin is unknown, so
// no suppression fits. What ranks run is checked where tests run it without MPI.
int __lsan_is_turned_off() {
    int started = 0;
    if (MPI_Initialized) MPI_Initialized(&started);
    return started;
}

const char* __asan_default_options() {
    return FINDING ":detect_stack_use_after_return=1:check_initialization_order=1:strict_init_order=1";
}

const char* __lsan_default_options() {
    return FINDING ":print_suppressions=0:" SUPPRESSIONS("leak_sanitizer.supp");
}

const char* __ubsan_default_options() {
    return FINDING ":print_stacktrace=1";
}

const char* __tsan_default_options() {
    return FINDING ":second_deadlock_stack=1:" SUPPRESSIONS("thread_sanitizer.supp");
}

}  // extern "C"
