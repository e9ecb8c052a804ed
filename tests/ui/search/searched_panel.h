#pragma once

#include <QComboBox>
#include <QPushButton>
#include <QtTest>
#include <memory>

#include "core/graph/editing/graph_editor.h"
#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/search/search_controls.h"
#include "ui/search/search_panel.h"

namespace overlap::ui {

/// The panel Search over a small graph.
class SearchedPanel {
  protected:
    void openPanel() {
        document_ = openDocument();
        QVERIFY(waitForEvaluation(*document_));
        panel_ = std::make_unique<SearchPanel>(*document_);
        panel_->resize(1200, 300);
        panel_->show();
    }
    void closePanel() {
        panel_.reset();
        document_.reset();
    }

    void find(int effort = 60) {
        panel_->controls().effort()->setItemData(0, effort);
        panel_->controls().effort()->setCurrentIndex(0);
        panel_->findButton()->click();
        QVERIFY(panel_->busy());
        QTRY_VERIFY_WITH_TIMEOUT(!panel_->busy(), 60'000);
    }

    /// The same graph, on a device that holds so much.
    void setDeviceMemory(std::int64_t bytes) {
        GraphHeader header = document_->graph()->header();
        QVERIFY(header.cost);
        header.cost->memory_bytes = bytes;
        LoadedGraph other = document_->loaded();
        GraphEditor editor(other.graph);
        editor.set_header(std::move(header));
        std::vector<NodeId> origin;
        other.graph = editor.finish(origin);
        document_->setCostModel(other);
        QVERIFY(waitForEvaluation(*document_));
    }

    /// No plan that is tried for the small graph stays within it, and yet no plan is known to have to hold more.
    static constexpr std::int64_t unreached_limit = 667'000'000;

    std::unique_ptr<Document> document_;
    std::unique_ptr<SearchPanel> panel_;
};

}  // namespace overlap::ui
