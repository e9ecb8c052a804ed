#include "ui/diagnostics/crash_report.h"

#include <cxxabi.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>

#include "ui/tasks/signal_stack.h"

namespace overlap::ui {
namespace {

constexpr int deepest_backtrace = 128;
constexpr int kept_reports = 10;
constexpr std::array crash_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

// What the handler needs, made before anything goes wrong: in a crash nothing may be allocated.
struct Prepared {
    std::string path, told_path, heading, outlook;
    std::array<char, 512> reason{};  ///< of an uncaught exception
    std::unique_ptr<SignalStack> stack;
};

// Never destroyed: what is may crash.
Prepared& prepared() {
    static Prepared& values = *new Prepared;
    return values;
}

void say(int file, const char* text) {
    // Nothing is left to report to where this cannot be written.
    [[maybe_unused]] const ssize_t written = ::write(file, text, std::strlen(text));
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
        // An older crash of a process of this number has been shown, this one has not.
        unlink(values.told_path.c_str());
        say(STDERR_FILENO, "overlap-studio crashed; the report is in ");
        say(STDERR_FILENO, values.path.c_str());
        say(STDERR_FILENO, values.outlook.c_str());
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

/// The path with another ending.
QString withSuffix(const QString& path, const QString& suffix) {
    const QFileInfo file(path);
    return file.path() + u'/' + file.completeBaseName() + suffix;
}

/// The empty file beside a report that has been shown.
QString toldMark(const QString& report) {
    return withSuffix(report, QStringLiteral(".told"));
}

/// @returns whether no other instance has.
bool markAsTold(const QString& report) {
    return QFile(toldMark(report)).open(QIODevice::WriteOnly | QIODevice::NewOnly);
}

/// Reports that have been shown, oldest first; those of older versions were renamed for it.
QStringList toldReports(const QDir& directory) {
    QStringList told;
    for (const QString& name : directory.entryList({QStringLiteral("crash-*.txt"), QStringLiteral("told-crash-*.txt")},
                                                   QDir::Files, QDir::Time | QDir::Reversed)) {
        const QString report = directory.filePath(name);
        if (name.startsWith(u"told-") || QFile::exists(toldMark(report))) told.append(report);
    }
    return told;
}

/// Also the marks of reports that the user has removed.
void removeOldReports(const QDir& directory) {
    QStringList told = toldReports(directory);
    // The mark last: a report without one would be shown again.
    while (told.size() > kept_reports) QFile::remove(told.takeFirst());
    for (const QString& name : directory.entryList({QStringLiteral("crash-*.told")}, QDir::Files)) {
        const QString mark = directory.filePath(name);
        if (!QFile::exists(withSuffix(mark, QStringLiteral(".txt")))) QFile::remove(mark);
    }
}

}  // namespace

void installCrashReports(const QString& folder, const QString& version, bool keeps_session) {
    QDir().mkpath(folder);
    Prepared& values = prepared();
    const std::string stem = QFile::encodeName(folder).toStdString() + "/crash-" + std::to_string(getpid());
    values.path = stem + ".txt";
    values.told_path = stem + ".told";
    values.heading = "Overlap Studio " + version.toStdString() + " crashed\n";
    values.outlook = keeps_session ? ", and the plans come back at the next start\n"
                                   : "; no session is kept, so edits that were not saved are lost\n";
    // An overflow of this thread's own stack is a reason to crash.
    if (!values.stack) values.stack = std::make_unique<SignalStack>();
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
    const QDir directory(folder);
    for (const QString& name :
         directory.entryList({QStringLiteral("crash-*.txt")}, QDir::Files, QDir::Time | QDir::Reversed)) {
        QFile file(directory.filePath(name));
        if (!file.open(QIODevice::ReadOnly) || !markAsTold(file.fileName())) continue;
        QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n');
        for (QString& line : lines) line = demangled(line);
        reports.push_back({file.fileName(), lines.join(u'\n')});
    }
    removeOldReports(directory);
    return reports;
}

}  // namespace overlap::ui
