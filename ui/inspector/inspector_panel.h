#pragma once

#include <QTextBrowser>
#include <QTimer>
#include <memory>
#include <optional>

#include "core/pipeline/evaluation.h"
#include "ui/inspector/inspector_content.h"
#include "ui/tasks/latest_task.h"
#include "ui/widgets/seen_watch.h"

namespace overlap::ui {

/// What is known of the selection: every value can be selected and copied, neighbours are links.
class InspectorPanel : public QTextBrowser {
    Q_OBJECT

  public:
    explicit InspectorPanel(Document& document, QWidget* parent = nullptr);

    /// Shows this until something is selected in the document, or until nothing is given: for what is no part of the
    /// document, such as an event of a measured trace.
    void showInstead(std::optional<InspectorContent> content);
    /// Also shows what memory actions would change for the selection. @param effects outlives the panel.
    void showMemoryEffects(MemoryEffects& effects);
    const InspectorContent& content() const { return content_; }
    /// Whether the page is of something that is selected in the document.
    bool isOfPlan() const { return !instead_ && !content_.title.isEmpty(); }

    /// True until the page is that of the selection, with what would help a collective.
    bool busy() const { return scheduled_ || search_delay_.isActive() || search_.busy(); }

    QSize sizeHint() const override { return {320, 260}; }

  signals:
    /// The user wants to know what helps the selected collective.
    void adviceWanted();
    void refused(const QString& reason);

  protected:
    void contextMenuEvent(QContextMenuEvent* event) override;

  private:
    void scheduleUpdate();
    void showContent();
    void addExposure();
    void searchExposure();
    void addMemory();

    Document& document_;
    MemoryEffects* memory_ = nullptr;
    InspectorContent content_;
    std::optional<InspectorContent> instead_;
    bool scheduled_ = false;
    SeenWatch watch_{*this};
    // What the moves that an exposed collective's explanation names do when they are evaluated, and what would hide one
    // that the automatic pass leaves exposed: found by running plan and pass again and again, in the background, once
    // the selection no longer changes.
    std::shared_ptr<const Evaluation> explained_;  ///< that the sentences below are about
    QString explained_node_;
    std::optional<std::size_t> exposed_;  ///< that it is explained by, of the evaluation's Simulation::collectives
    std::vector<std::string> exposure_;
    QTimer search_delay_;
    LatestTask search_;
};

/// The content as a page in the colours of the current theme.
QString inspectorHtml(const InspectorContent& content);

}  // namespace overlap::ui
