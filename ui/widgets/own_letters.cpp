#include "ui/widgets/own_letters.h"

#include <QKeyEvent>
#include <QVariant>
#include <QWidget>

namespace overlap::ui {
namespace {

constexpr const char* own_letters = "ownLetters";

}  // namespace

void setOwnLetters(QWidget& list, const QString& letters) {
    list.setProperty(own_letters, letters);
}

bool ownsLetter(const QObject& object, const QKeyEvent& event) {
    const int key = event.key();
    return event.modifiers() == Qt::NoModifier && key <= 0xffff &&
           object.property(own_letters).toString().contains(QChar(key), Qt::CaseInsensitive);
}

}  // namespace overlap::ui
