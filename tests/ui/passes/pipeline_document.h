#pragma once

#include <QtTest>
#include <memory>

#include "core/io/plan/option_json.h"
#include "core/plan/presets.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/edits/pipeline_commands.h"

namespace overlap::ui {

/// A document with a graph on which the default preset has seven steps, the last one bucketing.
inline std::unique_ptr<Document> openWithPresets() {
    auto document = std::make_unique<Document>();
    document->setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/llama3_debugmodel_fsdp8.graph.json.gz")));
    return document;
}

inline void startFromDefault(Document& document) {
    PipelineCommands(document).startFrom(pipeline_presets(*document.graph()).front());
}

inline Json optionsOf(Document& document, std::size_t step) {
    return options_json(document.current()->plan().pipeline[step].options);
}

}  // namespace overlap::ui
