#pragma once

#include <QStringList>
#include <string>
#include <vector>

namespace overlap::ui {

/// Texts as the core takes them, in UTF-8, in the same order.
std::vector<std::string> standardStrings(const QStringList& texts);

/// Texts of the core as the window takes them, in the same order.
QStringList textsOf(const std::vector<std::string>& strings);

}  // namespace overlap::ui
