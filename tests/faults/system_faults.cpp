#include "tests/faults/system_faults.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/faults/system_calls.h"

// Nothing here may allocate: it runs within malloc(), and in a signal handler.

namespace overlap::test {
namespace {

// What is to fail. Plain what only changes while no thread is `Inside`.
Fault fault;
std::array<char, PATH_MAX> below;
std::size_t below_size = 0;
std::atomic<bool> active = false, failed = false;
std::atomic<int> inside = 0;
std::array<std::atomic<unsigned long>, call_count> counts;

/// Where what is to fail is read. No call that may wait is made there.
class Inside {
  public:
    Inside() { ++inside; }
    ~Inside() { --inside; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
};

/// Nothing is counted and nothing fails from here on.
void stop() {
    active = false;
    while (inside > 0) sched_yield();
}

/// What becomes of a call.
struct Verdict {
    bool is_counted = false, fails = false;
    bool is_halved = false;  ///< it is the first of several that fail
    int error = 0;
};

/// Counts a call if it is meant.
template <typename IsMeant>
Verdict judge(Call call, const IsMeant& is_meant) {
    const Inside reads;
    if (!active || !is_meant()) return {};
    Verdict verdict{.is_counted = true, .fails = false, .is_halved = false, .error = fault.error};
    const unsigned long number = ++counts[static_cast<std::size_t>(call)];
    if (call != fault.call || fault.at == 0 || number < fault.at || (number > fault.at && !fault.stays)) return verdict;
    failed = verdict.fails = true;
    verdict.is_halved = fault.stays && number == fault.at;
    return verdict;
}

Verdict judge(Call call) {
    return judge(call, [] { return true; });
}

long call_kernel(long number, const long* arguments) {
    register long fourth asm("r10") = arguments[3];
    register long fifth asm("r8") = arguments[4];
    register long sixth asm("r9") = arguments[5];
    long result;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(arguments[0]), "S"(arguments[1]), "d"(arguments[2]), "r"(fourth), "r"(fifth),
                   "r"(sixth)
                 : "rcx", "r11", "memory");
    return result;
}

bool is_below(const char* path, std::size_t size) {
    if (size < below_size || std::memcmp(path, below.data(), below_size) != 0) return false;
    return size == below_size || path[below_size] == '/';
}

bool is_descriptor_below(int descriptor) {
    if (descriptor < 0) return false;
    std::array<char, 32> link = {"/proc/self/fd/"};
    std::array<char, 12> digits;
    std::size_t count = 0, end = std::strlen(link.data());
    for (int rest = descriptor; rest > 0 || count == 0; rest /= 10)
        digits[count++] = static_cast<char>('0' + rest % 10);
    while (count > 0) link[end++] = digits[--count];
    std::array<char, PATH_MAX> path;
    const long arguments[6] = {reinterpret_cast<long>(link.data()), reinterpret_cast<long>(path.data()), path.size()};
    const long size = call_kernel(SYS_readlink, arguments);
    return size > 0 && is_below(path.data(), static_cast<std::size_t>(size));
}

bool is_meant(const SystemCall& entry, const long* arguments) {
    if (entry.path != none) {
        const auto* const path = reinterpret_cast<const char*>(arguments[entry.path]);
        if (path && *path != '\0') return is_below(path, std::strlen(path));
    }
    return entry.file != none && is_descriptor_below(static_cast<int>(arguments[entry.file]));
}

long answer(long number, long* arguments) {
    const SystemCall* entry = system_calls;
    while (entry->number != number) ++entry;  // the filter sends no other
    const Verdict verdict = judge(entry->call, [&] { return is_meant(*entry, arguments); });
    if (!verdict.is_counted) return call_kernel(number, arguments);
    if (!verdict.fails) return entry->call == Call::synchronise ? 0 : call_kernel(number, arguments);
    if (number == SYS_close) call_kernel(number, arguments);  // it is closed, whatever is said
    if (number == SYS_write && verdict.is_halved && arguments[2] > 1) {
        arguments[2] /= 2;
        return call_kernel(number, arguments);
    }
    return -verdict.error;
}

void on_system_call(int, siginfo_t* information, void* context) {
    auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    long arguments[6] = {static_cast<long>(registers[REG_RDI]), static_cast<long>(registers[REG_RSI]),
                         static_cast<long>(registers[REG_RDX]), static_cast<long>(registers[REG_R10]),
                         static_cast<long>(registers[REG_R8]),  static_cast<long>(registers[REG_R9])};
    const int before = errno;
    registers[REG_RAX] = answer(information->si_syscall, arguments);
    errno = before;
}

struct Range {
    std::uint64_t begin = 0, end = 0;
};

/// Where the C library's code is.
Range code_of_c_library() {
    Range found;
    dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* result) {
            if (!std::strstr(library->dlpi_name, "/libc.so.")) return 0;
            for (int i = 0; i < library->dlpi_phnum; ++i) {
                const ElfW(Phdr)& part = library->dlpi_phdr[i];
                if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
                const std::uint64_t begin = library->dlpi_addr + part.p_vaddr;
                *static_cast<Range*>(result) = {begin, begin + part.p_memsz};
            }
            return 1;
        },
        &found);
    return found;
}

