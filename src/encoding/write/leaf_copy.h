#pragma once

#include <memory>

#include "arrow/type_fwd.h"
#include "base/error.h"
#include "encoding/write/leaf_path.h"

namespace lance::encoding {

/// The path through an array that holds nothing beside it: every struct has one member.
LeafPath AlonePath(const LeafPath& path);

/// `array` without what is beside the path, as AlonePath() describes it; maps become lists.
/// No bytes are copied.
std::shared_ptr<arrow::ArrayData> Alone(const LeafPath& path,
                                        const std::shared_ptr<arrow::ArrayData>& array);

/// The same in memory of its own. An array of a record batch often keeps the whole batch alive
/// (those of a C stream or an IPC file have one owner), so that a narrow column that fills slowly
/// would hold all of its wide neighbours.
Result<std::shared_ptr<arrow::ArrayData>> CopyAlone(const LeafPath& path,
                                                    const std::shared_ptr<arrow::ArrayData>& array,
                                                    arrow::MemoryPool* pool);

}  // namespace lance::encoding
