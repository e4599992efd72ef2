#pragma once

namespace lance {

/// Whether little is left of the stack of this thread: what recurses over something that was given
/// from outside stops then.
bool StackIsShort();

}  // namespace lance
