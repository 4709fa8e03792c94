/*
 * Apus, an inference engine for vision networks.
 *
 *     apus_error error;
 *     apus_predictor *predictor = NULL;
 *     if (apus_predictor_open("squeezenet1_1.onnx", NULL, &predictor, &error)) {
 *         fprintf(stderr, "%s\n", error.message);
 *         return 1;
 *     }
 *
 * Rules that hold for every function:
 *
 * - It returns APUS_OK or the kind of its error, and fills `error`, which may be NULL. Results are written only when
 *   it returns APUS_OK.
 * - A handle is a number in the form of a pointer, not an address. A handle that was released, or that the library
 *   never gave out, is APUS_ERROR_HANDLE. Every handle that a function gives out is released once with apus_release().
 * - It may be called from any thread, and from many at once. What a handle stands for never changes, except for options
 *   and work.
 * - It blocks until its result is there, unless its name ends in _async. Functions that the library calls back must not
 *   call one that blocks.
 * - Text is UTF-8 and ends with a zero byte. Text and arrays in a result belong to its handle, and live as long as it.
 * - No thread starts before the first session or predictor. A process may fork before that; in the child of a later
 *   fork every function returns APUS_ERROR_FORK.
 * - Nothing is written to standard output and standard error, no signal handler is installed, no variable of the
 *   environment is set, and a pipe whose reader has left is APUS_ERROR_FILE, not a signal. What is loaded where it is
 *   there is not bound by this: drivers of OpenCL, by apus_devices() and where there may be a GPU, OpenBLAS where it
 *   is asked for, and decoders of HEIC and AVIF, whose complaints about damaged pictures are their own.
 * - The library stays loaded: after dlclose() it is still there, since threads of it may run, and dlopen() finds it.
 * - An array of the caller has at most APUS_MAXIMUM_COUNT elements.
 */
#ifndef APUS_H
#define APUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { APUS_MAXIMUM_COUNT = 65536 };

/* ---- Errors ---- */

typedef int32_t apus_status;

enum {
    APUS_OK = 0,
    /* A file cannot be read or written. */
    APUS_ERROR_FILE = 1,
    /* A model file is damaged, or is not a model. */
    APUS_ERROR_INVALID_MODEL = 2,
    /* A model is valid, but uses what Apus does not support. */
    APUS_ERROR_UNSUPPORTED_MODEL = 3,
    /* An argument, an option or an input does not fit. */
    APUS_ERROR_ARGUMENT = 4,
    /* A backend or a device that was asked for is not there. */
    APUS_ERROR_BACKEND = 5,
    /* More memory is needed than there is, or than the limit allows. */
    APUS_ERROR_MEMORY = 6,
    /* The work was cancelled. */
    APUS_ERROR_CANCELLED = 7,
    /* A handle was released, is of another kind, or never existed. */
    APUS_ERROR_HANDLE = 8,
    /* The process was forked after threads of the library had started. */
    APUS_ERROR_FORK = 9,
    /* One picture cannot be read, decoded or predicted; others are not affected. */
    APUS_ERROR_PICTURE = 10,
    /* The library has an internal error. */
    APUS_ERROR_BUG = 11,
    /* There is nothing more to read. This is no failure. */
    APUS_END = 12,
    /* The time to wait has passed. This is no failure. */
    APUS_TIMEOUT = 13
};

/* Why a function failed. Text that is too long is cut. */
typedef struct apus_error {
    apus_status status;
    /* A short name of what is wrong, such as "truncated"; it stays the same between versions. */
    char code[60];
    /*
     * The file, the backend, or the stage of a picture that is at fault; empty when there is none. Where one node of a
     * network is at fault, it follows, as in `m.onnx: node "conv1"`.
     */
    char place[1024];
    /* One line for people. It names the place, and holds no control characters, whatever names in files hold. */
    char message[4096];
} apus_error;

/* ---- Handles ---- */

typedef struct apus_text apus_text;
typedef struct apus_options apus_options;
typedef struct apus_model apus_model;
typedef struct apus_session apus_session;
typedef struct apus_tensor apus_tensor;
typedef struct apus_picture apus_picture;
typedef struct apus_predictor apus_predictor;
typedef struct apus_answer apus_answer;
typedef struct apus_rows apus_rows;
typedef struct apus_work apus_work;

/* Adds a reference to a handle, which is then released once more. */
apus_status apus_retain(const void *handle, apus_error *error);

