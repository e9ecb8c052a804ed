#pragma once

#include <QTest>
#include <memory>

#include "tests/timeline/synthetic_timeline.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// A timeline on the screen that shows a step of 16 layers and has the keys.
inline std::unique_ptr<TimelineView> shownTimeline() {
    auto view = std::make_unique<TimelineView>();
    view->resize(1200, 500);
    view->setTimeline(test::synthetic_step(16), QStringLiteral("simulated"));
    view->show();
    if (!QTest::qWaitForWindowExposed(view.get())) qFatal("the timeline is not shown");
    view->setFocus();
    return view;
}

}  // namespace overlap::ui
