#pragma once

#include <QByteArray>
#include <QLockFile>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "ui/session/session_state.h"

namespace overlap::ui {

class Document;
class HistoryFiles;
class Variant;

/// A plan with unsaved edits of an instance that ended abnormally: by a crash, a kill or a loss of power.
struct RecoveredPlan {
    QString graph;           ///< as SessionDocument has it
    SessionVariant variant;  ///< as it is restored
};

/// The sessions found at a start.
struct StoredSession {
    SessionState state;
    QStringList problems;                  ///< sentences on files that could not be read, and where they are now
    int adopted = 0;                       ///< plans with unsaved edits that came from other instances
    std::vector<RecoveredPlan> recovered;  ///< of this and other instances
};

/// A variant as the session would keep it.
SessionVariant sessionVariant(const Variant& variant);
/// The same without the text of the plan, which takes long to make of large plans. The history is shared.
SessionVariant sessionVariantOutline(const Variant& variant);
/// The document as the session would keep it; the caller fills in the timeline range and the closed plans.
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
    ~Session();

    static QString defaultFolder();
    const QString& folder() const { return folder_; }
    QString file() const { return file_; }

    /// The stored session, with the content of files of instances that have ended: those files are removed once this
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
    std::unique_ptr<HistoryFiles> histories_;
};

}  // namespace overlap::ui
