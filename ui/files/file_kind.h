#pragma once

#include <QString>

namespace overlap::ui {

/// What a file is, decided by its content and never by its name. A trace is one in Chrome's trace event format; texts
/// of FX graphs and TORCH_TRACE logs are graphs; placements are what autoparallel exports; a job is of stages and
/// ranks.
enum class FileKind { graph, plan, job, trace, placements, unknown };

/// @param reason receives one sentence without full stop where the kind is unknown.
FileKind fileKind(const QString& path, QString* reason = nullptr);

}  // namespace overlap::ui
