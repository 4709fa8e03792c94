#ifndef APUS_COPENBLAS_H
#define APUS_COPENBLAS_H

/// Integers of a library whose indices have 32 bits.
typedef int apus_openblas_integer;

/// Orders of a matrix. Source: the reference CBLAS
enum {
    apus_openblas_row_major = 101,
    apus_openblas_as_it_is = 111,
    apus_openblas_transposed = 112,
};

/// Functions of OpenBLAS. Source: cblas.h
#define APUS_OPENBLAS_FUNCTIONS(F) \
    F(char *, openblas_get_config, (void)) \
    F(char *, openblas_get_corename, (void)) \
    F(void, openblas_set_num_threads, (int count)) \
    F(void, cblas_sgemm, \
      (int order, int left_order, int right_order, apus_openblas_integer rows, apus_openblas_integer columns, \
       apus_openblas_integer depth, float alpha, const float *a, apus_openblas_integer a_stride, const float *b, \
       apus_openblas_integer b_stride, float beta, float *c, apus_openblas_integer c_stride)) \
    F(void, cblas_sgemv, \
      (int order, int matrix_order, apus_openblas_integer rows, apus_openblas_integer columns, float alpha, \
       const float *a, apus_openblas_integer a_stride, const float *x, apus_openblas_integer x_stride, float beta, \
       float *y, apus_openblas_integer y_stride))

#define APUS_DECLARE(type, name, arguments) type(*name) arguments;
/// The functions, found at run time, so that nothing of the library is needed to build or to start.
typedef struct {
    APUS_OPENBLAS_FUNCTIONS(APUS_DECLARE)
    /// Choose the library's kernels again; NULL in builds for a single processor.
    void (*gotoblas_dynamic_quit)(void);
    void (*gotoblas_dynamic_init)(void);
} apus_openblas;
#undef APUS_DECLARE

/// Loads a library, which starts no threads, and fills the table with its functions. The library stays loaded, and its
/// symbols stay apart from those of other libraries.
///
/// Returns NULL, or what is missing, in words that stay valid until the thread's next call.
const char *apus_openblas_load(apus_openblas *table, const char *library);

#endif
