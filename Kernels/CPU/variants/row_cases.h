#ifndef APUS_ROW_CASES_H
#define APUS_ROW_CASES_H

// The cases of a switch over the rows of a register tile, in each of which the number of rows is a constant:
//
//     #define MULTIPLY(rows) case rows: multiply_tile(tile, rows); break;
//     switch (rows) { APUS_ROW_CASES(3, MULTIPLY) }
//
// is MULTIPLY(1) MULTIPLY(2) MULTIPLY(3). The count is at most 12, or a macro that expands to such a number.

#define APUS_ROW_CASES(count, CASE) APUS_ROW_CASES_UP_TO(count)(CASE)
#define APUS_ROW_CASES_UP_TO(count) APUS_ROW_CASES_##count

#define APUS_ROW_CASES_1(CASE) CASE(1)
#define APUS_ROW_CASES_2(CASE) APUS_ROW_CASES_1(CASE) CASE(2)
#define APUS_ROW_CASES_3(CASE) APUS_ROW_CASES_2(CASE) CASE(3)
#define APUS_ROW_CASES_4(CASE) APUS_ROW_CASES_3(CASE) CASE(4)
#define APUS_ROW_CASES_5(CASE) APUS_ROW_CASES_4(CASE) CASE(5)
#define APUS_ROW_CASES_6(CASE) APUS_ROW_CASES_5(CASE) CASE(6)
#define APUS_ROW_CASES_7(CASE) APUS_ROW_CASES_6(CASE) CASE(7)
#define APUS_ROW_CASES_8(CASE) APUS_ROW_CASES_7(CASE) CASE(8)
#define APUS_ROW_CASES_9(CASE) APUS_ROW_CASES_8(CASE) CASE(9)
#define APUS_ROW_CASES_10(CASE) APUS_ROW_CASES_9(CASE) CASE(10)
#define APUS_ROW_CASES_11(CASE) APUS_ROW_CASES_10(CASE) CASE(11)
#define APUS_ROW_CASES_12(CASE) APUS_ROW_CASES_11(CASE) CASE(12)

#endif
