#include "ui/document/found_note.h"

#include <string_view>
#include <utility>

#include "core/plan/found_note.h"

namespace overlap::ui {
namespace {

constexpr std::string_view found_before = "Before it was edited, found by a search of ";
constexpr std::string_view found_elsewhere = "With other figures than now, found by a search of ";
constexpr std::string_view found_plan_words = "Found plan";  // as edited_plan_words

std::string beginningWith(std::string note, std::string_view words) {
    const std::size_t at = note.find(found_note_words);
    if (at != std::string::npos) note.replace(at, found_note_words.size(), words);
    return note;
}

}  // namespace

QString foundNote(std::size_t searched, const QString& figures) {
    return QString::fromUtf8(found_note_words.data(), found_note_words.size()) +
           QStringLiteral("%1 plans %2.").arg(QString::number(searched), figures);
}

std::string noteOfEdited(std::string note) {
    return beginningWith(std::move(note), found_before);
}

std::string nameOfEdited(std::string name) {
    const bool found = is_found_plan_name(name) || name == found_plan_words;
    return found || is_edited_plan_name(name) ? std::string(edited_plan_words) : name;
}

std::string noteOfOtherFigures(std::string note) {
    return beginningWith(std::move(note), found_elsewhere);
}

std::string nameOfOtherFigures(std::string name) {
    return is_found_plan_name(name) ? std::string(found_plan_words) : nameOfEdited(std::move(name));
}

void markEdited(Plan& edited, const Plan& before) {
    if (does_the_same(edited, before)) return;
    edited.notes = noteOfEdited(std::move(edited.notes));
    if (edited.name == before.name) edited.name = nameOfEdited(std::move(edited.name));
}

}  // namespace overlap::ui
