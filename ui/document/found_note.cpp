#include "ui/document/found_note.h"

#include <string_view>
#include <utility>

#include "core/plan/found_note.h"

namespace overlap::ui {
namespace {

constexpr std::string_view found_before = "Before it was edited, found by a search of ";

}  // namespace

QString foundNote(std::size_t searched, const QString& figures) {
    return QString::fromUtf8(found_note_words.data(), found_note_words.size()) +
           QStringLiteral("%1 plans %2.").arg(QString::number(searched), figures);
}

std::string noteOfEdited(std::string note) {
    const std::size_t at = note.find(found_note_words);
    if (at != std::string::npos) note.replace(at, found_note_words.size(), found_before);
    return note;
}

std::string nameOfEdited(std::string name) {
    return is_found_plan_name(name) || is_edited_plan_name(name) ? std::string(edited_plan_words) : name;
}

void markEdited(Plan& edited, const Plan& before) {
    if (does_the_same(edited, before)) return;
    edited.notes = noteOfEdited(std::move(edited.notes));
    if (edited.name == before.name) edited.name = nameOfEdited(std::move(edited.name));
}

}  // namespace overlap::ui