[[noreturn]] void give_up(const char* why) {
    const long arguments[6] = {STDERR_FILENO, reinterpret_cast<long>(why), static_cast<long>(std::strlen(why))};
    call_kernel(SYS_write, arguments);
    _exit(99);
}

void install(const sock_filter* program, std::size_t size) {
    const sock_fprog filter{static_cast<unsigned short>(size), const_cast<sock_filter*>(program)};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        give_up("system_faults: the kernel permits no filter\n");
}

/// Sends a signal for each of `system_calls` that the C library makes: not for those from here, and not for those of a
/// program that this one starts, which has the filter as well, the library elsewhere, and no handler.
void install_filter() {
    constexpr auto field = [](std::size_t offset) {
        return sock_filter(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    };
    constexpr std::size_t where = offsetof(seccomp_data, instruction_pointer);
    constexpr std::size_t head = 13;
    std::array<sock_filter, head + system_call_count + 2> program;
    const Range code = code_of_c_library();
    if (code.begin == 0) give_up("system_faults: where is the C library?\n");
    const auto high = [](std::uint64_t address) { return static_cast<std::uint32_t>(address >> 32); };
    const auto low = [](std::uint64_t address) { return static_cast<std::uint32_t>(address); };
    const auto jump = [](int kind, std::uint32_t value, std::size_t here, std::size_t yes, std::size_t no) {
        return sock_filter{static_cast<std::uint16_t>(BPF_JMP | kind | BPF_K),
                           static_cast<std::uint8_t>(yes - here - 1), static_cast<std::uint8_t>(no - here - 1), value};
    };
    const std::size_t allow = head + system_call_count, trap = allow + 1;
    program[0] = field(offsetof(seccomp_data, arch));
    program[1] = jump(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 2, allow);
    // From `begin` on.
    program[2] = field(where + 4);
    program[3] = jump(BPF_JGT, high(code.begin), 3, 7, 4);
    program[4] = jump(BPF_JEQ, high(code.begin), 4, 5, allow);
    program[5] = field(where);
    program[6] = jump(BPF_JGE, low(code.begin), 6, 7, allow);
    // Before `end`.
    program[7] = field(where + 4);
    program[8] = jump(BPF_JGT, high(code.end), 8, allow, 9);
    program[9] = jump(BPF_JEQ, high(code.end), 9, 10, 12);
    program[10] = field(where);
    program[11] = jump(BPF_JGE, low(code.end), 11, allow, 12);
    program[12] = field(offsetof(seccomp_data, nr));
    for (std::size_t i = 0; i < system_call_count; ++i)
        program[head + i] =
            jump(BPF_JEQ, static_cast<std::uint32_t>(system_calls[i].number), head + i, trap, head + i + 1);
    program[allow] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[trap] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sigaction action {};
    action.sa_sigaction = on_system_call;
    action.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART;
    if (sigaction(SIGSYS, &action, nullptr) != 0) give_up("system_faults: there is no handler\n");
    install(program.data(), program.size());
}

/// No process can be started any more. A thread can: it says so.
void refuse_processes(int error) {
    const std::uint32_t refuse = SECCOMP_RET_ERRNO | (static_cast<std::uint32_t>(error) & SECCOMP_RET_DATA);
    const std::array<sock_filter, 10> program = {{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_vfork, 6, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fork, 5, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 5, 0),  // whose flags are in memory; clone() is tried then
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, refuse),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
    }};
    install(program.data(), program.size());
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;
const char* counts_file = nullptr;

