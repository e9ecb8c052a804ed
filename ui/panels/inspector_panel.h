#pragma once

#include <QTextBrowser>

#include "ui/panels/inspector_content.h"

namespace overlap::ui {

/// What is known of the selection: every value can be selected and copied, neighbours are links.
class InspectorPanel : public QTextBrowser {
    Q_OBJECT

  public:
    explicit InspectorPanel(Document& document, QWidget* parent = nullptr);

    QSize sizeHint() const override { return {320, 260}; }

  protected:
    void contextMenuEvent(QContextMenuEvent* event) override;

  private:
    void scheduleUpdate();
    void showContent();

    Document& document_;
    InspectorContent content_;
    bool scheduled_ = false;
};

/// The content as a page in the colours of the current theme.
QString inspectorHtml(const InspectorContent& content);

}  // namespace overlap::ui
