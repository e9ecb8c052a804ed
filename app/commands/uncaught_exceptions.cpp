#include "app/commands/uncaught_exceptions.h"

#include <execinfo.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

namespace overlap::commands {

namespace {

const char* ending_program = "overlap";
int failure_status = 1;

[[noreturn]] void end_by_uncaught() {
    try {
        if (std::current_exception()) throw;
    } catch (const std::bad_alloc&) {
        print_out_of_memory();
        std::_Exit(failure_status);
    } catch (const std::system_error& error) {
        print_refusal_of_the_system(error);
        std::_Exit(failure_status);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: a mistake of this program: %s\n", ending_program, error.what());
    } catch (...) {
        std::fprintf(stderr, "%s: a mistake of this program\n", ending_program);
    }
    std::abort();
}

}  // namespace

void print_uncaught_exceptions(const char* program, int status) {
    ending_program = program;
    failure_status = status;
    std::set_terminate(end_by_uncaught);
    // Where an exception passes one of the C library's functions, as std::call_once() has one, that library loads what
    // it needs when this first happens, and ends the program without memory for it. Now there is some.
    void* frame = nullptr;
    backtrace(&frame, 1);
}

void print_out_of_memory() {
    std::fprintf(stderr, "%s: the input needs more memory than there is\n", ending_program);
}

void print_refusal_of_the_system(const std::system_error& error) {
    std::fprintf(stderr, "%s: the system has refused something: %s\n", ending_program, error.what());
}

}  // namespace overlap::commands
