#include "OpenJPEG.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const uint8_t *bytes;
    size_t count;
    size_t position;
} Reading;

static size_t readBytes(void *buffer, size_t count, void *data) {
    Reading *reading = data;
    size_t rest = reading->count - reading->position;
    if (rest == 0) {
        return (size_t)-1;
    }
    size_t wanted = count < rest ? count : rest;
    memcpy(buffer, reading->bytes + reading->position, wanted);
    reading->position += wanted;
    return wanted;
}

static int64_t skip(int64_t count, void *data) {
    Reading *reading = data;
    if (count < 0 || (uint64_t)count > reading->count - reading->position) {
        return -1;
    }
    reading->position += (size_t)count;
    return count;
}

static int seek(int64_t position, void *data) {
    Reading *reading = data;
    if (position < 0 || (uint64_t)position > reading->count) {
        return 0;
    }
    reading->position = (size_t)position;
    return 1;
}

static void keepError(const char *text, void *data) {
    char *message = data;
    if (!message[0]) {
        snprintf(message, apus_openjpeg_message_capacity, "%s", text);
        message[strcspn(message, "\r\n")] = 0;
    }
}

apus_openjpeg_image *apus_openjpeg_decode(
    const apus_openjpeg *table, const uint8_t *bytes, size_t count, int format, char *message) {
    Reading reading = {bytes, count, 0};
    message[0] = 0;
    apus_openjpeg_image *image = NULL;
    int isDecoded = 0;
    void *parameters = calloc(1, apus_openjpeg_parameter_bytes);
    void *stream = table->opj_stream_create(1 << 16, 1);
    void *codec = table->opj_create_decompress(format);
    if (parameters && stream && codec) {
        table->opj_stream_set_read_function(stream, readBytes);
        table->opj_stream_set_skip_function(stream, skip);
        table->opj_stream_set_seek_function(stream, seek);
        table->opj_stream_set_user_data(stream, &reading, NULL);
        table->opj_stream_set_user_data_length(stream, count);
        table->opj_set_error_handler(codec, keepError, message);
        table->opj_set_default_decoder_parameters(parameters);
        isDecoded = table->opj_setup_decoder(codec, parameters) && table->opj_read_header(stream, codec, &image) &&
                    table->opj_decode(codec, stream, image) && table->opj_end_decompress(codec, stream);
    } else {
        keepError("not enough memory", message);
    }
    if (!isDecoded && image) {
        table->opj_image_destroy(image);
        image = NULL;
    }
    if (codec) {
        table->opj_destroy_codec(codec);
    }
    if (stream) {
        table->opj_stream_destroy(stream);
    }
    free(parameters);
    return image;
}
