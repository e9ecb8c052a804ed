#pragma once

namespace overlap::ui {

class Actions;
class BucketBoard;

/// Registers what a person can do with the buckets of the current plan. Keys that mean something else elsewhere work
/// while the cards have the focus.
void registerBucketActions(Actions& actions, BucketBoard& board);

}  // namespace overlap::ui
