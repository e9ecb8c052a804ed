#pragma once

#include <QSignalSpy>
#include <QTest>

#include "core/job/view/job_timeline.h"
#include "ui/job/job_view.h"
#include "ui/job/open/job_source.h"
#include "ui/job/open/open_job.h"
#include "ui/job/step/job_step_view.h"
#include "ui/timeline/timeline_view.h"

namespace overlap::ui {

/// The views of a job in a window of their own.
struct JobViewFixture {
    OpenJob job;
    JobView view{job};

    explicit JobViewFixture(const QString& file = sampleJob()) {
        view.resize(1200, 600);
        view.show();
        if (file.isEmpty()) return;
        QSignalSpy opened(&job, &OpenJob::opened);
        job.open(file);
        if (!QTest::qWaitFor([&] { return !opened.isEmpty() && !job.busy(); }, 60'000)) qFatal("no job");
    }
    bool idle() {
        return QTest::qWaitFor([&] { return !job.busy(); }, 60'000);
    }
    const job::JobPicture& picture() const { return *job.picture(); }
    TimelineView& timeline() { return view.step().timeline(); }

    /// The first bubble in which a rank waits for another.
    quint32 bubble() const {
        for (const std::vector<job::StandstillSpan>& row : picture().standstills)
            for (const job::StandstillSpan& span : row)
                if (span.kind == job::StandstillSpan::Kind::waiting && span.on)
                    return picture().standstill_reference(span.node);
        qFatal("no bubble");
    }
};

}  // namespace overlap::ui
