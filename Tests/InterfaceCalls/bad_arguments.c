#include "interface_calls.h"

#include "apus.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int failures;

/// The places of results, which only a call that succeeds may write.
static struct result {
    const void *place;
    size_t size;
} results[24];
static int result_count;
static unsigned char kept[4096];

/// Adds the place of a result.
static void add_result(const void *place, size_t size) {
    results[result_count++] = (struct result){place, size};
}

/// Copies all results, or compares them with the copies.
static int compare_results(int copies) {
    unsigned char *next = kept;
    for (int index = 0; index < result_count; index++) {
        if (copies) memcpy(next, results[index].place, results[index].size);
        else if (memcmp(next, results[index].place, results[index].size) != 0) return 0;
        next += results[index].size;
    }
    return 1;
}

/// Counts and prints a call with another outcome than the wanted one, without a message, or that wrote a result
/// although it failed.
static void check(apus_status found, apus_status wanted, const apus_error *error, const char *call) {
    if (found != APUS_OK && !compare_results(0)) {
        failures++;
        printf("%s: a result was written, although the call failed\n", call);
    }
    int is_described = error->status == found && (found == APUS_OK || error->message[0] != 0);
    if (found == wanted && is_described) return;
    failures++;
    printf("%s: %d instead of %d: %s\n", call, found, wanted, error->message);
}

