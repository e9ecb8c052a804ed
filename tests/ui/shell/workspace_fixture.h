#pragma once

#include <QMainWindow>

#include "ui/document/document.h"
#include "ui/measure/measurements.h"
#include "ui/panels/log.h"
#include "ui/shell/workspace/workspace.h"

namespace overlap::ui {

/// The views and docks in a window of Qt's, without actions and controllers; in the order in which they need another.
struct WorkspaceFixture {
    Document document;
    QMainWindow window;
    Measurements measurements;
    Log log;
    Workspace workspace{window, document, measurements, log};

    WorkspaceFixture() {
        window.resize(1440, 900);
        workspace.arrange();
        window.show();
    }
    ~WorkspaceFixture() { disconnectAll(); }

    /// Views get no more signals while what they show is destroyed.
    void disconnectAll() {
        document.disconnect();
        document.loader().disconnect();
        measurements.disconnect();
    }
};

}  // namespace overlap::ui
