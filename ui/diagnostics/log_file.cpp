#include "ui/diagnostics/log_file.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>

namespace overlap::ui {

// Off until there is a file to write to: messages of the window are in the window.
Q_LOGGING_CATEGORY(windowLog, "overlap.window", QtFatalMsg)

namespace {

constexpr qint64 largest_file_bytes = 1 << 20;
constexpr std::size_t kept_lines = 500;

/// Messages come from any thread.
struct LogFile {
    std::mutex mutex;
    QFile file;
    std::deque<QString> last;
};

LogFile& logFile() {
    static LogFile log;
    return log;
}

const char* levelName(QtMsgType type) {
    switch (type) {
        case QtDebugMsg:
            return "debug";
        case QtInfoMsg:
            return "info";
        case QtWarningMsg:
            return "warning";
        case QtCriticalMsg:
            return "error";
        case QtFatalMsg:
            return "fatal";
    }
    return "info";
}

/// Line breaks and control characters of names would let a message look like several.
QString oneLine(const QString& text) {
    QString line = text;
    for (QChar& letter : line)
        if (letter.category() == QChar::Other_Control) letter = u' ';
    return line;
}

void startAnew(QFile& file) {
    const QString path = file.fileName();
    file.close();
    const QString older = QFileInfo(path).absolutePath() + QStringLiteral("/log.1.txt");
    QFile::remove(older);
    QFile::rename(path, older);
    if (!file.open(QIODevice::WriteOnly | QIODevice::Append)) file.close();
}

void write(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    const QString line =
        QStringLiteral("%1 %2 %3: %4")
            .arg(QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs), QString::fromLatin1(levelName(type)),
                 QString::fromLatin1(context.category ? context.category : "default"), oneLine(text));
    const bool told_in_window = context.category && std::strcmp(context.category, windowLog().categoryName()) == 0;
    if (type != QtDebugMsg && type != QtInfoMsg && !told_in_window)
        std::fprintf(stderr, "%s\n", qPrintable(oneLine(text)));
    LogFile& log = logFile();
    const std::lock_guard lock(log.mutex);
    log.last.push_back(line);
    if (log.last.size() > kept_lines) log.last.pop_front();
    if (!log.file.isOpen()) return;
    log.file.write(line.toUtf8() + '\n');
    log.file.flush();
    if (log.file.size() > largest_file_bytes) startAnew(log.file);
}

}  // namespace

QString startLogFile(const QString& folder) {
    LogFile& log = logFile();
    QString problem;
    {
        const std::lock_guard lock(log.mutex);
        QDir().mkpath(folder);
        log.file.close();
        log.file.setFileName(folder + QStringLiteral("/log.txt"));
        if (!log.file.open(QIODevice::WriteOnly | QIODevice::Append))
            problem = QStringLiteral("%1 cannot be written: %2").arg(log.file.fileName(), log.file.errorString());
    }
    qInstallMessageHandler(write);
    QLoggingCategory::setFilterRules(QStringLiteral("overlap.window.info=true\noverlap.window.warning=true"));
    return problem;
}

QStringList lastLogLines(int count) {
    LogFile& log = logFile();
    const std::lock_guard lock(log.mutex);
    const auto skipped = static_cast<qsizetype>(log.last.size()) - count;
    return QStringList(log.last.begin() + std::max<qsizetype>(skipped, 0), log.last.end());
}

}  // namespace overlap::ui
