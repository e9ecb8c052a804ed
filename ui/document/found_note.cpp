#include "ui/document/found_note.h"

#include <string_view>

namespace overlap::ui {
namespace {

// A plan file keeps a note as plain text, so that it is known by its words.
constexpr std::string_view found = "Found by a search of ";
constexpr std::string_view found_before = "Before it was edited, found by a search of ";

}  // namespace

QString foundNote(std::size_t searched, const QString& figures) {
    return QString::fromUtf8(found.data(), found.size()) +
           QStringLiteral("%1 plans %2.").arg(QString::number(searched), figures);
}

std::string noteOfEdited(std::string note) {
    const std::size_t at = note.find(found);
    if (at != std::string::npos) note.replace(at, found.size(), found_before);
    return note;
}

}  // namespace overlap::ui
