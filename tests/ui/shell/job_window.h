#pragma once

#include <QTest>

#include "tests/ui/shell/opened_window.h"
#include "ui/job/open/job_source.h"
#include "ui/job/open/open_job.h"
#include "ui/job/stage_connection.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

inline OpenJob& jobOf(MainWindow& window) {
    return window.workspace().job();
}

/// Shows the window with the sample job open and evaluated.
inline void openSample(MainWindow& window) {
    window.resize(1400, 900);
    window.show();
    window.openFiles({sampleJob()});
    QVERIFY(QTest::qWaitFor([&] { return jobOf(window).isOpen(); }, 60'000));
    QVERIFY(waitUntilIdle(window));
}

/// Shows the plan of a stage in the other views.
inline void openStage(MainWindow& window, int stage) {
    window.workspace().stages().openStage(stage);
    QVERIFY(waitUntilIdle(window));
    QCoreApplication::sendPostedEvents();
    QVERIFY(waitUntilIdle(window));
    QCOMPARE(window.workspace().stages().stage(), stage);
}

}  // namespace overlap::ui
