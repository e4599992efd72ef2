#pragma once

#include <string>

#include "base/context.h"
#include "base/error.h"
#include "io/object_store.h"

namespace lance {

/// Creates the file of a tag or branch; AlreadyExists when there is one. What a failed request did
/// is found out by reading the file: with our content, which no other writer's equals, it is there.
Status CreateRefFile(const Context& context, ObjectStore& store, const std::string& path,
                     const std::string& content);

}  // namespace lance
