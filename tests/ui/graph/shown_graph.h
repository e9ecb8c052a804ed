#pragma once

#include <memory>

#include "tests/ui/ui_test_support.h"
#include "ui/document/document.h"
#include "ui/graph/graph_model.h"
#include "ui/graph/graph_view.h"

namespace overlap::ui {

/// A small real graph in a view of 1000 x 700 that has the keys, for each test anew.
class ShownGraph : public QObject {
  protected:
    void open() {
        document_ = openDocument();
        QVERIFY(waitForEvaluation(*document_));  // so that nothing repaints by itself
        model_ = std::make_unique<GraphModel>(*document_);
        view_ = std::make_unique<GraphView>(*model_);
        view_->resize(1000, 700);
        view_->show();
        QVERIFY(QTest::qWaitForWindowActive(view_.get()));
        view_->setFocus();
    }
    void close() {
        view_.reset();
        model_.reset();
        document_.reset();
    }

    BoxId box(const char* module, Phase phase = Phase::forward) const {
        return model_->tree().box_of(document_->modules().find(module), phase);
    }
    void click(QPointF at, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mouseClick(view_.get(), Qt::LeftButton, modifiers, at.toPoint());
    }

    std::unique_ptr<Document> document_;
    std::unique_ptr<GraphModel> model_;
    std::unique_ptr<GraphView> view_;
};

}  // namespace overlap::ui
