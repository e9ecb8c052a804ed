#include "ui/files/file_kind.h"

#include <QCoreApplication>
#include <QFile>
#include <QRegularExpression>
#include <utility>

#include "core/base/error.h"
#include "core/files/gzip_reader.h"
#include "core/files/input_file.h"
#include "core/imports/import_source.h"
#include "core/imports/sharding_document.h"

namespace overlap::ui {
namespace {

// "format" comes first in what we and the exporter write; a hand-written plan may have it anywhere, and is small.
constexpr qint64 head_bytes = 1 << 20;

/// The beginning of what is compressed, as far as it can be read: reading the file reports what is wrong with it.
QByteArray decompressedHead(const QByteArray& compressed) {
    bool is_given = false;
    GzipReader reader([&] {
        const auto size = static_cast<std::size_t>(compressed.size());
        return std::exchange(is_given, true) ? std::string_view() : std::string_view(compressed.constData(), size);
    });
    QByteArray head(head_bytes, '\0');
    qsizetype filled = 0;
    // Piece by piece, so that what comes before the end of a head that was cut stays.
    constexpr std::size_t piece = 4096;
    try {
        while (filled + static_cast<qsizetype>(piece) <= head.size()) {
            const std::size_t read = reader.read({head.data() + filled, piece});
            filled += static_cast<qsizetype>(read);
            if (read < piece) break;
        }
    } catch (const InputError&) {
    }
    return head.first(filled);
}

bool isTrace(const QByteArray& head) {
    return head.contains("\"traceEvents\"") || head.trimmed().startsWith('[');
}

}  // namespace

FileKind fileKind(const QString& path, QString* reason) {
    auto unknown = [&](const QString& sentence) {
        if (reason) *reason = sentence;
        return FileKind::unknown;
    };
    if (!path.startsWith(u":/")) {  // what is embedded in the program can always be read
        try {
            open_input_file(QFile::encodeName(path).toStdString());
        } catch (const InputError& error) {
            return unknown(QString::fromUtf8(error.in_file(path.toStdString()).what()));
        }
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return unknown(QStringLiteral("%1: %2").arg(path, file.errorString()));
    const QByteArray stored = file.read(head_bytes);
    const bool compressed = stored.startsWith("\x1f\x8b");
    const QByteArray head = compressed ? decompressedHead(stored) : stored;
    static const QRegularExpression format(QStringLiteral(R"re("format"\s*:\s*"(overlap-[a-z]+)")re"));
    const auto match = format.match(QString::fromUtf8(head));
    if (match.captured(1) == u"overlap-plan" && !compressed) return FileKind::plan;
    if (match.captured(1) == u"overlap-job") return FileKind::job;
    if (match.captured(1) == u"overlap-graph") return FileKind::graph;
    if (is_importable_file(QFile::encodeName(path).toStdString())) return FileKind::graph;
    if (!compressed && looks_like_sharding_document(head.toStdString())) return FileKind::placements;
    if (isTrace(head)) return FileKind::trace;
    if (compressed) return FileKind::graph;
    if (head.contains("\"overlap-cost-model\""))
        return unknown(QStringLiteral("%1: it is a cost model; Plan ▸ Times ▸ Cost model… takes its times").arg(path));
    return unknown(QStringLiteral("%1: neither an overlap-graph, overlap-plan or overlap-job document, a text of an FX "
                                  "graph, a TORCH_TRACE log, "
                                  "a profiler's trace nor autoparallel's placements")
                       .arg(path));
}

}  // namespace overlap::ui
