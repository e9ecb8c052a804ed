#pragma once

#include <QByteArray>
#include <QHash>
#include <QJsonArray>
#include <QJsonObject>
#include <QSet>
#include <QString>
#include <memory>
#include <unordered_map>
#include <vector>

#include "ui/document/plan_history.h"
#include "ui/session/session_state.h"

namespace overlap::ui {

/// Histories of plans in a session. The session's own file, which is written after each edit, has the newest edits of a
/// plan; older ones are in compressed files beside it, each written once and never changed, so that a write takes no
/// longer after thousands of edits.
class HistoryFiles {
  public:
    /// The newest edits of a plan that are kept.
    static constexpr int most_edits = 2000;
    /// What they may take together before they are compressed, roughly: of very large ones fewer are kept.
    static constexpr std::size_t most_bytes = 32u << 20;

    /// @param folder of the session.
    explicit HistoryFiles(const QString& folder);

    /// What a start has read. @param alone whether no other session refers to files of this folder: those that are not
    /// used are removed.
    void begin(const SessionState& state, bool alone);
    /// Puts histories into the form of the session's file, and writes files of edits where there are many.
    void store(SessionState& state);
    /// To be called when that session has been written: removes files that neither it nor the one before uses.
    void removeUnused();

    /// Bytes of files of edits, by their names.
    using Contents = QHash<QString, QByteArray>;
    /// Whether a kept plan's history has such files.
    static bool hasFiles(const KeptHistory& kept);
    /// Those of a kept plan's history. From any thread.
    /// @param folder of the session.
    /// @throws std::exception with a sentence where one cannot be read.
    static Contents contentsOf(const QString& folder, const KeptHistory& kept);
    /// The history of a kept plan; null where none was kept, as by older programs. From any thread.
    /// @throws std::exception with a sentence where it is damaged, or does not fit the plan.
    static std::shared_ptr<const PlanHistory> read(const KeptHistory& kept, const Contents& contents, const Plan& plan);

  private:
    using Edit = std::shared_ptr<const PlanHistory::Edit>;
    /// Where an edit is.
    struct Place {
        Edit edit;     ///< held, so that no other comes to lie where it was
        QString file;  ///< empty: in none
        int place = 0;
    };

    struct Stored {
        QJsonObject json;
        bool edited = false;
    };

    /// @param edited whether more edits may follow: the newest ones then stay in the session.
    QJsonObject stored(const PlanHistory& history, bool edited);
    Place placeOf(const Edit& edit) const;
    /// Adds edits in a row that are in no file, in files where they are many. @param edited see stored().
    void addParts(QJsonArray& parts, const std::vector<Edit>& edits, bool edited);
    /// @returns where the edits were written; empty where they could not be.
    QString writeFileOf(const std::vector<Edit>& edits);
    const QJsonObject& jsonOf(const Edit& edit);

    QString folder_;
    QSet<QString> there_;               ///< files of edits
    QSet<QString> used_, used_before_;  ///< by the session that is written, and by the one before
    std::unordered_map<const PlanHistory::Edit*, Place> places_;
    // Texts of the write before, and of this one: most of a session stays as it was.
    std::unordered_map<Edit, QJsonObject> texts_, older_texts_;
    std::unordered_map<std::shared_ptr<const PlanHistory>, Stored> histories_, older_histories_;
};

}  // namespace overlap::ui