/* Releases a handle. What it stands for ends with its last reference, once no call uses it. NULL is allowed. */
apus_status apus_release(const void *handle, apus_error *error);

/* The text of a handle, and its length in bytes without the zero byte. Either may be NULL. */
apus_status apus_text_get(const apus_text *text, const char **string, size_t *length, apus_error *error);

/* ---- The library ---- */

/* The version, such as "0.1.0". */
const char *apus_version(void);

/* The processor, the backends and the devices, as the JSON that `apus devices --json` prints. */
apus_status apus_devices(apus_text **json, apus_error *error);

enum {
    APUS_LOG_TRACE,
    APUS_LOG_DEBUG,
    APUS_LOG_INFO,
    APUS_LOG_NOTICE,
    APUS_LOG_WARNING,
    APUS_LOG_ERROR,
    APUS_LOG_CRITICAL
};

/* Receives a message for people. It may be called from any thread, also from several at once. */
typedef void (*apus_log_function)(int32_t level, const char *message, void *context);

/* Sets the function that receives messages of this level and above; with NULL, which is the default, none are sent. */
apus_status apus_set_log(apus_log_function function, void *context, int32_t minimum_level, apus_error *error);

/* ---- Options ---- */

/* Makes options, all of them unset. */
apus_status apus_options_create(apus_options **options, apus_error *error);

/*
 * Sets an option. Names and values are those of `apus predict`, without the dashes in front: "threads" and "2", "task"
 * and "detect", "min-confidence" and "0.5". An option without a value, such as "class-agnostic", takes NULL. Options
 * that may be repeated are set again for each value. They are checked where they are used, and those that a function
 * does not need are passed over. One set may serve for a model, its session and its runs.
 *
 * Differently from the command, "streams" is 1 unless set. As many streams as threads give the most pictures a second.
 */
apus_status apus_options_set(apus_options *options, const char *name, const char *value, apus_error *error);

/* ---- Models ---- */

enum { APUS_MAXIMUM_RANK = 16 };

typedef int32_t apus_element_type;

enum {
    APUS_FLOAT32 = 1,
    APUS_FLOAT16 = 2,
    APUS_FLOAT64 = 3,
    APUS_BFLOAT16 = 4,
    APUS_INT8 = 5,
    APUS_UINT8 = 6,
    APUS_INT16 = 7,
    APUS_UINT16 = 8,
    APUS_INT32 = 9,
    APUS_UINT32 = 10,
    APUS_INT64 = 11,
    APUS_UINT64 = 12,
    APUS_BOOL = 13
};

/* An input or an output of a network. */
typedef struct apus_value {
    const char *name;
    /* 0 when it is not known, or is a type that tensors of this interface do not have. */
    apus_element_type type;
    /* The number of axes; -1 when it is not known. */
    int32_t rank;
    /* The extent of each axis, outermost first; -1 where it is open. */
    int64_t extents[APUS_MAXIMUM_RANK];
    /* The name of each open extent; NULL for extents that are fixed or have no name. */
    const char *symbols[APUS_MAXIMUM_RANK];
} apus_value;

/*
 * Reads a model file, or builds a network of the zoo ("zoo:NAME"), with what the files beside it say. Options may be
 * NULL; those for reading are "seed", "memory-limit" and "input-size".
 */
apus_status apus_model_open(const char *path, const apus_options *options, apus_model **model, apus_error *error);

/* Reads the content of a model file, which is copied. Errors begin with `name`. */
apus_status apus_model_read(
    const void *bytes, size_t count, const char *name, const apus_options *options, apus_model **model,
    apus_error *error);

apus_status apus_model_input_count(const apus_model *model, size_t *count, apus_error *error);
apus_status apus_model_output_count(const apus_model *model, size_t *count, apus_error *error);
apus_status apus_model_input(const apus_model *model, size_t index, apus_value *value, apus_error *error);
apus_status apus_model_output(const apus_model *model, size_t index, apus_value *value, apus_error *error);

/* What the model is and what it is for, as the JSON that `apus inspect --json` prints. */
apus_status apus_model_describe(const apus_model *model, apus_text **json, apus_error *error);

/* ---- Tensors ---- */

/* The elements of a tensor. */
typedef struct apus_elements {
    apus_element_type type;
    int32_t rank;
    /* The extent of each axis, outermost first. */
    int64_t extents[APUS_MAXIMUM_RANK];
    /* The distance between neighbors along each axis, in elements. */
    int64_t strides[APUS_MAXIMUM_RANK];
    /* The first element; it may only be read. */
    const void *data;
} apus_elements;

