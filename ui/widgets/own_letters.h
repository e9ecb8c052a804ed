#pragma once

#include <QString>

class QKeyEvent;
class QWidget;

namespace overlap::ui {

/// Letters that a list uses as keys of its own: they do not go to the timeline, as others of a list do.
void setOwnLetters(QWidget& list, const QString& letters);
/// Whether the key is such a letter of `object`.
bool ownsLetter(const QObject& object, const QKeyEvent& event);

}  // namespace overlap::ui
