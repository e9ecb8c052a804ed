#pragma once

#include <QString>
#include <string>

#include "core/plan/plan.h"

namespace overlap::ui {

/// The note of a plan that a search of so many plans found. @param figures of the plan, without full stop.
QString foundNote(std::size_t searched, const QString& figures);

/// The note when the plan, or a copy of it, does something else: what foundNote() says in it is marked as being from
/// before. Other words, and what is marked already, stay.
std::string noteOfEdited(std::string note);

/// The name when the plan does something else: one that gives figures, of a found plan or of the edit before, is left
/// without them, see edited_plan_words: a file that is written before they are known has no old ones. Other names stay.
std::string nameOfEdited(std::string name);

/// The note and the name of a plan with another peak or step than its name gives, which nobody knows the reason of: its
/// file was edited elsewhere, or it was found on another export of the graph. None says that it was edited.
std::string noteOfOtherFigures(std::string note);
std::string nameOfOtherFigures(std::string name);

/// noteOfEdited() and nameOfEdited() of a plan that does something else than before; a name that it has not had before
/// stays.
void markEdited(Plan& edited, const Plan& before);

}  // namespace overlap::ui
