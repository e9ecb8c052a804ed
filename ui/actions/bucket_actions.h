#pragma once

namespace overlap::ui {

class Actions;
class BucketBoard;

/// Registers the actions on the buckets of the current plan. Keys with other meanings elsewhere work while the cards
/// have the focus.
void registerBucketActions(Actions& actions, BucketBoard& board);

}  // namespace overlap::ui
