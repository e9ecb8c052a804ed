#pragma once

#include <QString>
#include <functional>

class QAbstractItemView;

namespace overlap::ui {

/// Says at the top of a list or table why it is empty, while it is: an area without a word could be broken.
/// @param view has the model already that it keeps.
/// @param sentence asked whenever rows come or go, without full stop; empty: nothing is said.
/// @returns what asks again, where the reason has become another one. The view owns it.
std::function<void()> sayWhenEmpty(QAbstractItemView& view, std::function<QString()> sentence);

}  // namespace overlap::ui
