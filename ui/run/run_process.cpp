#include "ui/run/run_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <QDir>
#include <QFile>
#include <QRegularExpression>

#include "ui/files/end_process.h"

namespace overlap::ui {
namespace {

constexpr int grace_ms = 3000;   ///< mpirun takes a second or so to end its ranks
constexpr int closing_ms = 500;  ///< the same when the window closes
constexpr qsizetype longest_line = 4000;

/// The session of a process as /proc has it: `pid (name) state parent group session …`; 0 where it is gone.
qint64 sessionOf(const QString& process) {
    QFile file(QStringLiteral("/proc/%1/stat").arg(process));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const QByteArray line = file.readAll();
    const QList<QByteArray> fields = line.mid(line.lastIndexOf(')') + 2).split(' ');
    return fields.size() > 3 && fields[0] != "Z" ? fields[3].toLongLong() : 0;
}

}  // namespace

QList<qint64> processesOfSession(qint64 session) {
    QList<qint64> found;
    for (const QString& entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs))
        if (entry.front().isDigit() && sessionOf(entry) == session) found.append(entry.toLongLong());
    return found;
}

RunProcess::RunProcess(QObject* parent) : QObject(parent) {
    patience_.setSingleShot(true);
    connect(&patience_, &QTimer::timeout, this, &RunProcess::killAll);
    process_.setStandardInputFile(QProcess::nullDevice());
    process_.setChildProcessModifier([] {
        ::setsid();
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    });
    connect(&process_, &QProcess::readyReadStandardOutput, this,
            [this] { read(QProcess::StandardOutput, output_rest_); });
    connect(&process_, &QProcess::readyReadStandardError, this, [this] { read(QProcess::StandardError, error_rest_); });
    connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        emit said(tr("%1 cannot be started: %2").arg(process_.program(), process_.errorString()));
        finish(-1);
    });
    connect(&process_, &QProcess::finished, this,
            [this](int status, QProcess::ExitStatus how) { finish(how == QProcess::NormalExit ? status : -1); });
}

RunProcess::~RunProcess() {
    process_.disconnect(this);
    if (!running()) return;
    end();
    if (!process_.waitForFinished(closing_ms)) killAll();
    endProcess(process_);
    killAll();
}

void RunProcess::start(const RunCommand& command) {
    output_rest_.clear();
    error_rest_.clear();
    process_.setProcessEnvironment(command.environment);
    process_.start(command.program, command.arguments);
    session_ = process_.processId();
}

void RunProcess::end() {
    if (!running()) return;
    process_.terminate();
    patience_.start(grace_ms);
}

void RunProcess::read(QProcess::ProcessChannel channel, QByteArray& rest) {
    process_.setReadChannel(channel);
    rest += process_.readAll();
    for (qsizetype end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        tell(rest.left(end));
        rest.remove(0, end + 1);
    }
    if (rest.size() > longest_line) tell(std::exchange(rest, {}));
}

void RunProcess::tell(const QByteArray& line) {
    const QString text = QString::fromUtf8(line.left(longest_line)).trimmed();
    if (text.isEmpty()) return;
    static const QRegularExpression step(QStringLiteral("^step (\\d+) of (\\d+)$"));
    if (const QRegularExpressionMatch match = step.match(text); match.hasMatch())
        return emit progressed(match.captured(1).toInt(), match.captured(2).toInt());
    emit said(text);
}

void RunProcess::finish(int status) {
    patience_.stop();
    for (QByteArray* rest : {&output_rest_, &error_rest_}) tell(std::exchange(*rest, {}));
    killAll();  // what mpirun has left behind, if it was killed
    emit ended(status);
}

void RunProcess::killAll() const {
    if (session_ <= 0) return;
    for (const qint64 process : processesOfSession(session_)) ::kill(static_cast<pid_t>(process), SIGKILL);
}

}  // namespace overlap::ui
