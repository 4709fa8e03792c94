/* Files of ONNX, as messages of protocol buffers. Source: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto */
#include "support.h"

enum { FLOAT = 1, INT64 = 7, BOOL = 9 };

static void put(network *message, const void *bytes, size_t count) {
    CHECK(message->count + count <= sizeof message->bytes);
    memcpy(message->bytes + message->count, bytes, count);
    message->count += count;
}

static void put_number(network *message, unsigned long long number) {
    do {
        const unsigned char byte = (unsigned char)((number & 127) | (number > 127 ? 128 : 0));
        put(message, &byte, 1);
        number >>= 7;
    } while (number > 0);
}

static void number_field(network *message, unsigned field, unsigned long long number) {
    put_number(message, field << 3);
    put_number(message, number);
}

static void field(network *message, unsigned number, const void *bytes, size_t count) {
    put_number(message, number << 3 | 2);
    put_number(message, count);
    put(message, bytes, count);
}

static void text_field(network *message, unsigned number, const char *text) {
    field(message, number, text, strlen(text));
}

static void message_field(network *message, unsigned number, const network *part) {
    field(message, number, part->bytes, part->count);
}

/* A node with a name, and inputs and outputs that blanks separate. */
static network node(const char *operation, const char *name, const char *inputs, const char *outputs) {
    network message = {{0}, 0};
    const char *lists[] = {inputs, outputs};
    for (unsigned list = 0; list < 2; list++)
        for (const char *start = lists[list]; *start;) {
            const size_t length = strcspn(start, " ");
            field(&message, list + 1, start, length);
            start += length + (start[length] == ' ');
        }
    text_field(&message, 3, name);
    text_field(&message, 4, operation);
    return message;
}

/* A value with an element type and one or two extents; 0 is the open extent N, and -1 no axis. */
static network value(const char *name, int type, int first, int second) {
    network shape = {{0}, 0}, tensor = {{0}, 0}, kind = {{0}, 0}, message = {{0}, 0};
    const int extents[] = {first, second};
    for (int axis = 0; axis < 2 && extents[axis] >= 0; axis++) {
        network extent = {{0}, 0};
        if (extents[axis] == 0) text_field(&extent, 2, "N");
        else number_field(&extent, 1, (unsigned long long)extents[axis]);
        message_field(&shape, 1, &extent);
    }
    number_field(&tensor, 1, (unsigned long long)type);
    message_field(&tensor, 2, &shape);
    message_field(&kind, 1, &tensor);
    text_field(&message, 1, name);
    message_field(&message, 2, &kind);
    return message;
}

/* A model of a graph, of version 17 of the operators. */
static network model_of(const network *graph) {
    network version = {{0}, 0}, message = {{0}, 0};
    number_field(&version, 2, 17);
    number_field(&message, 1, 8);
    message_field(&message, 7, graph);
    message_field(&message, 8, &version);
    return message;
}

/* A model of one node, from [N, 2] to [N, 2]. */
static network single(const char *operation, const char *name, const char *inputs) {
    const network one = node(operation, name, inputs, "y"), x = value("x", FLOAT, 0, 2), y = value("y", FLOAT, 0, 2);
    network graph = {{0}, 0};
    message_field(&graph, 1, &one);
    text_field(&graph, 2, "network");
    message_field(&graph, 11, &x);
    message_field(&graph, 12, &y);
    return model_of(&graph);
}

network doubling_network(void) { return single("Add", "double", "x x"); }

network unknown_network(void) { return single("Nothing", "strange", "x"); }

/* A constant without axes, of one number. */
static network constant(const char *name, int type, unsigned long long number, unsigned width) {
    network message = {{0}, 0};
    unsigned char bytes[8];
    for (unsigned byte = 0; byte < width; byte++) bytes[byte] = (unsigned char)(number >> 8 * byte);
    number_field(&message, 2, (unsigned long long)type);
    text_field(&message, 8, name);
    field(&message, 9, bytes, width);
    return message;
}

network endless_network(void) {
    const network again = node("Identity", "again", "condition", "next_condition");
    const network add = node("Add", "add", "sum sum", "next_sum");
    const network values[] = {
        value("iteration", INT64, -1, -1), value("condition", BOOL, -1, -1), value("sum", FLOAT, 2, -1),
        value("next_condition", BOOL, -1, -1), value("next_sum", FLOAT, 2, -1)};
    network body = {{0}, 0}, attribute = {{0}, 0}, graph = {{0}, 0};
    message_field(&body, 1, &again);
    message_field(&body, 1, &add);
    text_field(&body, 2, "body");
    for (unsigned index = 0; index < 5; index++) message_field(&body, index < 3 ? 11 : 12, &values[index]);
    text_field(&attribute, 1, "body");
    message_field(&attribute, 6, &body);
    number_field(&attribute, 20, 5);
    network loop = node("Loop", "loop", "count true x", "y");
    message_field(&loop, 5, &attribute);
    const network count = constant("count", INT64, 1ULL << 40, 8), yes = constant("true", BOOL, 1, 1);
    const network x = value("x", FLOAT, 2, -1), y = value("y", FLOAT, 2, -1);
    message_field(&graph, 1, &loop);
    text_field(&graph, 2, "network");
    message_field(&graph, 5, &count);
    message_field(&graph, 5, &yes);
    message_field(&graph, 11, &x);
    message_field(&graph, 12, &y);
    return model_of(&graph);
}