/* Is called once, when nothing reads the memory any more, from any thread. */
typedef void (*apus_deleter)(void *context);

/* Makes a tensor with a copy of elements in row-major order; `byte_count` is their exact size. */
apus_status apus_tensor_copy(
    apus_element_type type, int32_t rank, const int64_t *extents, const void *data, size_t byte_count,
    apus_tensor **tensor, apus_error *error);

/*
 * Makes a tensor that reads the caller's memory, which must not change before the deleter is called. The deleter may be
 * NULL. It is also called when the function fails.
 *
 * `strides` are in elements and not negative, or NULL for row-major order. No element may end behind `byte_count`.
 */
apus_status apus_tensor_borrow(
    apus_element_type type, int32_t rank, const int64_t *extents, const int64_t *strides, const void *data,
    size_t byte_count, apus_deleter deleter, void *context, apus_tensor **tensor, apus_error *error);

/* The elements of a tensor, which live as long as its handle. */
apus_status apus_tensor_get(const apus_tensor *tensor, apus_elements *elements, apus_error *error);

/*
 * Makes a tensor that reads the memory of a DLManagedTensor, or with `is_versioned` of a DLManagedTensorVersioned. The
 * tensor calls its deleter. When the function fails, the deleter is not called, and the caller keeps it.
 *
 * Source: https://dmlc.github.io/dlpack/latest/c_api.html
 */
apus_status apus_tensor_from_dlpack(void *managed, int32_t is_versioned, apus_tensor **tensor, apus_error *error);

/*
 * Makes a DLManagedTensor, or with `is_versioned` a DLManagedTensorVersioned, that shares the memory of a tensor.
 * The caller calls its deleter.
 */
apus_status apus_tensor_to_dlpack(
    const apus_tensor *tensor, int32_t is_versioned, void **managed, apus_error *error);

/* ---- Sessions: a network that runs on tensors ---- */

/*
 * Makes a model ready to run. Options may be NULL; those of sessions are "threads", "streams", "backend", "device",
 * "precision", "instructions", "tuning-file", "no-tuning", "loop-seconds" and "profile". "instructions" holds for the
 * whole process, and is refused where it uses others already.
 */
apus_status apus_session_start(
    const apus_model *model, const apus_options *options, apus_session **session, apus_error *error);

/*
 * Runs a network once. The calling thread takes part in computing.
 *
 * `names` has the name of each input, or is NULL when inputs are in the network's order. `output_names` has the name of
 * each output that is wanted, or is NULL for the first `output_count` in the network's order. The caller releases the
 * outputs.
 */
apus_status apus_session_run(
    const apus_session *session, const char *const *names, const apus_tensor *const *inputs, size_t input_count,
    const char *const *output_names, apus_tensor **outputs, size_t output_count, apus_error *error);

/* Is called once, when work has ended in any way, from a thread of the library. It must not block. */
typedef void (*apus_callback)(const apus_work *work, void *context);

/* Begins a run. The callback may be NULL. The outputs are got from the work. */
apus_status apus_session_run_async(
    const apus_session *session, const char *const *names, const apus_tensor *const *inputs, size_t input_count,
    apus_callback callback, void *context, apus_work **work, apus_error *error);

/* What runs each layer for a batch, and why, as the JSON that `apus plan --json` prints. */
apus_status apus_session_plan(const apus_session *session, int64_t batch, apus_text **json, apus_error *error);

/* Where the time of all runs went, as JSON; APUS_ERROR_ARGUMENT without the option "profile". */
apus_status apus_session_profile(const apus_session *session, apus_text **json, apus_error *error);

/* ---- Pictures ---- */

/* A picture file; it is read where the picture is predicted. */
apus_status apus_picture_file(const char *path, apus_picture **picture, apus_error *error);

/* The content of a picture file, which is copied. */
apus_status apus_picture_bytes(const void *bytes, size_t count, apus_picture **picture, apus_error *error);

/*
 * Pixels of 8 bits, which are copied: 1 (gray), 3 (RGB) or 4 (RGBA, of which alpha is ignored) numbers each.
 * `row_stride` is the distance between rows in bytes, or 0 where they follow one another.
 */
apus_status apus_picture_pixels(
    const void *pixels, int64_t width, int64_t height, int32_t channels, size_t row_stride, size_t byte_count,
    apus_picture **picture, apus_error *error);

