#pragma once

#include <exception>
#include <new>
#include <utility>

#include "base/error.h"
#include "lance/c.h"

namespace lance::capi {

/// Describes `status` in `*error` (may be null) and returns its code; LANCE_OK clears it.
LanceErrorCode SetError(const Status& status, LanceError** error) noexcept;
/// For exceptions, which only a fault of this library lets come this far.
LanceErrorCode SetInternalError(const char* what, LanceError** error) noexcept;
LanceErrorCode SetOutOfMemory(LanceError** error) noexcept;

/// Runs the body of one function of the C ABI: no exception leaves it.
template <typename Body>
LanceErrorCode Guarded(LanceError** error, Body&& body) noexcept {
  try {
    return SetError(std::forward<Body>(body)(), error);
  } catch (const std::bad_alloc&) {
    return SetOutOfMemory(error);
  } catch (const std::exception& exception) {
    return SetInternalError(exception.what(), error);
  } catch (...) {
    return SetInternalError("unknown exception", error);
  }
}

}  // namespace lance::capi
