#pragma once

#include <QFile>
#include <QTemporaryDir>

#include "tests/measure/simulated_trace.h"
#include "tests/ui/ui_test_support.h"

namespace overlap::ui {

/// A trace of the small graph's job in which every collective took 50 µs longer than the graph says.
inline QString writeSlowTrace(const QTemporaryDir& folder) {
    test::SimulatedTrace job(*loadGraph(smallGraphFile()).baseline);
    for (std::size_t index = 0; index < job.collectives.size(); ++index) job.lengthen(index, 50'000);
    QFile file(folder.filePath("slow.json"));
    if (!file.open(QIODevice::WriteOnly)) return {};
    file.write(QByteArray::fromStdString(job.json()));
    return file.fileName();
}

}  // namespace overlap::ui
