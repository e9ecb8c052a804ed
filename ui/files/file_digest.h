#pragma once

#include <QByteArray>
#include <QString>

namespace overlap::ui {

/// Decides whether a file is still the one that was read or written: a digest of its content, in hexadecimal digits.
/// Content rather than time or size, because clocks are coarse and a plan may change without growing.
QByteArray contentDigest(const QByteArray& content);
/// The same of a file as it is now; empty where it is gone or cannot be read.
QByteArray fileDigest(const QString& path);

}  // namespace overlap::ui