/* The numbers that the network takes for one picture, without the axis of the batch and without preprocessing. */
apus_status apus_picture_tensor(const apus_tensor *tensor, apus_picture **picture, apus_error *error);

/* ---- Predictors: a model that answers about pictures ---- */

/* Opens a model file, a network of the zoo or a recipe, and makes it ready. Options are those of `apus predict`. */
apus_status apus_predictor_open(
    const char *path, const apus_options *options, apus_predictor **predictor, apus_error *error);

/* Makes a model ready to answer about pictures. */
apus_status apus_predictor_start(
    const apus_model *model, const apus_options *options, apus_predictor **predictor, apus_error *error);

/* The task, the labels, the preprocessing and the form of answers, as JSON. */
apus_status apus_predictor_describe(const apus_predictor *predictor, apus_text **json, apus_error *error);

/* The answer to each picture, in their order. The caller releases the answers, which may also be errors. */
apus_status apus_predictor_predict(
    const apus_predictor *predictor, const apus_picture *const *pictures, size_t count, apus_answer **answers,
    apus_error *error);

/* Begins to predict. The callback may be NULL. The answers are got from the work. */
apus_status apus_predictor_predict_async(
    const apus_predictor *predictor, const apus_picture *const *pictures, size_t count, apus_callback callback,
    void *context, apus_work **work, apus_error *error);

/* ---- Answers ---- */

/* A point in fractions of the upright picture, from its upper left; corners of lines of text are in pixels. */
typedef struct apus_point {
    const char *name; /* NULL when it has none. */
    float x, y;
    float z;          /* NaN when there is none. */
    float confidence; /* NaN when it is not known. */
} apus_point;

/* A class, an object, a segment, a person, or a line of text. */
typedef struct apus_item {
    int32_t index;         /* The class; -1 when there is none. */
    const char *label;     /* The name of the class, or the text of the line; NULL when there is none. */
    float confidence;      /* NaN when it is not known. */
    float box[4];          /* x, y, width and height in fractions of the picture; NaN when there is none. */
    int64_t track;         /* The number of the object in all frames of a video; -1 when there is none. */
    int64_t area;          /* The number of pixels; -1 when there are none. */
    /* Keypoints; the four corners of a turned box or of a line of text, clockwise. */
    const apus_point *points;
    size_t point_count;
    const uint32_t *runs;  /* The mask as COCO's runs: of zeros and ones by turns, column after column. */
    size_t run_count;
} apus_item;

/* APUS_OK, or why the picture has no answer, with the stage at fault as the place. */
apus_status apus_answer_check(const apus_answer *answer, apus_error *error);

/*
 * "classes", "heads", "objects", "segments", "instances", "poses", "landmarks", "embeddings", "depth", "image", "text",
 * "regression", "parts" or "outputs".
 */
apus_status apus_answer_kind(const apus_answer *answer, const char **kind, apus_error *error);

/* The size of the upright picture in pixels; 0 where it is not known. */
apus_status apus_answer_size(const apus_answer *answer, int64_t *width, int64_t *height, apus_error *error);

/* The row of `apus predict` for this answer, as JSON of one line. */
apus_status apus_answer_json(const apus_answer *answer, const char *id, apus_text **json, apus_error *error);

/* The items of an answer. An answer that is an error has none, and is no failure here. */
apus_status apus_answer_item_count(const apus_answer *answer, size_t *count, apus_error *error);
apus_status apus_answer_item(const apus_answer *answer, size_t index, apus_item *item, apus_error *error);

/*
 * The mask of a segment or an instance: 0 or 1 for each pixel of the picture, row after row. `count` is width ×
 * height.
 */
apus_status apus_answer_mask(
    const apus_answer *answer, size_t index, uint8_t *pixels, size_t count, apus_error *error);

/*
 * The numbers of an answer: scores of all classes, a vector, a map of depth, the pixels that were made, estimated
 * numbers, or outputs.
 * The name lives as long as the answer; the caller releases the tensor.
 */
apus_status apus_answer_tensor_count(const apus_answer *answer, size_t *count, apus_error *error);
apus_status apus_answer_tensor(
    const apus_answer *answer, size_t index, const char **name, apus_tensor **tensor, apus_error *error);

/*
 * What the further stages of a recipe say about an item, in the order of the stages: each is an answer of its own, with
 * boxes and points of the whole picture. There are none where the model is no recipe. The name of the stage lives as
 * long as the answer; the caller releases the part. `stage` may be NULL.
 */
