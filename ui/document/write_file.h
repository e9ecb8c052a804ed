#pragma once

#include <QByteArray>
#include <QImage>
#include <QString>

#include "core/io/atomic_file.h"

namespace overlap::ui {

/// What the window writes goes through here: write_file_atomically, with a sentence in place of an exception.
/// @returns an empty string, or one sentence with the file and why it could not be written.
QString writeFile(const QString& path, const QByteArray& bytes, OlderVersion older = OlderVersion::dropped);

/// The same for what a person exports: a folder that does not answer, as one of a network that has gone, holds the
/// window up for two seconds. The file is then written, whole, when the folder answers, and the sentence says so.
QString exportFile(const QString& path, const QByteArray& bytes);

/// Exports a picture, in the format that the name ends in: `.png` or another that Qt writes.
QString writePicture(const QString& path, const QImage& picture);

/// Where the older version of a file is kept.
QString olderVersionPath(const QString& path);

}  // namespace overlap::ui
