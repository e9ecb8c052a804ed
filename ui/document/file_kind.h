#pragma once

#include <QString>

namespace overlap::ui {

/// What a file is, told by its content and never by its name.
enum class FileKind { graph, plan, unknown };

/// @param reason receives one sentence without full stop where the kind is unknown.
FileKind fileKind(const QString& path, QString* reason = nullptr);

}  // namespace overlap::ui