apus_status apus_answer_part_count(const apus_answer *answer, size_t item, size_t *count, apus_error *error);
apus_status apus_answer_part(
    const apus_answer *answer, size_t item, size_t index, const char **stage, apus_answer **part, apus_error *error);

/* ---- Runs over datasets ---- */

/*
 * Begins to predict files, folders, lists, archives, arrays or videos, as `apus predict` takes them. Rows are computed
 * a few batches ahead of those that are asked for.
 */
apus_status apus_rows_start(
    const apus_predictor *predictor, const char *const *inputs, size_t count, const apus_options *options,
    apus_rows **rows, apus_error *error);

/* The next row as JSON of one line, and its answer, either of which may be NULL; APUS_END behind the last one. */
apus_status apus_rows_next(apus_rows *rows, apus_text **json, apus_answer **answer, apus_error *error);

/*
 * Waits until apus_rows_next() need not wait, at most `seconds`, or without limit where they are negative. Returns
 * APUS_OK or APUS_TIMEOUT.
 */
apus_status apus_rows_wait(apus_rows *rows, double seconds, apus_error *error);

/* How far a run is. */
typedef struct apus_progress {
    int64_t total;     /* The number of records; -1 when it is not known. */
    int64_t succeeded; /* The number of rows with an answer, those of an earlier part of the run included. */
    int64_t failed;    /* The number of rows with an error, likewise. */
    int64_t resumed;   /* The number of rows from an earlier part of the run. */
} apus_progress;

/* Is called from a thread of the library, one call at a time. It must not block. */
typedef void (*apus_progress_function)(const apus_progress *progress, void *context);

/*
 * Begins to predict a dataset into a file. With the option "resume" it goes on behind the rows that the file has.
 * Cancelling the work lets records in flight end, and commits them.
 */
apus_status apus_run_start(
    const apus_predictor *predictor, const char *const *inputs, size_t count, const char *output,
    const apus_options *options, apus_progress_function progress, apus_callback callback, void *context,
    apus_work **work, apus_error *error);

/* ---- Work that was begun ---- */

/*
 * Waits until work has ended, at most `seconds`, or without limit where they are negative. Returns how the work
 * ended, or APUS_TIMEOUT.
 */
apus_status apus_work_wait(const apus_work *work, double seconds, apus_error *error);

/* Asks work to end. It ends soon, with APUS_ERROR_CANCELLED unless it was done. */
apus_status apus_work_cancel(const apus_work *work, apus_error *error);

/* The outputs of a run that has ended, as apus_session_run() gives them. */
apus_status apus_work_outputs(
    const apus_work *work, const char *const *output_names, apus_tensor **outputs, size_t output_count,
    apus_error *error);

/* The answers of predictions that have ended. */
apus_status apus_work_answers(const apus_work *work, apus_answer **answers, size_t count, apus_error *error);

/* The progress of a run over a dataset, also while it goes on. */
apus_status apus_work_progress(const apus_work *work, apus_progress *progress, apus_error *error);

/* The summary of a run over a dataset that has ended, as JSON. */
apus_status apus_work_summary(const apus_work *work, apus_text **json, apus_error *error);

/* A callback that adds 1 to an eventfd, whose number is the context. */
void apus_signal_eventfd(const apus_work *work, void *context);

/* ---- Measuring ---- */

/*
 * The times of runs with made-up inputs, as the JSON that `apus bench --json` prints. Options are those of sessions;
 * "batch", 1 unless set; and "time", the seconds to measure.
 */
apus_status apus_model_bench(
    const apus_model *model, const apus_options *options, apus_text **json, apus_error *error);

/*
 * Times configurations in turns, layer by layer, and compares their outputs with an evaluation in float64: the JSON
 * that `apus compare --json` prints.
 *
 * A configuration is a backend, several such as "opencl+cpu", or "NAME=KEY:VALUE,..." as `apus compare` takes it;
 * without any, "cpu" is compared with "openblas" if that is installed. Inputs are pictures, folders or arrays; without
 * any, random numbers. Options are "batch", "rounds", "seconds", "tolerance", "limit" and "no-agreement" of
 * `apus compare`, and those of sessions, datasets and preprocessing. A disagreement is no error, but "agrees" is false.
 */
apus_status apus_model_compare(
    const apus_model *model, const char *const *configurations, size_t configuration_count, const char *const *inputs,
    size_t input_count, const apus_options *options, apus_text **json, apus_error *error);

#ifdef __cplusplus
}
#endif

#endif
