#pragma once

namespace overlap::ui {

/// Registers icons and samples with Qt; needed once, because they are in a static library.
void loadResources();

}  // namespace overlap::ui
