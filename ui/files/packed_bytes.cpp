#include "ui/files/packed_bytes.h"

#include <zlib.h>

#include <QtEndian>

namespace overlap::ui {

std::optional<QByteArray> unpacked(const QByteArray& packed, quint32 most) {
    constexpr qsizetype head = 4;  // how many bytes there are
    if (packed.size() <= head) return std::nullopt;
    const auto size = qFromBigEndian<quint32>(packed.constData());
    if (size > most) return std::nullopt;
    QByteArray bytes(static_cast<qsizetype>(size), Qt::Uninitialized);
    uLongf made = size;
    const int outcome =
        uncompress(reinterpret_cast<Bytef*>(bytes.data()), &made,
                   reinterpret_cast<const Bytef*>(packed.constData() + head), static_cast<uLong>(packed.size() - head));
    if (outcome != Z_OK || made != size) return std::nullopt;
    return bytes;
}

}  // namespace overlap::ui
