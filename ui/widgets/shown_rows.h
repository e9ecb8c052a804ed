#pragma once

#include <functional>

class QAbstractItemView;

namespace overlap::ui {

/// Changes which rows of a filtered table are shown, by `change`. After it the row that was current is in view where it
/// is still shown. Else the table is at its beginning and none is current: the neighbour that Qt takes instead is
/// nobody's choice.
void changeShownRows(QAbstractItemView& view, const std::function<void()>& change);

}  // namespace overlap::ui
