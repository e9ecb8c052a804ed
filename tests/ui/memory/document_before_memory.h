#pragma once

#include <memory>

#include "core/plan/presets.h"
#include "tests/ui/ui_test_support.h"
#include "ui/edits/pipeline_commands.h"

namespace overlap::ui {

/// A document with a graph before the memory passes, and a plan with one of its presets, at first torchtitan's.
inline std::unique_ptr<Document> documentBefore(const QString& graph = QStringLiteral("llama3_debugmodel_fsdp8"),
                                                std::size_t preset = 0) {
    auto document = std::make_unique<Document>();
    document->setGraph(loadGraph(QStringLiteral(OVERLAP_TEST_DATA "/graphs/%1.graph.json.gz").arg(graph)));
    PipelineCommands(*document).startFrom(pipeline_presets(*document->graph()).at(preset));
    return document;
}

}  // namespace overlap::ui