const char* variable(const char* name) {
    const char* const text = std::getenv(name);
    return text ? text : "";
}

/// What the environment asks for, if it does.
void begin_as_told() {
    const char* const name = std::getenv("OVERLAP_FAULTS_CALL");
    if (!name) return;
    unsetenv("LD_PRELOAD");
    Fault told;
    bool is_known = *name == '\0';
    for (std::size_t i = 0; i < call_count; ++i) {
        if (std::strcmp(name, call_names[i]) != 0) continue;
        told.call = static_cast<Call>(i);
        is_known = true;
    }
    if (!is_known) give_up("system_faults: OVERLAP_FAULTS_CALL is no name of a call\n");
    told.at = std::strtoul(variable("OVERLAP_FAULTS_AT"), nullptr, 10);
    told.error = std::atoi(variable("OVERLAP_FAULTS_ERROR"));
    told.stays = *variable("OVERLAP_FAULTS_STAYS") == '1';
    if (*variable("OVERLAP_FAULTS_BELOW") != '\0') told.below = variable("OVERLAP_FAULTS_BELOW");
    counts_file = std::getenv("OVERLAP_FAULTS_COUNTS");
    if (told.call == Call::process && told.at > 0) refuse_processes(told.error);
    begin_faults(told);
}

void write_counts() {
    if (!counts_file) return;
    const int file = open(counts_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    for (std::size_t i = 0; i < call_count; ++i)
        dprintf(file, "%s %lu\n", call_names[i], calls_of(static_cast<Call>(i)));
    dprintf(file, "failed %d\n", has_failed() ? 1 : 0);
    close(file);
}

int counted_main(int count, char** arguments, char** environment) {
    begin_as_told();
    const int status = real_main(count, arguments, environment);
    end_faults();
    write_counts();
    return status;
}

/// The function of that name of the library behind this one.
template <typename Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool memory_fails() {
    if (!judge(Call::memory).fails) return false;
    errno = ENOMEM;
    return true;
}

}  // namespace

void begin_faults(const Fault& wanted) {
    static const bool installed = (install_filter(), true);
    static_cast<void>(installed);
    stop();
    fault = wanted;
    below_size = std::strlen(wanted.below);
    while (below_size > 0 && wanted.below[below_size - 1] == '/')
        --below_size;  // of `/` nothing is left: all are below
    if (below_size >= below.size()) give_up("system_faults: the folder's name is too long\n");
    std::memcpy(below.data(), wanted.below, below_size);
    for (auto& count : counts) count = 0;
    failed = false;
    active = true;
}

void end_faults() {
    stop();
}

unsigned long calls_of(Call call) {
    return counts[static_cast<std::size_t>(call)];
}

bool has_failed() {
    return failed;
}

}  // namespace overlap::test

using namespace overlap::test;

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
    return memory_fails() ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    return memory_fails() ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
    return memory_fails() ? nullptr : __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return memory_fails() ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
    void* const memory = memory_fails() ? nullptr : __libc_memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
    static auto* const real = next<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
    const Verdict verdict = judge(Call::thread);
    return verdict.fails ? verdict.error : real(thread, attributes, start, argument);
}

int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments, void (*init)(), void (*finish)(),
                      void (*unload)(), void* stack_end) {
    using Start = int(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
    real_main = main;
    return next<Start>("__libc_start_main")(counted_main, count, arguments, init, finish, unload, stack_end);
}
}
