#pragma once

#include <QByteArray>
#include <optional>

namespace overlap::ui {

/// What qCompress() made smaller. Unlike qUncompress() it says nothing on standard error of bytes that are none of that
/// kind, or damaged.
/// @param most how many bytes to take at most: the packed ones say how many there are, and damaged ones must not take
/// all memory.
/// @returns nothing where these cannot be unpacked.
std::optional<QByteArray> unpacked(const QByteArray& packed, quint32 most = 256u << 20);

}  // namespace overlap::ui
