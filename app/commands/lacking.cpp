#include "app/commands/lacking.h"

#include <execinfo.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

namespace overlap::commands {

namespace {

const char* ending_program = "overlap";
int lacking_status = 1;

[[noreturn]] void end_by_uncaught() {
    try {
        if (std::current_exception()) throw;
    } catch (const std::bad_alloc&) {
        say_that_memory_is_lacking();
        std::_Exit(lacking_status);
    } catch (const std::system_error& error) {
        say_that_the_system_refuses(error);
        std::_Exit(lacking_status);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: a mistake of this program: %s\n", ending_program, error.what());
    } catch (...) {
        std::fprintf(stderr, "%s: a mistake of this program\n", ending_program);
    }
    std::abort();
}

}  // namespace

void end_with_a_sentence(const char* program, int status) {
    ending_program = program;
    lacking_status = status;
    std::set_terminate(end_by_uncaught);
    // Where an exception passes one of the C library's functions, as std::call_once() has one, that library loads what
    // it needs when this first happens, and ends the program without memory for it. Now there is some.
    void* frame = nullptr;
    backtrace(&frame, 1);
}

void say_that_memory_is_lacking() {
    std::fprintf(stderr, "%s: the input needs more memory than there is\n", ending_program);
}

void say_that_the_system_refuses(const std::system_error& error) {
    std::fprintf(stderr, "%s: the system has refused something: %s\n", ending_program, error.what());
}

}  // namespace overlap::commands
