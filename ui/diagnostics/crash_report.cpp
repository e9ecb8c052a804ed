#include "ui/diagnostics/crash_report.h"

#include <cxxabi.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

namespace overlap::ui {
namespace {

constexpr int deepest_backtrace = 128;
constexpr std::size_t signal_stack_bytes = 256 * 1024;
constexpr int kept_reports = 10;
constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// What the handler needs, made before anything goes wrong: in a crash nothing may be allocated.
struct Prepared {
    std::string path, heading;
    std::array<char, 512> reason{};  ///< of an exception that nobody caught
    std::unique_ptr<char[]> stack;
};

Prepared& prepared() {
    static Prepared values;
    return values;
}

void say(int file, const char* text) {
    // There is nobody left to tell where this cannot be written.
    [[maybe_unused]] const ssize_t written = write(file, text, std::strlen(text));
}

const char* signalName(int number) {
    switch (number) {
        case SIGSEGV:
            return "SIGSEGV: memory was used that is not there";
        case SIGBUS:
            return "SIGBUS: memory was used that cannot be reached, such as that of a file which became shorter";
        case SIGFPE:
            return "SIGFPE: a division that has no result";
        case SIGILL:
            return "SIGILL: an instruction that this processor does not know";
        default:
            return "SIGABRT: the application ended itself because of an error";
    }
}

/// Only functions that may be called in a signal handler.
void onCrash(int number) {
    const Prepared& values = prepared();
    const int file = open(values.path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file >= 0) {
        say(file, values.heading.c_str());
        say(file, signalName(number));
        say(file, "\n");
        if (values.reason[0] != '\0') {
            say(file, values.reason.data());
            say(file, "\n");
        }
        std::array<void*, deepest_backtrace> frames{};
        const int depth = backtrace(frames.data(), deepest_backtrace);
        backtrace_symbols_fd(frames.data(), depth, file);
        fsync(file);
        close(file);
        say(STDERR_FILENO, "overlap-studio crashed; the report is in ");
        say(STDERR_FILENO, values.path.c_str());
        say(STDERR_FILENO, ", and the plans come back at the next start\n");
    }
    signal(number, SIG_DFL);
    raise(number);
}

/// Tells what the exception said before the abort that follows.
[[noreturn]] void onUncaught() {
    auto& reason = prepared().reason;
    try {
        if (std::current_exception()) std::rethrow_exception(std::current_exception());
    } catch (const std::exception& error) {
        std::strncpy(reason.data(), error.what(), reason.size() - 1);
    } catch (...) {
        std::strncpy(reason.data(), "an exception that is none of the standard library's", reason.size() - 1);
    }
    std::abort();
}

QString demangled(const QString& line) {
    static const QRegularExpression symbol(QStringLiteral("\\((_Z\\w+)"));
    const auto match = symbol.match(line);
    if (!match.hasMatch()) return line;
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(match.captured(1).toLatin1().constData(), nullptr, nullptr, &status), &std::free);
    if (status != 0) return line;
    QString readable = line;
    return readable.replace(match.capturedStart(1), match.capturedLength(1), QString::fromUtf8(name.get()));
}

}  // namespace

void installCrashReports(const QString& folder, const QString& version) {
    QDir().mkpath(folder);
    Prepared& values = prepared();
    values.path = QFile::encodeName(folder).toStdString() + "/crash-" + std::to_string(getpid()) + ".txt";
    values.heading = "Overlap Studio " + version.toStdString() + " crashed\n";
    values.stack = std::make_unique<char[]>(signal_stack_bytes);
    // A stack of its own, since one that has overflowed is a reason to crash.
    stack_t stack{};
    stack.ss_sp = values.stack.get();
    stack.ss_size = signal_stack_bytes;
    sigaltstack(&stack, nullptr);
    // The first backtrace of a process loads a library, which must not happen in the handler.
    std::array<void*, 1> frames{};
    backtrace(frames.data(), 1);
    struct sigaction action {};
    action.sa_handler = onCrash;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (const int number : crash_signals) sigaction(number, &action, nullptr);
    std::set_terminate(onUncaught);
}

std::vector<CrashReport> takeCrashReports(const QString& folder) {
    std::vector<CrashReport> reports;
    QDir directory(folder);
    const auto by_time = QDir::Time | QDir::Reversed;
    for (const QString& name : directory.entryList({QStringLiteral("crash-*.txt")}, QDir::Files, by_time)) {
        QFile file(directory.filePath(name));
        if (!file.open(QIODevice::ReadOnly)) continue;
        QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n');
        for (QString& line : lines) line = demangled(line);
        file.close();
        const QString told = directory.filePath(QStringLiteral("told-") + name);
        QFile::remove(told);
        if (!QFile::rename(directory.filePath(name), told)) continue;  // somebody else's, who tells of it
        reports.push_back({told, lines.join(u'\n')});
    }
    QStringList older = directory.entryList({QStringLiteral("told-crash-*.txt")}, QDir::Files, by_time);
    while (older.size() > kept_reports) QFile::remove(directory.filePath(older.takeFirst()));
    return reports;
}

}  // namespace overlap::ui
