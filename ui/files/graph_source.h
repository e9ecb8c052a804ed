#pragma once

#include <QJsonObject>
#include <QString>

#include "core/imports/untyped/untyped_graph.h"

namespace overlap::ui {

/// Where a graph comes from: a file, for a log or a text of several graphs which one of them, and what the user added,
/// as it was written.
struct GraphSource {
    QString file;    ///< or `:/…` for the embedded sample
    int number = 0;  ///< in the list of the file's graphs, from 1; 0: the file has one graph
    QString groups;  ///< `0=0,1 1=2,3`: ranks of process groups
    QString symbols;
    QString rank;  ///< whose graph it is
    QString world_size;
    QString tensors;  ///< file with a table of tensors

    GraphSource() = default;
    GraphSource(const QString& path) : file(path) {}

    /// Under which the session keeps the graph: the file, followed by `#14` for one graph of several.
    QString key() const;
    /// What the user added, for the import. @throws InputError: it cannot be understood.
    ImportOptions options() const;

    QJsonObject toJson() const;
    static GraphSource fromJson(const QJsonObject& json);
    bool operator==(const GraphSource&) const = default;
};

/// The file of a key.
QString fileOfGraph(const QString& key);

}  // namespace overlap::ui
