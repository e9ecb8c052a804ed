#pragma once

#include <QObject>
#include <QPointer>
#include <QStringList>

#include "ui/modules/module_repair_dialog.h"

namespace overlap::ui {

class Actions;
class Document;

/// Opens the dialog of rules for modules wherever it is requested: there is one at a time.
class ModuleRepairAction : public QObject {
    Q_OBJECT

  public:
    ModuleRepairAction(Document& document, QWidget* window);

    void registerAction(Actions& actions);
    ModuleRepairDialog* dialog() const { return dialog_; }

  public slots:
    /// @param nodes that shall get a module by hand; none to start with what the graph suggests.
    void open(const QStringList& nodes = {});

  signals:
    /// Why nothing can be repaired now; one sentence without full stop.
    void told(const QString& sentence);

  private:
    Document& document_;
    QWidget* window_;
    QPointer<ModuleRepairDialog> dialog_;
};

}  // namespace overlap::ui
