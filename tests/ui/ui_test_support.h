#pragma once

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "ui/document/document.h"

namespace overlap::ui {

/// The small real graph that the tests of the window work on.
inline QString smallGraphFile() {
    return QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.prebucket.graph.json.gz");
}

/// A document with the small graph open and evaluated.
inline std::unique_ptr<Document> openDocument(BackgroundEvaluator::Function evaluate = {}) {
    auto document = std::make_unique<Document>(nullptr, std::move(evaluate));
    document->setGraph(loadGraph(smallGraphFile()));
    return document;
}

/// Runs all events, calls and timers that are due, and those that they bring about: what is going to happen without a
/// thread or a clock has happened then.
inline void runAllDue() {
    for (int round = 0; round < 10; ++round) {
        QCoreApplication::sendPostedEvents();
        QCoreApplication::processEvents();
    }
}

/// Waits until the current variant's figures are those of its plan.
inline bool waitForEvaluation(Document& document) {
    return QTest::qWaitFor([&] { return !document.evaluating() && !document.current()->stale(); }, 30'000);
}

}  // namespace overlap::ui
