#pragma once

#include <QObject>
#include <QProcess>
#include <QTimer>
#include <deque>
#include <memory>
#include <unordered_set>

#include "core/layout/layout_protocol.h"

namespace overlap::ui {

/// Asks the layout helper for levels, one at a time, in a process that is kept warm. A level that takes longer than
/// `patience` kills the process and is not asked for again; so does a crash. Answers to what was cancelled are ignored.
class LayoutHelperClient : public QObject {
    Q_OBJECT

  public:
    /// @param program the helper; the one beside the application where it is empty.
    explicit LayoutHelperClient(const QString& program = {}, QObject* parent = nullptr);
    ~LayoutHelperClient() override;

    /// Asks for a level unless it was asked for before.
    /// @param own our own layout of it, into which the answer is put.
    void request(std::uint64_t key, const LevelGraph& graph, std::shared_ptr<const LevelLayout> own);
    /// Forgets what is asked for and what was; ends the process.
    void cancel();
    bool busy() const { return !waiting_.empty(); }
    void setPatience(int ms) { patience_.setInterval(ms); }

  signals:
    void laidOut(quint64 key, std::shared_ptr<const overlap::LevelLayout> layout);
    /// One sentence on why levels stay as they are, once for each reason.
    void failed(const QString& reason);

  private:
    struct Level {
        std::uint64_t key = 0;
        LevelGraph graph;
        std::shared_ptr<const LevelLayout> own;
        ForeignLevel foreign;
    };

    void startNext();
    void readAnswers();
    void giveUp(const QString& reason);

    QString program_;
    std::unique_ptr<QProcess> process_;
    std::string received_;
    std::deque<Level> waiting_;  ///< the first one is being laid out
    std::unordered_set<std::uint64_t> asked_;
    bool sent_ = false;
    std::uint64_t serial_ = 0;  ///< of what was sent last
    QTimer patience_;
    QStringList told_;
};

}  // namespace overlap::ui
