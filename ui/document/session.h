#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QLockFile>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "ui/document/graph_source.h"

namespace overlap::ui {

class Document;
class Variant;

/// One plan as the session keeps it, whether or not it is in a file of the user's.
struct SessionVariant {
    QByteArray plan;  ///< an overlap-plan document
    QString file;     ///< where the user saved it, or empty
    bool modified = false;
    QByteArray digest{};  ///< of the file; see Variant::fileDigest

    bool operator==(const SessionVariant&) const = default;
};

/// The variants of one graph, and how they were looked at.
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
    QJsonObject timeline{};                ///< what a person made of the timeline; the view's to read
    GraphSource source{};                  ///< of the graph

    bool operator==(const SessionDocument&) const = default;
};

/// Everything that comes back at the next start.
struct SessionState {
    QString open;                            ///< graph that was open, or empty
    std::vector<SessionDocument> documents;  ///< newest first; one for each graph
    QStringList recent_files;                ///< newest first
    QString theme = QStringLiteral("system");
    QByteArray geometry, layout;
    QJsonObject views;   ///< what the views want to keep, by view
    bool ended = false;  ///< the application was closed, and was not cut off, after this was written

    /// The document of a graph, or nullptr.
    SessionDocument* document(const QString& graph);
    const SessionDocument* document(const QString& graph) const;
    /// From where a graph is read, by its key.
    GraphSource source(const QString& graph) const;
    /// Puts a document in front, in place of an older one of the same graph. Documents beyond a limit are forgotten,
    /// oldest first, but never one with unsaved edits or notes on its timeline.
    void put(SessionDocument document);
    void putRecent(const QString& file);
    /// Takes over what another session has and this one has not; nothing of this one goes.
    /// @returns how many plans with unsaved edits came along.
    int adopt(const SessionState& other);

    bool operator==(const SessionState&) const = default;
};

/// A plan with unsaved edits that an instance left behind which was cut off: by a crash, a kill or a loss of power.
struct RecoveredPlan {
    QString graph;           ///< as SessionDocument has it
    SessionVariant variant;  ///< as it comes back
};

/// What a start finds.
struct StoredSession {
    SessionState state;
    QStringList problems;                  ///< sentences on files that could not be read, and where they are now
    int adopted = 0;                       ///< plans with unsaved edits that came from other instances
    std::vector<RecoveredPlan> recovered;  ///< of this and other instances
};

/// A variant as the session would keep it.
SessionVariant sessionVariant(const Variant& variant);
/// The same without the text of the plan, which takes long to make of large plans.
SessionVariant sessionVariantOutline(const Variant& variant);
/// The document as the session would keep it; the timeline range and the closed plans are the caller's to fill in.
/// @param keep makes what is kept of each variant.
SessionDocument sessionDocument(const Document& document,
                                SessionVariant (*keep)(const Variant& variant) = sessionVariant);

/// Keeps the session in one file, written whole or not at all. Each running instance of the application has a file of
/// its own, which it holds a lock on, so that none overwrites another's edits; the next one to start takes over what
/// instances that have ended left behind.
class Session {
  public:
    /// @param folder is made if need be; see defaultFolder().
    explicit Session(const QString& folder);

    static QString defaultFolder();
    const QString& folder() const { return folder_; }
    QString file() const { return file_; }

    /// The stored session, with what instances that have ended left in files of their own: those are gone once this
    /// session's file has their plans. Empty where there is nothing. A file that cannot be read, or that a newer
    /// version wrote, is put aside, never overwritten; of one that cannot be read the version before is taken.
    StoredSession load() const;
    /// May be called from any thread, but from one at a time.
    /// @returns an empty string, or one sentence on why the session could not be stored.
    QString save(const SessionState& state) const;
    /// Writes a plan that could not be restored into a file beside the session; returns its path, or empty.
    QString keepAside(const QByteArray& plan) const;

  private:
    bool lockInstance(const QString& stem);
    /// A session and what it recovers; nothing where there is none, or none that can be read.
    std::optional<StoredSession> read(const QString& file) const;
    std::optional<SessionState> readState(const QString& file, QStringList& problems) const;
    QString freeName(const QString& stem, const QString& suffix) const;

    QString folder_, file_;
    std::unique_ptr<QLockFile> lock_;
};

}  // namespace overlap::ui
