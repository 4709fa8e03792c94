/* What the programs share: arguments, checks, files, the command, and small networks. It is C99 and C++11 at once. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <apus.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The error of the calls that are checked. Only the main thread fills it. */
extern apus_error error;

/* Reads the arguments PROGRAM FIXTURES COMMAND [...]: the folder of fixtures, and the command of the same archive. */
void begin(int argc, char **argv);

/* Says that every check of a program passed. Returns the exit status of the program. */
int end(void);

/* The place of a fixture. The text is kept for the next calls of this function only. */
const char *fixture(const char *name);

/* Ends the program with a message. */
void fail(const char *file, int line, const char *what, const char *message);

#define CHECK(condition) \
    do { \
        if (!(condition)) fail(__FILE__, __LINE__, #condition, ""); \
    } while (0)

#define OK(call) \
    do { \
        if ((call) != APUS_OK) fail(__FILE__, __LINE__, #call, error.message); \
    } while (0)

/* Checks that a call fails with a status, a code and a place, of which the last may be the end. */
#define FAILS(call, wanted, wanted_code, wanted_place) \
    check_failure(__FILE__, __LINE__, #call, call, wanted, wanted_code, wanted_place)

void check_failure(
    const char *file, int line, const char *call, apus_status found, apus_status wanted, const char *code,
    const char *place);

/* The content of a file with a zero byte behind it, which the caller frees. `count` may be NULL. */
char *read_file(const char *path, size_t *count);
void write_file(const char *path, const void *content, size_t count);

/* Runs the command with arguments that a shell reads, and returns its exit status. What it prints is in output.txt. */
int run_command(const char *format, ...);

/* The text of a handle, which ends with the program. */
const char *string_of(const apus_text *text);

/* Checks that a text is what the command prints, or a line of it. The text is released. */
void check_same(const char *file, int line, apus_text *text, const char *wanted);
#define SAME(text, wanted) check_same(__FILE__, __LINE__, text, wanted)

/* Releases a handle. */
void release(const void *handle);

/* Numbers from -1 to 1 that look like nothing, the same each time, which the caller frees. */
float *numbers(size_t count);

/* A tensor of float32 in row-major order with a copy of the numbers. */
apus_tensor *tensor_of(const float *values, int32_t rank, const int64_t *extents);

/* The first element of a tensor of float32. */
const float *floats(const apus_tensor *tensor);

/* Writes float32 as a file of NumPy, or reads the numbers of one, which the caller frees. */
void write_npy(const char *path, const float *values, int32_t rank, const int64_t *extents);
float *read_npy(const char *path, size_t *count);

/* A session of a network in memory. */
apus_session *session_of(const void *network, size_t count);

/* Options from names and values by turns, with NULL at the end. */
apus_options *options_of(const char *name, ...);

/* The bytes of a file of ONNX. */
typedef struct network {
    unsigned char bytes[1024];
    size_t count;
} network;

/* y = x + x, for float32 of [N, 2]. */
network doubling_network(void);

/* A network with a node "strange" of an operator that does not exist. */
network unknown_network(void);

/* A loop that goes round until it is ended: y = x + x + ..., for float32 of [2]. */
network endless_network(void);

#ifdef __cplusplus
}
#endif

#endif