#define WANT(wanted, ...) \
    do { \
        memset(&error, 'x', sizeof error); \
        compare_results(1); \
        check(__VA_ARGS__, wanted, &error, #__VA_ARGS__); \
    } while (0)

static apus_error error;
static const char *string;
static size_t count;
static int64_t number;
static apus_text *text;
static apus_options *options;
static apus_model *model;
static apus_session *session;
static apus_tensor *tensor;
static apus_picture *picture;
static apus_predictor *predictor;
static apus_answer *answer;
static apus_rows *rows;
static apus_work *work;
static apus_value value;
static apus_elements elements;
static apus_item item;
static apus_progress progress;
static void *managed;
static uint8_t pixels[4];
static const char *inputs[] = {"photos"};
static const int64_t extents[] = {1, 4};
static float numbers[4];

/// Names the place of every result of the calls below.
static void add_results(void) {
    add_result(&string, sizeof string);
    add_result(&count, sizeof count);
    add_result(&number, sizeof number);
    add_result(&text, sizeof text);
    add_result(&options, sizeof options);
    add_result(&model, sizeof model);
    add_result(&session, sizeof session);
    add_result(&tensor, sizeof tensor);
    add_result(&picture, sizeof picture);
    add_result(&predictor, sizeof predictor);
    add_result(&answer, sizeof answer);
    add_result(&rows, sizeof rows);
    add_result(&work, sizeof work);
    add_result(&value, sizeof value);
    add_result(&elements, sizeof elements);
    add_result(&item, sizeof item);
    add_result(&progress, sizeof progress);
    add_result(&managed, sizeof managed);
    add_result(pixels, sizeof pixels);
}

/// Calls every function that takes a handle with one that it should refuse.
static void call_with_handle(void *handle) {
    WANT(APUS_ERROR_HANDLE, apus_text_get(handle, &string, &count, &error));
    WANT(APUS_ERROR_HANDLE, apus_options_set(handle, "threads", "1", &error));
    WANT(APUS_ERROR_HANDLE, apus_model_input_count(handle, &count, &error));
    WANT(APUS_ERROR_HANDLE, apus_model_output_count(handle, &count, &error));
    WANT(APUS_ERROR_HANDLE, apus_model_input(handle, 0, &value, &error));
    WANT(APUS_ERROR_HANDLE, apus_model_output(handle, 0, &value, &error));
    WANT(APUS_ERROR_HANDLE, apus_model_describe(handle, &text, &error));
    WANT(APUS_ERROR_HANDLE, apus_model_bench(handle, NULL, &text, &error));
    WANT(APUS_ERROR_HANDLE, apus_model_compare(handle, NULL, 0, NULL, 0, NULL, &text, &error));
    WANT(APUS_ERROR_HANDLE, apus_tensor_get(handle, &elements, &error));
    WANT(APUS_ERROR_HANDLE, apus_tensor_to_dlpack(handle, 0, &managed, &error));
    WANT(APUS_ERROR_HANDLE, apus_session_start(handle, NULL, &session, &error));
    WANT(APUS_ERROR_HANDLE, apus_session_run(handle, NULL, NULL, 0, NULL, NULL, 0, &error));
    WANT(APUS_ERROR_HANDLE, apus_session_run_async(handle, NULL, NULL, 0, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_HANDLE, apus_session_plan(handle, 1, &text, &error));
    WANT(APUS_ERROR_HANDLE, apus_session_profile(handle, &text, &error));
    WANT(APUS_ERROR_HANDLE, apus_picture_tensor(handle, &picture, &error));
    WANT(APUS_ERROR_HANDLE, apus_predictor_start(handle, NULL, &predictor, &error));
    WANT(APUS_ERROR_HANDLE, apus_predictor_describe(handle, &text, &error));
    WANT(APUS_ERROR_HANDLE, apus_predictor_predict(handle, NULL, 0, NULL, &error));
    WANT(APUS_ERROR_HANDLE, apus_predictor_predict_async(handle, NULL, 0, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_check(handle, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_kind(handle, &string, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_size(handle, &number, &number, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_json(handle, "id", &text, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_item_count(handle, &count, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_item(handle, 0, &item, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_mask(handle, 0, pixels, 4, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_tensor_count(handle, &count, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_tensor(handle, 0, &string, &tensor, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_part_count(handle, 0, &count, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_part(handle, 0, 0, &string, &answer, &error));
    WANT(APUS_ERROR_HANDLE, apus_rows_start(handle, inputs, 1, NULL, &rows, &error));
    WANT(APUS_ERROR_HANDLE, apus_rows_next(handle, &text, &answer, &error));
    WANT(APUS_ERROR_HANDLE, apus_rows_wait(handle, 0, &error));
    WANT(APUS_ERROR_HANDLE, apus_run_start(handle, inputs, 1, "o.csv", NULL, NULL, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_HANDLE, apus_work_wait(handle, 0, &error));
    WANT(APUS_ERROR_HANDLE, apus_work_cancel(handle, &error));
    WANT(APUS_ERROR_HANDLE, apus_work_outputs(handle, NULL, &tensor, 1, &error));
    WANT(APUS_ERROR_HANDLE, apus_work_answers(handle, &answer, 1, &error));
    WANT(APUS_ERROR_HANDLE, apus_work_progress(handle, &progress, &error));
    WANT(APUS_ERROR_HANDLE, apus_work_summary(handle, &text, &error));
}

/// Calls the functions of which the handle is an argument beside others.
static void call_with_other_handle(void *handle) {
    const apus_tensor *tensors[] = {handle};
    const apus_picture *pictures[] = {handle};
    WANT(APUS_ERROR_HANDLE, apus_session_run(session, NULL, tensors, 1, NULL, &tensor, 1, &error));
    WANT(APUS_ERROR_HANDLE, apus_session_run_async(session, NULL, tensors, 1, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_HANDLE, apus_predictor_predict(predictor, pictures, 1, &answer, &error));
    WANT(APUS_ERROR_HANDLE, apus_predictor_predict_async(predictor, pictures, 1, NULL, NULL, &work, &error));
    if (handle == NULL) return;
    WANT(APUS_ERROR_HANDLE, apus_model_open("zoo:resnet18", handle, &model, &error));
    WANT(APUS_ERROR_HANDLE, apus_model_read("x", 1, "x", handle, &model, &error));
    WANT(APUS_ERROR_HANDLE, apus_model_compare(model, NULL, 0, NULL, 0, handle, &text, &error));
    WANT(APUS_ERROR_HANDLE, apus_predictor_open("zoo:resnet18", handle, &predictor, &error));
    WANT(APUS_ERROR_HANDLE, apus_rows_start(predictor, inputs, 1, handle, &rows, &error));
    WANT(APUS_ERROR_HANDLE, apus_run_start(predictor, inputs, 1, "o.csv", handle, NULL, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_HANDLE, apus_retain(handle, &error));
    WANT(APUS_ERROR_HANDLE, apus_release(handle, &error));
}

/// Calls every function with NULL for a result or a text.
static void call_with_null(void) {
    WANT(APUS_ERROR_HANDLE, apus_retain(NULL, &error));
    WANT(APUS_OK, apus_release(NULL, &error));
    WANT(APUS_OK, apus_set_log(NULL, NULL, APUS_LOG_INFO, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_devices(NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_options_create(NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_options_set(options, NULL, "1", &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_open(NULL, NULL, &model, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_open("zoo:resnet18", NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_read(NULL, 1, "x", NULL, &model, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_read("x", 1, NULL, NULL, &model, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_read("x", 1, "x", NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_input_count(model, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_output_count(model, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_input(model, 0, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_output(model, 0, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_describe(model, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_bench(model, NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_compare(model, NULL, 0, NULL, 0, NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_compare(model, NULL, 1, NULL, 0, NULL, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_compare(model, NULL, 0, NULL, 1, NULL, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(APUS_FLOAT32, 2, NULL, numbers, 16, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(APUS_FLOAT32, 2, extents, NULL, 16, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(APUS_FLOAT32, 2, extents, numbers, 16, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_tensor_borrow(APUS_FLOAT32, 2, extents, NULL, NULL, 16, NULL, NULL, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_tensor_borrow(APUS_FLOAT32, 2, extents, NULL, numbers, 16, NULL, NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_get(tensor, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_from_dlpack(NULL, 0, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_from_dlpack(NULL, 1, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_to_dlpack(tensor, 0, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_start(model, NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run(session, NULL, NULL, 1, NULL, &tensor, 1, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_session_run(session, NULL, (const apus_tensor *const *)&tensor, 1, NULL, NULL, 1, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run_async(session, NULL, NULL, 1, NULL, NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_plan(session, 1, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_profile(session, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_file(NULL, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_file("x", NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_bytes(NULL, 1, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_bytes("x", 1, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(NULL, 1, 1, 3, 0, 3, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(pixels, 1, 1, 3, 0, 3, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_tensor(tensor, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_predictor_open(NULL, NULL, &predictor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_predictor_open("zoo:resnet18", NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_predictor_start(model, NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_predictor_describe(predictor, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_predictor_predict(predictor, NULL, 1, &answer, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_predictor_predict(predictor, (const apus_picture *const *)&picture, 1, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_predictor_predict_async(predictor, NULL, 1, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_kind(answer, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_size(answer, NULL, &number, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_size(answer, &number, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_json(answer, NULL, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_json(answer, "id", NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_item_count(answer, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_item(answer, 0, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_mask(answer, 0, NULL, 4, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_tensor_count(answer, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_tensor(answer, 0, &string, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_part_count(answer, 0, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_part(answer, 0, 0, &string, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_rows_start(predictor, NULL, 1, NULL, &rows, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_rows_start(predictor, inputs, 1, NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_run_start(predictor, inputs, 1, NULL, NULL, NULL, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_run_start(predictor, NULL, 1, "o.csv", NULL, NULL, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_run_start(predictor, inputs, 1, "o.csv", NULL, NULL, NULL, NULL, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_work_progress(work, NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_work_outputs(work, NULL, NULL, 1, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_work_answers(work, &answer, 1, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_work_summary(work, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_work_summary(work, NULL, &error));
    apus_signal_eventfd(NULL, (void *)(intptr_t)-1);
    // The place of an error is never needed.
    if (apus_model_open("/no/such.onnx", NULL, &model, NULL) != APUS_ERROR_FILE) failures++;
    if (apus_release((void *)8, NULL) != APUS_ERROR_HANDLE) failures++;
}

/// Calls functions with numbers and texts that do not fit.
static void call_with_numbers(void) {
    const int64_t negative[] = {1, -4}, large[] = {INT64_MAX, INT64_MAX}, far[] = {INT64_MAX, 1};
    const char *broken = "\xFF\xFE";
    const apus_tensor *tensors[] = {tensor};
    WANT(APUS_ERROR_ARGUMENT, apus_set_log(NULL, NULL, -1, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_set_log(NULL, NULL, 99, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_options_set(options, "Not A Name", "1", &error));
    WANT(APUS_ERROR_ARGUMENT, apus_options_set(options, "", "1", &error));
    WANT(APUS_ERROR_ARGUMENT, apus_options_set(options, "help", NULL, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_options_set(options, "threads", broken, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_open(broken, NULL, &model, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_read("x", SIZE_MAX, "x", NULL, &model, &error));
    WANT(APUS_ERROR_INVALID_MODEL, apus_model_read("", 0, "empty", NULL, &model, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_input(model, 1, &value, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_input(model, SIZE_MAX, &value, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_output(model, SIZE_MAX, &value, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_compare(model, inputs, SIZE_MAX, NULL, 0, NULL, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_compare(model, inputs, 65, NULL, 0, NULL, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_compare(model, &broken, 1, NULL, 0, NULL, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_model_compare(model, NULL, 0, inputs, SIZE_MAX, NULL, &text, &error));
    WANT(APUS_ERROR_BACKEND, apus_model_compare(model, inputs, 1, NULL, 0, NULL, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(0, 2, extents, numbers, 16, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(99, 2, extents, numbers, 16, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(INT32_MIN, 2, extents, numbers, 16, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(APUS_FLOAT32, -1, extents, numbers, 16, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(APUS_FLOAT32, 17, extents, numbers, 16, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(APUS_FLOAT32, INT32_MAX, extents, numbers, 16, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(APUS_FLOAT32, 2, negative, numbers, 16, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(APUS_FLOAT32, 2, large, numbers, 16, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(APUS_FLOAT32, 2, extents, numbers, 15, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_tensor_copy(APUS_FLOAT32, 2, extents, numbers, SIZE_MAX, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_tensor_borrow(APUS_FLOAT32, 2, extents, NULL, numbers, 15, NULL, NULL, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_tensor_borrow(APUS_FLOAT32, 2, extents, NULL, (char *)numbers + 1, 16, NULL, NULL, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_tensor_borrow(APUS_FLOAT32, 2, extents, negative, numbers, 16, NULL, NULL, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_tensor_borrow(APUS_FLOAT32, 2, extents, large, numbers, 16, NULL, NULL, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_tensor_borrow(APUS_FLOAT32, 2, far, NULL, numbers, 16, NULL, NULL, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_tensor_borrow(APUS_FLOAT32, 2, extents, NULL, numbers, SIZE_MAX, NULL, NULL, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run(session, NULL, tensors, 0, NULL, &tensor, 1, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run(session, NULL, tensors, SIZE_MAX, NULL, &tensor, 1, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run(session, NULL, tensors, 1, NULL, &tensor, 2, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run(session, NULL, tensors, 1, NULL, &tensor, SIZE_MAX, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run(session, &broken, tensors, 1, NULL, &tensor, 1, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run(session, inputs, tensors, 1, NULL, &tensor, 1, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run(session, NULL, tensors, 1, inputs, &tensor, 1, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run(session, NULL, tensors, 1, NULL, &tensor, 1, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_run_async(session, NULL, tensors, SIZE_MAX, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_plan(session, 0, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_plan(session, INT64_MIN, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_plan(session, INT64_MAX, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_session_profile(session, &text, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_bytes("x", SIZE_MAX, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_bytes("x", SIZE_MAX / 4, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(pixels, 0, 1, 3, 0, 4, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(pixels, 1, -1, 3, 0, 4, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(pixels, INT64_MAX, INT64_MAX, 3, 0, 4, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(pixels, 1, 1, 2, 0, 4, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(pixels, 1, 2, 3, 0, 4, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(pixels, 1, 1, 3, 1, 4, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(pixels, 1, 2, 3, SIZE_MAX, 4, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(pixels, 1, 2, 3, SIZE_MAX / 4, 4, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_picture_pixels(pixels, 65536, 65536, 1, 0, SIZE_MAX / 4, &picture, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_predictor_predict(predictor, (const apus_picture *const *)&picture, SIZE_MAX, &answer, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_predictor_predict(predictor, (const apus_picture *const *)&picture, 65537, &answer, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_item(answer, SIZE_MAX, &item, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_item(answer, 5, &item, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_mask(answer, 0, pixels, 4, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_mask(answer, SIZE_MAX, pixels, SIZE_MAX, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_tensor(answer, 2, &string, &tensor, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_part_count(answer, SIZE_MAX, &count, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_part_count(answer, 5, &count, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_part(answer, 0, 0, &string, &answer, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_answer_part(answer, SIZE_MAX, SIZE_MAX, &string, &answer, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_rows_start(predictor, inputs, SIZE_MAX, NULL, &rows, &error));
    WANT(APUS_ERROR_ARGUMENT,
        apus_run_start(predictor, inputs, SIZE_MAX, "o.csv", NULL, NULL, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_work_wait(work, 0.0 / 0.0, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_work_answers(work, &answer, SIZE_MAX, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_work_outputs(work, NULL, &tensor, SIZE_MAX, &error));
}

int interface_calls_with_bad_arguments(const char *path, const char *photo) {
    failures = 0;
    result_count = 0;
    add_results();
    WANT(APUS_OK, apus_options_create(&options, &error));
    WANT(APUS_OK, apus_model_open(path, NULL, &model, &error));
    WANT(APUS_OK, apus_session_start(model, NULL, &session, &error));
    WANT(APUS_OK, apus_predictor_start(model, NULL, &predictor, &error));
    WANT(APUS_OK, apus_tensor_copy(APUS_FLOAT32, 2, extents, numbers, 16, &tensor, &error));
    WANT(APUS_OK, apus_picture_file(photo, &picture, &error));
    const apus_picture *pictures[] = {picture};
    WANT(APUS_OK, apus_predictor_predict(predictor, pictures, 1, &answer, &error));
    // The shape of the tensor does not fit, so that the work fails.
    const apus_tensor *tensors[] = {tensor};
    WANT(APUS_OK, apus_session_run_async(session, NULL, tensors, 1, NULL, NULL, &work, &error));
    WANT(APUS_ERROR_ARGUMENT, apus_work_wait(work, -1, &error));
    apus_session *released_session = NULL;
    WANT(APUS_OK, apus_session_start(model, NULL, &released_session, &error));
    WANT(APUS_OK, apus_release(released_session, &error));

    void *bad_handles[] = {
        NULL, released_session, (void *)1, (void *)16, (void *)UINTPTR_MAX, (void *)(UINTPTR_MAX / 2), &error,
        (char *)session + 16,
    };
    for (size_t index = 0; index < sizeof bad_handles / sizeof *bad_handles; index++) {
        call_with_handle(bad_handles[index]);
        call_with_other_handle(bad_handles[index]);
    }
    // A handle of another kind. Nothing takes a list of rows where a text, a model or work is wanted, and so on.
    WANT(APUS_ERROR_HANDLE, apus_text_get((apus_text *)model, &string, &count, &error));
    WANT(APUS_ERROR_HANDLE, apus_model_input_count((apus_model *)session, &count, &error));
    WANT(APUS_ERROR_HANDLE, apus_session_plan((apus_session *)model, 1, &text, &error));
    WANT(APUS_ERROR_HANDLE, apus_tensor_get((apus_tensor *)picture, &elements, &error));
    WANT(APUS_ERROR_HANDLE, apus_options_set((apus_options *)answer, "threads", "1", &error));
    WANT(APUS_ERROR_HANDLE, apus_predictor_describe((apus_predictor *)session, &text, &error));
    WANT(APUS_ERROR_HANDLE, apus_answer_check((apus_answer *)predictor, &error));
    WANT(APUS_ERROR_HANDLE, apus_rows_next((apus_rows *)work, &text, NULL, &error));
    WANT(APUS_ERROR_HANDLE, apus_work_wait((apus_work *)options, 0, &error));
    call_with_null();
    call_with_numbers();

    void *handles[] = {options, model, session, predictor, tensor, picture, answer, work};
    for (size_t index = 0; index < sizeof handles / sizeof *handles; index++) {
        WANT(APUS_OK, apus_retain(handles[index], &error));
        WANT(APUS_OK, apus_release(handles[index], &error));
        WANT(APUS_OK, apus_release(handles[index], &error));
        WANT(APUS_ERROR_HANDLE, apus_release(handles[index], &error));
    }
    return failures;
}
