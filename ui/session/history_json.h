#pragma once

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <memory>

#include "ui/document/plan_history.h"

namespace overlap::ui {

/// An edit as the session keeps it.
QJsonObject editJson(const PlanHistory::Edit& edit);

/// Reads edits. What one has in common with the one before is read once, and shared: so one reader has to read all of a
/// history, in their order.
class EditReader {
  public:
    /// @param file where the session has it, and in which place there; empty where the edit is in no file of its own.
    /// @throws std::exception where it is none.
    std::shared_ptr<const PlanHistory::Edit> read(const QJsonObject& json, const QString& file, int place);

  private:
    PlanChange::Side side(const QJsonValue& text, bool has_rest);

    QByteArray newest_text_;
    PlanChange::Side newest_;
};

/// Edits as the bytes of a file, compressed.
QByteArray editsFile(const QJsonArray& edits);
/// @throws InputError where they are none.
QJsonArray editsOfFile(const QByteArray& bytes, const QString& file);

}  // namespace overlap::ui
