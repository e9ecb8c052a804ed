#pragma once

#include <QString>

namespace overlap::ui {

/// The result of overlap-runner that lies beside its trace: `NAME.run.json` beside `NAME.trace.json`. It has times by
/// nodes, which the trace has not. Empty where there is none.
QString runFileOf(const QString& trace);

}  // namespace overlap::ui
