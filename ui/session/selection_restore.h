#pragma once

#include <QJsonObject>
#include <QObject>
#include <QtGlobal>

namespace overlap::ui {

class Document;

/// The selection that comes back with a graph. It waits for the figures of the plan that is opened, since merged
/// collectives have their names from these. What is selected meanwhile is the user's choice, and nothing comes back.
class SelectionRestore : public QObject {
    Q_OBJECT

  public:
    explicit SelectionRestore(Document& document, QObject* parent = nullptr);

    /// Another graph is open.
    /// @param kept what kept() was of it. What the graph or its plan does not have any more is not selected.
    void graphOpened(const QJsonObject& kept);
    /// What the session keeps: what is selected, or the older selection while that still waits.
    QJsonObject kept() const;

  private:
    void restore();

    Document& document_;
    QJsonObject waiting_;  ///< empty where nothing waits
    quint64 variant_ = 0;  ///< key of the plan that was current then, which a selected bucket is of
};

}  // namespace overlap::ui
