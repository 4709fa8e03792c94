#include "support.h"

#include <stdarg.h>
#include <sys/wait.h>

apus_error error;

static const char *program, *fixtures, *command;

void begin(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s FIXTURES COMMAND\n", argv[0]);
        exit(2);
    }
    program = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
    fixtures = argv[1];
    command = argv[2];
}

int end(void) {
    printf("%s: passed\n", program);
    return 0;
}

const char *fixture(const char *name) {
    static char paths[8][1024];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", fixtures, name);
    return path;
}

void fail(const char *file, int line, const char *what, const char *message) {
    fprintf(stderr, "%s:%d: %s %s\n", file, line, what, message);
    exit(1);
}

void check_failure(
    const char *file, int line, const char *call, apus_status found, apus_status wanted, const char *code,
    const char *place) {
    const size_t length = strlen(error.place), ending = strlen(place);
    const int is_place =
        ending == 0 ? length == 0 : length >= ending && strcmp(error.place + length - ending, place) == 0;
    if (found == wanted && error.status == wanted && strcmp(error.code, code) == 0 && is_place && error.message[0])
        return;
    fprintf(stderr, "status %d, code \"%s\", place \"%s\": ", (int)found, error.code, error.place);
    fail(file, line, call, error.message);
}

char *read_file(const char *path, size_t *count) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) fail(__FILE__, __LINE__, path, "cannot be opened");
    CHECK(fseek(file, 0, SEEK_END) == 0);
    const long length = ftell(file);
    CHECK(length >= 0);
    rewind(file);
    char *content = (char *)malloc((size_t)length + 1);
    CHECK(content != NULL);
    CHECK(fread(content, 1, (size_t)length, file) == (size_t)length);
    fclose(file);
    content[length] = 0;
    if (count != NULL) *count = (size_t)length;
    return content;
}

void write_file(const char *path, const void *content, size_t count) {
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    CHECK(fwrite(content, 1, count, file) == count);
    CHECK(fclose(file) == 0);
}

int run_command(const char *format, ...) {
    char arguments[3072], line[4096];
    va_list list;
    va_start(list, format);
    CHECK((size_t)vsnprintf(arguments, sizeof arguments, format, list) < sizeof arguments);
    va_end(list);
    CHECK((size_t)snprintf(line, sizeof line, "'%s' %s >output.txt", command, arguments) < sizeof line);
    const int status = system(line);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

const char *string_of(const apus_text *text) {
    const char *string = NULL;
    size_t length = 0;
    OK(apus_text_get(text, &string, &length, &error));
    CHECK(strlen(string) == length);
    return string;
}

void check_same(const char *file, int line, apus_text *text, const char *wanted) {
    const char *found = string_of(text);
    size_t length = strlen(wanted);
    while (length > 0 && wanted[length - 1] == '\n') length--;
    if (strlen(found) != length || memcmp(found, wanted, length) != 0) {
        fprintf(stderr, "found %.2000s\nwanted %.2000s\n", found, wanted);
        fail(file, line, "the texts differ", "");
    }
    release(text);
}

void release(const void *handle) { OK(apus_release(handle, &error)); }

float *numbers(size_t count) {
    float *values = (float *)malloc(count * sizeof(float) + 1);
    CHECK(values != NULL);
    uint32_t state = 12345;
    for (size_t index = 0; index < count; index++) {
        state = state * 1664525u + 1013904223u;
        values[index] = (float)(int32_t)state / 2147483648.0f;
    }
    return values;
}

apus_tensor *tensor_of(const float *values, int32_t rank, const int64_t *extents) {
    size_t count = sizeof(float);
    for (int32_t axis = 0; axis < rank; axis++) count *= (size_t)extents[axis];
    apus_tensor *tensor = NULL;
    OK(apus_tensor_copy(APUS_FLOAT32, rank, extents, values, count, &tensor, &error));
    return tensor;
}

const float *floats(const apus_tensor *tensor) {
    apus_elements elements;
    OK(apus_tensor_get(tensor, &elements, &error));
    CHECK(elements.type == APUS_FLOAT32);
    return (const float *)elements.data;
}

void write_npy(const char *path, const float *values, int32_t rank, const int64_t *extents) {
    char header[128], shape[64] = "";
    size_t count = 1;
    for (int32_t axis = 0; axis < rank; axis++) {
        char extent[32];
        snprintf(extent, sizeof extent, "%lld, ", (long long)extents[axis]);
        strncat(shape, extent, sizeof shape - strlen(shape) - 1);
        count *= (size_t)extents[axis];
    }
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    char text[118];
    const int length =
        snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%s), }", shape);
    CHECK(length > 0 && (size_t)length < sizeof text);
    memcpy(header + 10, text, (size_t)length);
    header[127] = '\n';
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(header, 1, sizeof header, file) == sizeof header);
    CHECK(fwrite(values, sizeof(float), count, file) == count && fclose(file) == 0);
}

float *read_npy(const char *path, size_t *count) {
    size_t length = 0;
    char *content = read_file(path, &length);
    CHECK(length > 10 && memcmp(content, "\x93NUMPY\x01", 7) == 0 && strstr(content + 10, "'<f4'") != NULL);
    const size_t start = 10 + (size_t)(unsigned char)content[8] + 256 * (size_t)(unsigned char)content[9];
    CHECK(start <= length);
    memmove(content, content + start, length - start);
    *count = (length - start) / sizeof(float);
    return (float *)(void *)content;
}

apus_session *session_of(const void *bytes, size_t count) {
    apus_model *model = NULL;
    apus_session *session = NULL;
    OK(apus_model_read(bytes, count, "network", NULL, &model, &error));
    OK(apus_session_start(model, NULL, &session, &error));
    release(model);
    return session;
}

apus_options *options_of(const char *name, ...) {
    apus_options *options = NULL;
    OK(apus_options_create(&options, &error));
    va_list list;
    va_start(list, name);
    for (; name != NULL; name = va_arg(list, const char *))
        OK(apus_options_set(options, name, va_arg(list, const char *), &error));
    va_end(list);
    return options;
}
