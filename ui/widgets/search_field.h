#pragma once

class QLineEdit;
class QWidget;

namespace overlap::ui {

/// Makes it the field that Ctrl+F leads to from anywhere in the same panel or view.
void makeSearchField(QLineEdit& field);

/// The visible search field of the panel or view that `inside` is in; nullptr where it has none.
QLineEdit* searchFieldBeside(QWidget* inside);

}  // namespace overlap::ui
