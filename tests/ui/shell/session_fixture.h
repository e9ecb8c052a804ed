#pragma once

#include "tests/ui/shell/workspace_fixture.h"
#include "ui/files/file_looks.h"
#include "ui/frame/actions.h"
#include "ui/measure/trace_times.h"
#include "ui/shell/session_controller.h"
#include "ui/shell/times_controller.h"

namespace overlap::ui {

/// A workspace whose state the session keeps.
struct SessionFixture : WorkspaceFixture {
    FileLooks looks;
    Actions actions{&window};
    TraceTimes trace_times{document};
    TimesController times{document, measurements, trace_times, workspace};
    SessionController session{document, workspace, times, looks};

    SessionFixture() {
        times.registerActions(actions, window);
        QObject::connect(&document, &Document::graphChanged, &session, &SessionController::graphOpened);
    }
    ~SessionFixture() { disconnectAll(); }
};

}  // namespace overlap::ui
