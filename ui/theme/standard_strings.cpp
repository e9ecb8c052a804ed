#include "ui/theme/standard_strings.h"

namespace overlap::ui {

std::vector<std::string> standardStrings(const QStringList& texts) {
    std::vector<std::string> strings;
    for (const QString& text : texts) strings.push_back(text.toStdString());
    return strings;
}

QStringList textsOf(const std::vector<std::string>& strings) {
    QStringList texts;
    for (const std::string& string : strings) texts.append(QString::fromStdString(string));
    return texts;
}

}  // namespace overlap::ui
