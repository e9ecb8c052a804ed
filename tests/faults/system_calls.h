#pragma once

// The calls of the kernel that work on files, which system_faults.cpp catches.

#include <sys/syscall.h>

#include <cstddef>

#include "tests/faults/system_faults.h"

namespace overlap::test {

inline constexpr int none = -1;

/// A call of the kernel: which arguments say on what it works.
struct SystemCall {
    long number;
    Call call;
    int path = none;  ///< the argument that is a path
    int file = none;  ///< the argument that is a descriptor; where there is a path too, for when that is empty
};

inline constexpr SystemCall system_calls[] = {
    {SYS_open, Call::open, 0},
    {SYS_openat, Call::open, 1},
    {SYS_creat, Call::open, 0},
    {SYS_read, Call::read, none, 0},
    {SYS_pread64, Call::read, none, 0},
    {SYS_readv, Call::read, none, 0},
    {SYS_write, Call::write, none, 0},
    {SYS_pwrite64, Call::write, none, 0},
    {SYS_writev, Call::write, none, 0},
    {SYS_sendfile, Call::write, none, 0},
    {SYS_copy_file_range, Call::write, none, 2},
    {SYS_fsync, Call::synchronise, none, 0},
    {SYS_fdatasync, Call::synchronise, none, 0},
    {SYS_rename, Call::rename, 1},
    {SYS_renameat, Call::rename, 3},
    {SYS_renameat2, Call::rename, 3},
    {SYS_link, Call::link, 1},
    {SYS_linkat, Call::link, 3},
    {SYS_unlink, Call::unlink, 0},
    {SYS_unlinkat, Call::unlink, 1},
    {SYS_mmap, Call::map, none, 4},
    {SYS_ftruncate, Call::truncate, none, 0},
    {SYS_truncate, Call::truncate, 0},
    {SYS_close, Call::close, none, 0},
    {SYS_stat, Call::stat, 0},
    {SYS_lstat, Call::stat, 0},
    {SYS_fstat, Call::stat, none, 0},
    {SYS_newfstatat, Call::stat, 1, 0},
    {SYS_statx, Call::stat, 1, 0},
    {SYS_access, Call::stat, 0},
    {SYS_readlink, Call::stat, 0},
    {SYS_readlinkat, Call::stat, 1},
    {SYS_faccessat, Call::stat, 1},
    {SYS_faccessat2, Call::stat, 1},
    {SYS_getdents64, Call::list, none, 0},
    {SYS_mkdir, Call::make_folder, 0},
    {SYS_mkdirat, Call::make_folder, 1},
    {SYS_chmod, Call::mode, 0},
    {SYS_fchmod, Call::mode, none, 0},
    {SYS_fchown, Call::mode, none, 0},
    {SYS_flock, Call::lock, none, 0},
};
inline constexpr std::size_t system_call_count = sizeof system_calls / sizeof *system_calls;

}  // namespace overlap::test
