#pragma once

// Calls of the system that fail, on purpose, at the n-th time. The library may be linked, or be loaded in front of a
// program that knows nothing of it (LD_PRELOAD), which environment variables then direct:
//
//     OVERLAP_FAULTS_CALL    a name of `call_names`, or nothing: calls are counted alone; any other ends the program
//     OVERLAP_FAULTS_AT      which of them fails, from 1
//     OVERLAP_FAULTS_ERROR   with which errno
//     OVERLAP_FAULTS_STAYS   `1`: so do all that follow
//     OVERLAP_FAULTS_BELOW   only calls on files of this folder; `memory`, `thread` and `process` have none
//     OVERLAP_FAULTS_COUNTS  a file, for how often each was called: a line for each, `read 12`
//
// Calls are counted from main() to its end. Processes are not: where they are to fail, all do. Programs that the program
// starts have none of this.
//
// Calls on files are caught in the kernel, by a filter (seccomp) that sends a signal to the thread: so those that the C
// library makes within itself, as fread() does, fail as well. Threads and memory are caught by functions of their name.
// The filter holds for the thread that begins first and for those that are started after that. A path counts where it is
// absolute, as all of Qt's and of a command with absolute arguments are: not one that is relative to the working folder or
// to an open one.
// Calls that wait until a file is on the disk, and do not fail, do nothing: they would take most of a test's time.

#include <cstddef>

namespace overlap::test {

enum class Call {
    open,
    read,
    write,
    synchronise,
    rename,
    link,
    unlink,
    map,
    truncate,
    close,
    stat,
    list,
    make_folder,
    mode,
    lock,
    thread,
    memory,
    process
};
inline constexpr const char* call_names[] = {"open",        "read", "write",    "synchronise", "rename", "link",
                                             "unlink",      "map",  "truncate", "close",       "stat",   "list",
                                             "make_folder", "mode", "lock",     "thread",      "memory", "process"};
inline constexpr std::size_t call_count = sizeof call_names / sizeof *call_names;

/// What is to fail.
struct Fault {
    Call call = Call::open;
    unsigned long at = 0;     ///< 0: none, calls are counted alone
    int error = 0;            ///< errno
    bool stays = false;       ///< all that follow fail as well; a write puts half of its bytes there before it does
    const char* below = "/";  ///< an absolute path; copied
};

/// Begins to count, from none, and to fail.
void begin_faults(const Fault& fault);
/// Ends it: all calls succeed again.
void end_faults();
/// How often it was called between the two.
unsigned long calls_of(Call call);
/// Whether one failed.
bool has_failed();

}  // namespace overlap::test
