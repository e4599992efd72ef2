#include "base/error.h"

#include "arrow/util/cancel.h"
#include "base/byte_reader.h"
#include "base/context.h"
#include "gtest/gtest.h"

namespace lance {
namespace {

TEST(ErrorTest, CarriesCodeAndPlace) {
  Status status = Corrupt("bad page: ", 3);
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_EQ(ErrorText(status), "bad page: 3");
  status = WithPlace(status, {.path = "a.lance", .column = 4});
  status = WithPlace(status, {.path = "b.lance", .page = 2});
  EXPECT_EQ(ErrorText(status), "bad page: 3 (column 4, page 2, in a.lance)");
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_TRUE(WithPlace(Status::OK(), {.path = "a"}).ok());
}

TEST(ErrorTest, MapsErrorsOfArrow) {
  EXPECT_EQ(GetErrorDetail(Status::IOError("x")), nullptr);
  EXPECT_EQ(GetErrorCode(Status::IOError("x")), ErrorCode::kIo);
  EXPECT_EQ(GetErrorCode(Status::OutOfMemory("x")), ErrorCode::kOverBudget);
  Status placed = WithPlace(Status::IOError("x"), {.path = "p"});
  EXPECT_EQ(GetErrorCode(placed), ErrorCode::kIo);
  EXPECT_EQ(ErrorText(placed), "x (in p)");
}

TEST(ContextTest, ReportsAStopAsCancelled) {
  Context context;
  EXPECT_TRUE(context.CheckStop().ok());
  EXPECT_NE(context.pool(), nullptr);
  arrow::StopSource source;
  context.stop = source.token();
  EXPECT_TRUE(context.CheckStop().ok());
  source.RequestStop();
  EXPECT_EQ(GetErrorCode(context.CheckStop()), ErrorCode::kCancelled);
}

TEST(ByteReaderTest, ChecksEveryRead) {
  const std::array<uint8_t, 7> bytes = {1, 0, 0, 0, 9, 8, 7};
  ByteReader reader(bytes);
  EXPECT_EQ(reader.Read<uint32_t>("count").ValueOrDie(), 1u);
  EXPECT_EQ(reader.position(), 4u);
  Status status = reader.Read<uint64_t>("offset").status();
  EXPECT_EQ(GetErrorCode(status), ErrorCode::kCorrupt);
  EXPECT_NE(status.message().find("offset"), std::string::npos);
  EXPECT_EQ(reader.position(), 4u);
  EXPECT_FALSE(reader.ReadBytes(UINT64_MAX, "text").ok());
  EXPECT_EQ(reader.ReadBytes(1, "text").ValueOrDie()[0], 9);
  EXPECT_FALSE(reader.AlignTo(8, "padding").ok());
  EXPECT_TRUE(reader.AlignTo(5, "padding").ok());
  EXPECT_EQ(reader.remaining(), 2u);
  EXPECT_EQ(reader.ReadBytes(2, "rest").ValueOrDie().size(), 2u);
  EXPECT_TRUE(reader.done());
  EXPECT_TRUE(reader.ReadBytes(0, "nothing").ok());
}

}  // namespace
}  // namespace lance
