#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "ui/files/graph_source.h"

namespace overlap::ui {

struct PlanHistory;

/// What can be undone and redone in a plan; see HistoryFiles. Plans of the session are equal whatever it is.
struct KeptHistory {
    QJsonObject stored{};                       ///< as the session's file has it; empty where there is none
    std::shared_ptr<const PlanHistory> live{};  ///< in place of it: of a plan that was open in this run

    bool operator==(const KeptHistory&) const { return true; }
};

/// One plan as the session keeps it, whether or not it is in a file of the user's.
struct SessionVariant {
    QByteArray plan;  ///< an overlap-plan document
    QString file;     ///< where the user saved it, or empty
    bool modified = false;
    QByteArray digest{};  ///< of the file; see Variant::fileDigest
    KeptHistory history{};
    int place = 0;  ///< of a plan that was closed: where its tab was, the first behind the baseline 1; 0: not known

    bool operator==(const SessionVariant&) const = default;
};

/// The variants of one graph, and their views.
struct SessionDocument {
    QString graph;  ///< key of its source, see GraphSource
    std::vector<SessionVariant> variants;
    int current = 1;            ///< 0 is the baseline
    double range_start_ms = 0;  ///< visible part of the timeline; an empty range means all of it
    double range_end_ms = 0;
    std::vector<SessionVariant> closed{};  ///< plans that can be reopened, the one closed last at the end
    QStringList times{};                   ///< traces whose times figures are of; empty: the graph's own
    QString cost_model{};                  ///< chosen for the graph: a built-in model's name or a file; may be empty
    bool contention = false;               ///< figures are with contention
    QJsonObject timeline{};                ///< the user's edits of the timeline; only the view reads them
    GraphSource source{};                  ///< of the graph
    QString compiled{};                    ///< compiled_scope_name(), or `none`; empty: as the graph says
    double attention_density = 0;          ///< of a compiled job; 0: as the graph says
    QJsonObject compared{};                ///< the two sides of Compare; only the panel reads them
    QJsonObject found{};                   ///< what a search found last; only its panel reads it
    double memory_limit = 0;               ///< that the panel Memory draws, in GiB; 0: what the device holds
    QString memory_limit_typed{};          ///< the same as it was typed, or empty
    QJsonObject selection{};               ///< what is selected; only SelectionRestore reads it

    bool operator==(const SessionDocument&) const = default;
};

/// Everything that is restored at the next start.
struct SessionState {
    QString open;                            ///< graph that was open, or empty
    std::vector<SessionDocument> documents;  ///< newest first; one for each graph
    QStringList recent_files;                ///< newest first
    QString theme = QStringLiteral("system");
    QByteArray geometry, layout;
    bool share_links = false;  ///< figures of all graphs are with process groups that share links
    QJsonObject views;         ///< what the views want to keep, by view
    bool ended = false;        ///< the application was closed normally after this was written
    /// Plans with unsaved edits that the run found when it began, see keptBefore(): they are no edits of that run.
    QStringList kept_before{};

    /// The document of a graph, or nullptr.
    SessionDocument* document(const QString& graph);
    const SessionDocument* document(const QString& graph) const;
    /// From where a graph is read, by its key.
    GraphSource source(const QString& graph) const;
    /// Puts a document in front, in place of an older one of the same graph. Documents beyond a limit are forgotten,
    /// oldest first, but never one with unsaved edits or notes on its timeline.
    void put(SessionDocument document);
    void putRecent(const QString& file);
    /// Adds what another session has and this one lacks; nothing of this one is removed.
    /// @returns how many plans with unsaved edits came along.
    int adopt(const SessionState& other);

    bool operator==(const SessionState&) const = default;
};

/// What SessionState::kept_before has of a plan: changes with every edit of it.
QString keptBefore(const QString& graph, const SessionVariant& variant);

/// What a file of a session holds: the session, or why there is none.
struct ReadSession {
    std::optional<SessionState> state{};
    int newer_version = 0;  ///< of the format, where a newer program wrote the file
};

/// The newest version of the format, which is the one that is written.
inline constexpr int session_version = 1;

/// Histories are in it as they are stored.
QByteArray sessionText(const SessionState& state);
/// Values of another type than expected count as missing.
ReadSession readSessionText(const QByteArray& text);

}  // namespace overlap::ui
