#pragma once

#include <QTest>

#include "ui/run/run_panel.h"
#include "ui/shell/main_window.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

/// Whether a document is open, no run is in progress, and what it measured is shown, waited for up to a minute.
inline bool waitUntilRunEnds(MainWindow& window) {
    return QTest::qWaitFor(
        [&] {
            return window.document().isOpen() && window.idle() && !window.document().current()->stale() &&
                   !window.workspace().run().busy();
        },
        60'000);
}

}  // namespace overlap::ui
