#pragma once

#include <QObject>

namespace overlap::ui {

class Document;
class TimelineEdits;

/// One undo for plans and for what is done to the timeline: the stack that was edited last is the active one of the
/// document's group. When the timeline's has nothing left to undo, the plan's is active again.
class TimelineUndo : public QObject {
    Q_OBJECT

  public:
    TimelineUndo(Document& document, TimelineEdits& edits, QObject* parent = nullptr);

  private:
    void activatePlan();

    Document& document_;
    TimelineEdits& edits_;
};

}  // namespace overlap::ui
