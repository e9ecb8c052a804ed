#pragma once

#include <QTest>

#include "ui/shell/main_window.h"

namespace overlap::ui {

/// Whether a document is open and nothing is in progress any more, waited for up to a minute.
inline bool waitUntilIdle(MainWindow& window) {
    return QTest::qWaitFor(
        [&] { return window.document().isOpen() && window.idle() && !window.document().current()->stale(); }, 60'000);
}

/// Shows the window, active, with `files` open and evaluated.
inline void open(MainWindow& window, const QStringList& files) {
    window.resize(1400, 900);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    window.openFiles(files);
    QVERIFY(waitUntilIdle(window));
}

}  // namespace overlap::ui
