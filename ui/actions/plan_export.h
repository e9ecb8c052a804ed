#pragma once

#include <QObject>
#include <QStringList>
#include <functional>

#include "core/exports/export_format.h"
#include "ui/tasks/latest_task.h"

class QWidget;

namespace overlap::ui {

class Actions;
class Document;

/// Exports the current plan to the formats of core/exports: an action for each of them, a dialog for the file, and
/// writing in the background.
class PlanExport : public QObject {
    Q_OBJECT

  public:
    /// @param window that dialogs belong to.
    PlanExport(Document& document, QWidget& window);

    /// One action a format, `export.NAME`, in a separate menu.
    void registerActions(Actions& actions);

    /// Asks for a file without blocking, and writes it.
    void ask(const ExportFormat& format);
    /// Writes the current plan in its present state into `path`. Outdated figures are computed first. Emits written()
    /// or failed() when it is done.
    void write(const ExportFormat& format, const QString& path);
    /// Why the current plan cannot be exported; empty when it can.
    QString refusal() const;

    bool busy() const { return task_.busy(); }

  signals:
    /// @param notes what the plan has and the format cannot express; sentences without full stop.
    void written(const QString& path, const QStringList& notes);
    void failed(const QString& reason);

  private:
    Document& document_;
    QWidget& window_;
    LatestTask task_;
};

}  // namespace overlap::ui
