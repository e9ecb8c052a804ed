#include "ui/document/file_kind.h"

#include <QCoreApplication>
#include <QFile>
#include <QRegularExpression>

namespace overlap::ui {
namespace {

// "format" comes first in what we and the exporter write; a hand-written plan may have it anywhere, and is small.
constexpr qint64 head_bytes = 1 << 20;

}  // namespace

FileKind fileKind(const QString& path, QString* reason) {
    auto unknown = [&](const QString& sentence) {
        if (reason) *reason = sentence;
        return FileKind::unknown;
    };
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return unknown(QStringLiteral("%1: %2").arg(path, file.errorString()));
    const QByteArray head = file.read(head_bytes);
    if (head.startsWith("\x1f\x8b")) return FileKind::graph;
    static const QRegularExpression format(QStringLiteral(R"re("format"\s*:\s*"(overlap-[a-z]+)")re"));
    const auto match = format.match(QString::fromUtf8(head));
    if (match.captured(1) == u"overlap-plan") return FileKind::plan;
    if (match.captured(1) == u"overlap-graph") return FileKind::graph;
    return unknown(QStringLiteral("%1: neither an overlap-graph nor an overlap-plan document").arg(path));
}

}  // namespace overlap::ui
