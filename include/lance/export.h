#pragma once

/// Marks what the shared library exports; everything else is hidden.
#if defined(_WIN32)
#define LANCE_EXPORT
#else
#define LANCE_EXPORT __attribute__((visibility("default")))
#endif
