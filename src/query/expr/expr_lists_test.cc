#include "query/expr/expr_test_rows.h"

namespace lance::query {
namespace {

using ::testing::HasSubstr;

class ExprListsTest : public ExprTest {};

TEST_F(ExprListsTest, ItemsAreRemovedAndReplaced) {
  EXPECT_EQ(Values("array_remove_all([1, 2, 1, null], u8)"),
            "list<item: int64> [list<item: int64>[2, null], list<item: int64>[1, 1, null], null, "
            "list<item: int64>[1, 2, 1, null], list<item: int64>[1, 2, 1, null]]");
  EXPECT_EQ(Rows("array_remove_n([2, 2, 3], 2, i) = [2, 3]"), "0");
  EXPECT_EQ(Rows("list_remove_n([2, 2, 3], 2, i) = [3]"), "1 4");
  EXPECT_EQ(Rows("array_remove_n([2, 2, 3], 2, i) = [2, 2, 3]"), "2 3") << "null counts none";
  EXPECT_EQ(Rows("array_remove_all(li, null) is null"), "0 1 2 3 4");
  EXPECT_EQ(Rows("array_replace(li, 1, 9) = [9, 2]"), "0");
  EXPECT_EQ(Rows("array_replace(li, null, 9) = [9]"), "3");
  EXPECT_EQ(Rows("list_replace_all([1, 2, 1], u8, 7) = [7, 2, 7]"), "0");
  EXPECT_EQ(Rows("array_replace_n([2, 2, 2], 2, 7, u8) = [7, 7, 2]"), "1");
  EXPECT_EQ(Rows("array_replace(lst, s, 'z') = ['z', 'b']"), "0");
  EXPECT_EQ(Rows("array_positions([3, null, 3], null) = [cast(2 as bigint unsigned)]"),
            "0 1 2 3 4");
  EXPECT_EQ(Rows("array_positions(li, i) = [1]"), "0");
  EXPECT_EQ(Rows("array_remove_all(ll, [4]) = []"), "3 4");
  EXPECT_EQ(Rows("array_remove_all(fsl, 1) = []"), "4");
  EXPECT_THAT(Values("array_remove_all(li, 'a')"), HasSubstr("cannot be called with"));
}

TEST_F(ExprListsTest, ListsAreSets) {
  EXPECT_EQ(Rows("array_union(li, [2, 3]) = [1, 2, 3]"), "0");
  EXPECT_EQ(Rows("array_union(li, [null, 5]) = [null, 5]"), "1 3");
  EXPECT_EQ(Rows("array_union(li, null) is null"), "0 1 2 3 4");
  EXPECT_EQ(Rows("list_intersect(li, [3, 2, 2]) = [2]"), "0");
  EXPECT_EQ(Rows("array_intersect([3, 1], [1, 2, 3, i]) = [1, 3]"), "0 1 2 3 4") << "the longer";
  EXPECT_EQ(Rows("array_intersect(li, [null]) = [null]"), "3");
  EXPECT_EQ(Rows("array_except([1, 2, 1, 5], li) = [5]"), "0");
  EXPECT_EQ(Rows("list_except(lf, [cast('nan' as double)]) = [1.5]"), "0");
  EXPECT_EQ(Rows("array_except(lf, [0.0]) = []"), "1 3") << "-0 equals 0";
  EXPECT_EQ(Rows("array_union(fsl, li) = [1, 2]"), "0");
}

TEST_F(ExprListsTest, PartsOfLists) {
  EXPECT_EQ(Rows("array_slice([1, 2, 3], 2, 9) = [2, 3]"), "0 1 2 3 4");
  EXPECT_EQ(Rows("array_slice(li, 2, 2) = [2]"), "0");
  EXPECT_EQ(Rows("[1, 2, 3, 4][4:1:-2] = [4, 2] and [1, 2, 3][2:] = [2, 3]"), "0 1 2 3 4");
  EXPECT_EQ(Rows("[1, 2, 3][:-2] = [1, 2] and [1][:] = [1] and [1, 2][0:1] = [1]"), "0 1 2 3 4");
  EXPECT_EQ(Rows("[1, 2, 3][-2:-1] = [2, 3] and [1][-9:1] = [1] and [1][1:-9] = []"), "0 1 2 3 4");
  EXPECT_EQ(Rows("[1, 2, 3][1:9:9223372036854775807] = [1] and [1, 2][2:1:-9223372036854775808] "
                 "= [2]"),
            "0 1 2 3 4");
  EXPECT_EQ(Rows("li[1:i] = [1]"), "0");
  EXPECT_EQ(Rows("array_slice(li, 1, i) is null"), "2");
  EXPECT_THAT(Error("li[1:2:0] = [1]"), HasSubstr("by steps of 0, at character 1"));
  EXPECT_THAT(Error("li[1 2] = [1]"), HasSubstr("expected ']' or ':'"));
  EXPECT_EQ(Rows("array_reverse(li) = [2, 1]"), "0");
  EXPECT_EQ(Rows("array_reverse(fsl) = [null, 5]"), "3");
  EXPECT_EQ(Rows("array_pop_back(li) = [1]"), "0");
  EXPECT_EQ(Rows("list_pop_front(li) = []"), "1 3 4");
  EXPECT_EQ(Values("array_any_value(lst)"), "string [a, null, null, null, foo]");
  EXPECT_EQ(Rows("array_compact([i, null, 3]) = [1, 3]"), "0");
  EXPECT_EQ(Rows("array_compact(fsl) = [5]"), "3");
  EXPECT_EQ(Rows("array_resize(li, 3) = [1, 2, null]"), "0");
  EXPECT_EQ(Rows("list_resize(li, u8, 7) = [7, 7]"), "1");
  EXPECT_EQ(Rows("array_resize(lst, null) = []"), "0 1 3 4");
  EXPECT_THAT(Error("array_resize(li, i) = []"), HasSubstr("no list of -5 items, at character 1"));
  EXPECT_THAT(Error("array_resize(li, l) = []"), HasSubstr("no list of -5 items"));
  EXPECT_THAT(Error("array_resize(li, abs(l)) = []"), HasSubstr("array_resize() would make more"));
  EXPECT_EQ(Rows("flatten(ll) = [1, 2, 3]"), "0");
  EXPECT_EQ(Rows("flatten(ll) = []"), "1 4");
  EXPECT_EQ(Rows("flatten(li) = li"), "0 1 3 4");
  EXPECT_EQ(Rows("array_repeat(i, 2) = [2, 2]"), "1");
  EXPECT_EQ(Rows("array_repeat(s, i % 7) = []"), "3");
  EXPECT_EQ(Rows("array_repeat(li, u8)[2] = []"), "1");
  EXPECT_THAT(Error("array_repeat(s, 100000000) = ['a']"),
              HasSubstr("array_repeat() would make more than 16777216 items"));
  EXPECT_THAT(Error("array_repeat(array_repeat(array_repeat('abcdefgh', 1000), 1000), l) = []"),
              HasSubstr("would make more than"));
}

TEST_F(ExprListsTest, ShapesOfLists) {
  EXPECT_EQ(Values("array_length(ll, 2)"), "uint64 [2, 0, null, 1, 0]");
  EXPECT_EQ(Values("array_length(ll, 1)"), "uint64 [2, 2, null, 1, 0]");
  EXPECT_EQ(Values("list_length(ll, u8)"), "uint64 [2, 0, null, null, null]");
  EXPECT_EQ(Values("array_length(fsl, 2)"), "uint64 [null, null, null, null, null]");
  EXPECT_EQ(Values("array_ndims(ll)"), "uint64 [2, 2, null, 2, 2]");
  EXPECT_EQ(Rows("cast(array_dims(ll) as string) = '[2, 2]'"), "0");
  EXPECT_EQ(Rows("array_dims(ll) is null"), "2 4");
  EXPECT_EQ(Values("cardinality(m)"), "uint64 [2, 0, null, 1, 1]");
  EXPECT_EQ(Values("cardinality(ll)"), "uint64 [3, 0, null, 1, 0]");
}

TEST_F(ExprListsTest, MadeListsHaveTheirNulls) {
  EXPECT_EQ(Values("array_has([i, 5], 19)"), "bool [false, false, null, false, false]");
  EXPECT_EQ(Values("array_has([i, 5], 5)"), "bool [true, true, true, true, true]");
  EXPECT_EQ(Rows("not list_has([i, 5], 19)"), "0 1 3 4");
  EXPECT_EQ(Rows("not list_contains(make_array(i, u8), i)"), "");
  EXPECT_EQ(Rows("not list_contains(make_array(i, u8), 1)"), "1 2 3 4");
  EXPECT_EQ(Rows("array_contains([s, 'x'], 'x')"), "0 1 2 3 4");
  // Also where the value takes the type of the items.
  EXPECT_EQ(Values("array_has([l, 5], u8)"), "bool [true, true, null, true, false]");
  EXPECT_EQ(Values("array_has([i, 1.5], Up)"), "bool [true, true, null, false, false]");
  EXPECT_EQ(Rows("array_has([l, 5], Up) is null"), "2");
  EXPECT_EQ(Rows("not array_has([i, i], Up)"), "2 3 4");
  EXPECT_EQ(Rows("not array_has(li, 1)"), "1 3 4");
  EXPECT_THAT(Error("array_has([i, 5], s)"), HasSubstr("the function is array_has("));
}

TEST_F(ExprListsTest, PositionsFromAPlaceOn) {
  EXPECT_EQ(Values("array_position([1, 2, 3, 2], 2, i)").substr(0, 12), "array_positi");
  EXPECT_EQ(Values("array_position([1, 2, 3, 2], 2, u8 % 3 + 1)"), "uint64 [2, 4, null, 4, 2]");
  EXPECT_EQ(Values("list_indexof(li, 2, 1)"), "uint64 [2, null, null, null, null]");
  EXPECT_THAT(Values("array_position(li, 2, 9)"),
              HasSubstr("array_position() cannot start at 9 in a list of 2 items"));
}

TEST_F(ExprListsTest, ListsAsTexts) {
  EXPECT_EQ(Values("array_to_string(li, '-')"), "string [1-2, , null, , 3]");
  EXPECT_EQ(Values("array_to_string(ll, ',', '*')"), "string [1,2,3, *, null, 4, ]");
  EXPECT_EQ(Values("list_join(lf, ' ')"),
            "string [1.5 NaN, 0 -0, null, , 100000000000000000000000]");
  EXPECT_EQ(Values("array_join(lst, s, s)"), "string [aab, , null, héé%, foo]");
  EXPECT_EQ(Values("array_to_string([dur, null], ',')"),
            "string [P0D, PT0.000001S, , PT0.003726S, -PT0.086399S]");
  EXPECT_EQ(Values("array_to_string(fsl, ',')"), "string [1,2, 3,4, null, 5, 1,1]");
  EXPECT_EQ(Values("array_to_string(li, null)"), "string [null, null, null, null, null]");
  EXPECT_THAT(Values("array_to_string([st], ',')"), HasSubstr("cannot be called"));
}

TEST_F(ExprListsTest, RangesOfNumbers) {
  EXPECT_EQ(Rows("range(u8) = [0, 1]"), "1");
  EXPECT_EQ(Rows("range(i, 4) = [2, 3]"), "1");
  EXPECT_EQ(Rows("generate_series(5, i, -2) = [5, 3]"), "1");
  EXPECT_EQ(Rows("generate_series(1, 10, 3) = [1, 4, 7, 10] and range(5, 1) = []"), "0 1 2 3 4");
  EXPECT_EQ(Rows("generate_series(9223372036854775800, 9223372036854775807, 5) = "
                 "[9223372036854775800, 9223372036854775805]"),
            "0 1 2 3 4");
  EXPECT_EQ(Rows("range(9223372036854775807, -9223372036854775808, -9223372036854775808) = "
                 "[9223372036854775807, -1]"),
            "0 1 2 3 4");
  EXPECT_EQ(Rows("range(i, null) is null"), "0 1 2 3 4");
  EXPECT_THAT(Error("range(1, l, u8 - 1) = []"), HasSubstr("steps of 0, at character 1"));
  EXPECT_THAT(Error("range(-9223372036854775808, 9223372036854775807) = [1]"),
              HasSubstr("range() would make more than"));
}

TEST_F(ExprListsTest, MapsAndStructs) {
  EXPECT_EQ(Values("m['a']"), "int32 [1, null, null, null, 9]");
  EXPECT_EQ(Values("m[s]"), "int32 [1, null, null, null, null]");
  EXPECT_EQ(Rows("m['a'] > 1 or m['c'] = 3"), "3 4");
  EXPECT_EQ(Rows("map_keys(m) = ['a', 'b']"), "0");
  EXPECT_EQ(Rows("map_values(m) = [3]"), "3");
  EXPECT_EQ(Rows("map_extract(m, 'a') = [9]"), "4");
  EXPECT_EQ(Rows("element_at(m, 'a') = [null]"), "1 2 3");
  EXPECT_EQ(Rows("array_length(map_entries(m)) = 1"), "3 4");
  EXPECT_THAT(Values("m[1]"), HasSubstr("map[key]; it cannot be called with (map<string, int32>, "
                                        "int64), at character 1"));
  EXPECT_EQ(Values("struct(i, s)['c1']"), "string [a, B_b, null, héé%, ]");
  EXPECT_EQ(Rows("named_struct('x', i, 'y z', s) = st"), "");
  EXPECT_EQ(Values("get_field(named_struct('a', 1, 'b', i), 'b')"),
            "int32 [1, 2, null, -5, 2147483647]");
  EXPECT_THAT(Values("struct(1, i)"), HasSubstr("struct<c0: int64, c1: int32> ["));
  EXPECT_THAT(Values("named_struct('a', 1, 'a', 2)"), HasSubstr("each name once"));
  EXPECT_THAT(Values("named_struct(s, 1)"), HasSubstr("cannot be called"));
}

TEST_F(ExprListsTest, OfSlicedRows) {
  const auto whole = batch;
  batch = whole->Slice(3);
  EXPECT_EQ(Values("array_to_string(ll, ',')"), "string [4, ]");
  EXPECT_EQ(Values("m['c']"), "int32 [3, null]");
  EXPECT_EQ(Rows("map_keys(m) = ['a']"), "1");
  EXPECT_EQ(Rows("array_union(li, [3]) = [3]"), "1");
  EXPECT_EQ(Rows("array_replace(li, 3, 4) = [4]"), "1");
  EXPECT_EQ(Rows("array_reverse(fsl) = [null, 5]"), "0");
  EXPECT_EQ(Values("array_length(ll, 2)"), "uint64 [1, 0]");
  EXPECT_EQ(Rows("flatten(ll) = [4]"), "0");
  EXPECT_EQ(Rows("array_repeat(ll, 2)[2] = ll"), "0 1");
  EXPECT_EQ(Values("struct(li, s).c1"), "string [héé%, ]");
  batch = whole;
}

}  // namespace
}  // namespace lance::query
