/* Tensors that copy, borrow, and share memory by DLPack. */
#include "support.h"

/* The layout of DLPack 1. Source: https://dmlc.github.io/dlpack/latest/c_api.html */
typedef struct dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t rank;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *extents, *strides;
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed {
    dl_tensor tensor;
    void *context;
    void (*deleter)(struct dl_managed *managed);
} dl_managed;

typedef struct dl_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct dl_versioned *managed);
    uint64_t flags;
    dl_tensor tensor;
} dl_versioned;

static int64_t extents[] = {3, 2};
static float rows[] = {1, 2, 3, 4, 5, 6}, columns[] = {1, 3, 5, 2, 4, 6};
static int deletions;

static void count_deletion(void *context) {
    CHECK(context == rows || context == columns);
    deletions++;
}
static void delete_managed(dl_managed *managed) { count_deletion(managed->context); }
static void delete_versioned(dl_versioned *managed) { count_deletion(managed->context); }

/* Runs the doubling network, releases the tensor, and gives the output. */
static apus_tensor *doubled(const apus_session *session, const apus_tensor *input) {
    const apus_tensor *inputs[] = {input};
    apus_tensor *output = NULL;
    OK(apus_session_run(session, NULL, inputs, 1, NULL, &output, 1, &error));
    const float *found = floats(output);
    for (int index = 0; index < 6; index++) CHECK(found[index] == 2.0f * (float)(index + 1));
    CHECK(rows[0] == 1 && columns[1] == 3);
    return output;
}

static void borrow(const apus_session *session) {
    const int64_t strides[] = {1, 3}, negative[] = {-2, 1};
    apus_tensor *tensor = NULL;
    deletions = 0;
    OK(apus_tensor_borrow(
        APUS_FLOAT32, 2, extents, NULL, rows, sizeof rows, count_deletion, rows, &tensor, &error));
    release(doubled(session, tensor));
    /* The tensor is kept until its last reference. */
    OK(apus_retain(tensor, &error));
    release(tensor);
    CHECK(deletions == 0 && floats(tensor) == rows);
    release(tensor);
    CHECK(deletions == 1);
    OK(apus_tensor_borrow(
        APUS_FLOAT32, 2, extents, strides, columns, sizeof columns, count_deletion, columns, &tensor, &error));
    release(doubled(session, tensor));
    apus_elements elements;
    OK(apus_tensor_get(tensor, &elements, &error));
    CHECK(elements.data == columns && elements.strides[0] == 1 && elements.strides[1] == 3);
    release(tensor);
    CHECK(deletions == 2);
    /* The deleter is also called when the function fails. */
    FAILS(apus_tensor_borrow(APUS_FLOAT32, 2, extents, negative, rows, sizeof rows, count_deletion, rows, &tensor,
              &error), APUS_ERROR_ARGUMENT, "strides", "");
    CHECK(deletions == 3);
}

static void exchange(const apus_session *session) {
    apus_tensor *tensor = NULL;
    const dl_tensor plain = {rows, 1, 0, 2, 2, 32, 1, extents, NULL, 0};
    dl_managed managed = {plain, rows, delete_managed};
    dl_versioned versioned = {1, 0, rows, delete_versioned, 0, plain};
    deletions = 0;
    OK(apus_tensor_from_dlpack(&managed, 0, &tensor, &error));
    release(doubled(session, tensor));
    release(tensor);
    OK(apus_tensor_from_dlpack(&versioned, 1, &tensor, &error));
    apus_tensor *output = doubled(session, tensor);
    release(tensor);
    CHECK(deletions == 2);
    /* When the function fails, the caller keeps what it gave. */
    managed.tensor.device_type = 2;
    FAILS(apus_tensor_from_dlpack(&managed, 0, &tensor, &error), APUS_ERROR_ARGUMENT, "device", "");
    versioned.major = 2;
    FAILS(apus_tensor_from_dlpack(&versioned, 1, &tensor, &error), APUS_ERROR_ARGUMENT, "version", "");
    CHECK(deletions == 2);

    /* What is given out shares the memory, and lives longer than the tensor. */
    void *given[2] = {NULL, NULL};
    const float *data = floats(output);
    OK(apus_tensor_to_dlpack(output, 0, &given[0], &error));
    OK(apus_tensor_to_dlpack(output, 1, &given[1], &error));
    release(output);
    dl_managed *first = (dl_managed *)given[0];
    dl_versioned *second = (dl_versioned *)given[1];
    CHECK(second->major == 1);
    const dl_tensor *both[] = {&first->tensor, &second->tensor};
    for (int index = 0; index < 2; index++) {
        CHECK(both[index]->data == data && both[index]->byte_offset == 0 && both[index]->device_type == 1);
        CHECK(both[index]->rank == 2 && both[index]->extents[0] == 3 && both[index]->extents[1] == 2);
        CHECK(both[index]->code == 2 && both[index]->bits == 32 && both[index]->lanes == 1 && data[5] == 12);
    }
    first->deleter(first);
    CHECK(data[0] == 2);
    second->deleter(second);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    const network doubling = doubling_network();
    apus_session *session = session_of(doubling.bytes, doubling.count);
    apus_tensor *copy = tensor_of(rows, 2, extents), *output = NULL;
    release(doubled(session, copy));
    const char *name = "x", *wrong = "z", *wanted = "y";
    const apus_tensor *inputs[] = {copy};
    OK(apus_session_run(session, &name, inputs, 1, &wanted, &output, 1, &error));
    release(output);
    FAILS(apus_session_run(session, &wrong, inputs, 1, NULL, &output, 1, &error), APUS_ERROR_ARGUMENT, "argument", "");
    FAILS(apus_session_run(session, NULL, inputs, 1, &wrong, &output, 1, &error), APUS_ERROR_ARGUMENT, "outputs", "");
    release(copy);
    borrow(session);
    exchange(session);
    release(session);
    return end();
}
