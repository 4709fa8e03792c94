#ifndef APUS_TESTS_WORDS_H
#define APUS_TESTS_WORDS_H

// Products of words of two bfloat16 against a model of the instruction that multiplies them.

#include "apus_bfloat16.h"
#include "testing.h"

/// What a kernel does with words of a row and of a column that follow one another in a segment.
typedef float (*words_model)(float sum, const float *row, const float *column, ptrdiff_t word_count);

/// Compares the products of a kernel with a model bit by bit, and the bits of the whole with those of its parts.
void test_words(const apus_bfloat16_kernel *kernel, words_model add, uint64_t seed);

/// The models of dot products of two, and of tile registers: up to 16 words at once, whose products come together
/// before they are added.
float add_in_order(float sum, const float *row, const float *column, ptrdiff_t word_count);
float add_in_steps(float sum, const float *row, const float *column, ptrdiff_t word_count);

/// All tests of a kernel whose instruction has a model.
void test_bfloat16_kernel(const apus_bfloat16_kernel *kernel, words_model add, uint64_t seed);

/// Zero of the same sign for a denormal.
float flushed(float x);

/// A value for which a product may be denormal, a float32 that lies between two bfloat16, or rarely none of both.
float extreme_value(void);

#endif
