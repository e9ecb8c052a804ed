#pragma once

#include <QObject>
#include <QString>

namespace overlap::ui {

class Document;
class MemoryPanel;
class SearchControls;

/// Keeps the limit of the peak in Memory, which the timeline, the toolbar, Problems and Advice follow, and that of
/// Search the same: what is chosen in one of both is the limit of the other. Where nothing is typed in Memory, Search
/// may have any peak or what the device holds.
class LimitConnection : public QObject {
  public:
    /// To be made after both panels: each has the limit of another graph when it is told of that.
    LimitConnection(Document& document, MemoryPanel& memory, SearchControls& search, QObject* parent);

  private:
    bool isOfOneGraph() const;
    bool agree() const;
    void takeFromMemory();
    void takeFromSearch();

    Document& document_;
    MemoryPanel& memory_;
    SearchControls& search_;
    QString graph_;        ///< that both have the limit of, by its path
    bool taking_ = false;  ///< from one of both
};

}  // namespace overlap::ui
