#include "ui/diagnostics/diagnostics.h"

#include <unistd.h>

#include <QGuiApplication>
#include <QLocale>
#include <QScreen>
#include <QSysInfo>
#include <QThread>

#include "core/base/byte_units.h"
#include "ui/diagnostics/log_file.h"

namespace overlap::ui {
namespace {

constexpr int log_lines = 200;

QString memoryText() {
    const double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
    return QStringLiteral("%1 GiB").arg(bytes / bytes_per_gib, 0, 'f', 1);
}

}  // namespace

QStringList systemLines() {
    QStringList lines{
        QStringLiteral("Overlap Studio %1").arg(QCoreApplication::applicationVersion()),
        QStringLiteral("Qt %1 (built with %2), platform %3")
            .arg(QString::fromLatin1(qVersion()), QStringLiteral(QT_VERSION_STR), QGuiApplication::platformName()),
        QStringLiteral("%1, %2 %3, %4")
            .arg(QSysInfo::prettyProductName(), QSysInfo::kernelType(), QSysInfo::kernelVersion(),
                 QSysInfo::currentCpuArchitecture()),
        QStringLiteral("%1 cores, %2 memory").arg(QThread::idealThreadCount()).arg(memoryText())};
    for (const QScreen* screen : QGuiApplication::screens())
        lines.append(QStringLiteral("screen %1x%2 at %3 %")
                         .arg(screen->size().width())
                         .arg(screen->size().height())
                         .arg(screen->devicePixelRatio() * 100));
    return lines;
}

QString diagnosticsText(const QStringList& companions, const QString& document, const QString& session_folder) {
    QStringList lines = systemLines() + companions;
    lines.append(QStringLiteral("session: %1").arg(session_folder.isEmpty() ? QStringLiteral("none") : session_folder));
    lines.append(document.isEmpty() ? QStringLiteral("nothing is open") : document);
    const QStringList log = lastLogLines(log_lines);
    lines.append(QStringLiteral("the last %1 lines of the log:").arg(log.size()));
    return (lines + log).join(u'\n') + u'\n';
}

}  // namespace overlap::ui
