#pragma once

#include <functional>

#include "ui/shell/notices/notice_source.h"

class QWidget;

namespace overlap::ui {

class Actions;
class Document;
class PlanExport;
class TimelineExport;
class TimelineView;

/// Writes files other than plans: exports of plans, of the timeline, and pictures of the window.
class ExportController : public NoticeSource {
    Q_OBJECT

  public:
    /// @param simulated whether `timeline` shows times that nobody measured.
    /// @param window that dialogs belong to, and that pictures are of.
    ExportController(Document& document, TimelineView& timeline, std::function<bool()> simulated, QWidget& window);

    void registerActions(Actions& actions);
    /// What names of exported files begin with: those of the open graph and plan. Empty without a graph.
    QString stem() const;

    PlanExport& plan() { return *plan_; }
    TimelineExport& timeline() { return *timeline_; }

  private:
    void tellExported(const QString& path, const QStringList& notes);
    void tellSaved(const QString& path);
    void askForPicture();
    void savePicture(const QString& path);

    Document& document_;
    QWidget& window_;
    TimelineExport* timeline_;
    PlanExport* plan_;
};

}  // namespace overlap::ui
