#pragma once

#include <QObject>
#include <QString>

#include "ui/document/measured_times.h"
#include "ui/files/graph_loader.h"
#include "ui/tasks/latest_task.h"

namespace overlap::ui {

class Document;

/// The open graph with the cost model of this name or file; the graph as it was read where it is empty.
/// @returns null pointers when stopped. @throws InputError. @param notes what was replaced, for display.
LoadedGraph withCostModel(const LoadedGraph& loaded, const QString& name_or_file, std::stop_token stop,
                          QStringList& notes);

/// Puts a named cost model into the open graph in place of the times that it was read with, and takes it away again. In
/// the background; the file of the graph stays as it is.
class GraphCostModel : public QObject {
    Q_OBJECT

  public:
    explicit GraphCostModel(Document& document, QObject* parent = nullptr);

    /// @param name_or_file of a built-in model or a document; empty: times as they were read.
    void use(const QString& name_or_file);
    /// What is used, or will be when it has been read; empty: the graph as it was read.
    QString used() const;
    bool busy() const { return task_.busy(); }

  signals:
    /// used() is another.
    void changed();
    /// The graph's model has changed, and its figures use the new times.
    /// @param before whose times figures were of: they are read again; null: the graph's own.
    void applied(const std::shared_ptr<const overlap::ui::MeasuredTimes>& before);
    /// One sentence without full stop on what is used now.
    void told(const QString& sentence);
    /// One sentence without full stop; the times stay as they were.
    void failed(const QString& reason);

  private:
    Document& document_;
    std::optional<QString> reading_;
    LatestTask task_;
};

/// Why times by the cost model that was put into a graph differ from those of the graph's own, as a clause; empty where
/// they do not, or nothing was put into it.
QString differenceToOwn(const LoadedGraph& loaded);

/// The name of the cost model that the graph's times are of, for captions; empty where they are the graph's own.
QString costModelName(const Graph& graph);

}  // namespace overlap::ui
