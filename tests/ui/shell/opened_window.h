#pragma once

#include <QLabel>
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

/// Whether a label of the window, as those of its status bar, says that.
inline bool saysInLabel(const MainWindow& window, const QString& wanted) {
    for (const QLabel* label : window.findChildren<QLabel*>())
        if (label->text().contains(wanted)) return true;
    return false;
}

}  // namespace overlap::ui
