/* Pictures as files, bytes, pixels and numbers: the rows of `apus predict`, and answers as structures. */
#include "support.h"

#include <math.h>

enum { WIDTH = 320, HEIGHT = 240 };

/* Pixels that look like no photo, and a file of them. */
static unsigned char *draw(const char *path) {
    const size_t count = 3 * WIDTH * HEIGHT;
    char *content = (char *)malloc(count + 15);
    CHECK(content != NULL && sprintf(content, "P6 %d %d 255\n", WIDTH, HEIGHT) == 15);
    unsigned char *pixels = (unsigned char *)content + 15;
    for (size_t index = 0; index < count; index++)
        pixels[index] = (unsigned char)((index / 3 % WIDTH * (1 + index % 3) + index / (3 * WIDTH) * 2) & 255);
    write_file(path, content, count + 15);
    memmove(content, pixels, count);
    return (unsigned char *)content;
}

/* The lines of a text, which is cut. */
static void cut(char *text, const char **lines, int count) {
    for (int line = 0; line < count; line++) {
        lines[line] = text;
        text = strchr(text, '\n');
        CHECK(text != NULL);
        *text++ = 0;
    }
    CHECK(*text == 0);
}

static void check_structures(const apus_answer *answer) {
    const char *kind = NULL, *name = NULL;
    int64_t width = 0, height = 0;
    size_t count = 0;
    apus_item item;
    apus_tensor *tensor = NULL;
    OK(apus_answer_kind(answer, &kind, &error));
    OK(apus_answer_size(answer, &width, &height, &error));
    OK(apus_answer_item_count(answer, &count, &error));
    /* A list of classes does not know the size of its picture. */
    CHECK(strcmp(kind, "classes") == 0 && width == 0 && height == 0 && count == 5);
    OK(apus_answer_item(answer, 0, &item, &error));
    CHECK(strcmp(item.label, "espresso") == 0 && item.confidence > 0.5f && item.index == 967);
    CHECK(isnan(item.box[0]) && item.track == -1 && item.area == -1 && item.point_count == 0 && item.run_count == 0);
    OK(apus_answer_tensor_count(answer, &count, &error));
    CHECK(count == 2);
    OK(apus_answer_tensor(answer, 0, &name, &tensor, &error));
    CHECK(strcmp(name, "confidences") == 0 && floats(tensor)[967] == item.confidence);
    release(tensor);
}

/* What the stages of a recipe say about each object. */
static void check_parts(void) {
    static const char *colors[] = {"red", "green"};
    const char *stage = NULL;
    apus_predictor *recipe = NULL;
    apus_picture *picture = NULL;
    apus_answer *answer = NULL, *color = NULL, *means = NULL;
    apus_item item;
    size_t count = 0;
    OK(apus_predictor_open(fixture("parts/parts.recipe.json"), NULL, &recipe, &error));
    OK(apus_picture_file(fixture("parts/squares.png"), &picture, &error));
    const apus_picture *pictures[] = {picture};
    OK(apus_predictor_predict(recipe, pictures, 1, &answer, &error));
    release(picture);
    release(recipe);
    OK(apus_answer_item_count(answer, &count, &error));
    CHECK(count == 2);
    for (size_t index = 0; index < 2; index++) {
        OK(apus_answer_part_count(answer, index, &count, &error));
        CHECK(count == 2);
        OK(apus_answer_part(answer, index, 0, &stage, &color, &error));
        CHECK(strcmp(stage, "color") == 0);
        OK(apus_answer_part(answer, index, 1, NULL, &means, &error));
        OK(apus_answer_item(color, 0, &item, &error));
        CHECK(strcmp(item.label, colors[index]) == 0 && item.confidence > 0.5f);
        apus_tensor *vector = NULL;
        OK(apus_answer_tensor(means, 0, &stage, &vector, &error));
        CHECK(strcmp(stage, "embedding") == 0 && floats(vector)[index] == 1 && floats(vector)[1 - index] == 0);
        FAILS(apus_answer_part(answer, index, 2, &stage, &color, &error), APUS_ERROR_ARGUMENT, "index", "");
        OK(apus_answer_part_count(color, 0, &count, &error));
        CHECK(count == 0);
        release(vector);
        release(color);
        release(means);
    }
    FAILS(apus_answer_part_count(answer, 2, &count, &error), APUS_ERROR_ARGUMENT, "index", "");
    release(answer);
}

/* Rounded weights give the rows of the command, and others than without. */
static void check_precision(void) {
    apus_predictor *predictors[2] = {NULL, NULL};
    apus_picture *picture = NULL;
    apus_text *rows[2] = {NULL, NULL};
    apus_options *options = options_of("threads", "1", "precision", "bf16-weights", (char *)NULL);
    OK(apus_predictor_open("zoo:mobilenet_v2", options, &predictors[0], &error));
    OK(apus_predictor_open("zoo:mobilenet_v2", NULL, &predictors[1], &error));
    release(options);
    const char *photo = fixture("photos/coffee.png");
    OK(apus_picture_file(photo, &picture, &error));
    const apus_picture *pictures[] = {picture};
    for (int index = 0; index < 2; index++) {
        apus_answer *answer = NULL;
        OK(apus_predictor_predict(predictors[index], pictures, 1, &answer, &error));
        OK(apus_answer_json(answer, photo, &rows[index], &error));
        release(answer);
        release(predictors[index]);
    }
    release(picture);
    CHECK(strcmp(string_of(rows[0]), string_of(rows[1])) != 0);
    const char *const command = "predict zoo:mobilenet_v2 '%s' --precision bf16-weights --format jsonl 2>messages.txt";
    CHECK(run_command(command, photo) == 0);
    char *output = read_file("output.txt", NULL);
    SAME(rows[0], output);
    free(output);
    release(rows[1]);
}

int main(int argc, char **argv) {
    begin(argc, argv);
    const char *model = fixture("models/squeezenet1_1.onnx");
    const char *files[] = {fixture("photos/coffee.png"), fixture("photos/rocket.jpg"), "drawn.ppm", "damaged.png"};
    unsigned char *pixels = draw(files[2]);
    write_file(files[3], "nothing", 7);
    CHECK(run_command("predict '%s' '%s' '%s' %s %s --threads 1 --format jsonl 2>messages.txt",
              model, files[0], files[1], files[2], files[3]) == 1);
    char *output = read_file("output.txt", NULL);
    const char *rows[4];
    cut(output, rows, 4);

    apus_options *options = options_of("threads", "1", (char *)NULL);
    apus_predictor *predictor = NULL;
    OK(apus_predictor_open(model, options, &predictor, &error));
    release(options);
    const apus_picture *pictures[8];
    apus_answer *answers[8];
    for (int index = 0; index < 4; index++) {
        size_t count = 0;
        char *content = read_file(files[index], &count);
        OK(apus_picture_file(files[index], (apus_picture **)&pictures[index], &error));
        OK(apus_picture_bytes(content, count, (apus_picture **)&pictures[4 + index], &error));
        free(content);
    }
    /* Pixels take the place of the bytes of their file. */
    release(pictures[6]);
    OK(apus_picture_pixels(pixels, WIDTH, HEIGHT, 3, 0, 3 * WIDTH * HEIGHT, (apus_picture **)&pictures[6], &error));
    free(pixels);
    OK(apus_predictor_predict(predictor, pictures, 8, answers, &error));
    check_structures(answers[0]);
    for (int index = 0; index < 8; index++) {
        apus_text *json = NULL;
        OK(apus_answer_json(answers[index], files[index % 4], &json, &error));
        SAME(json, rows[index % 4]);
        if (index % 4 < 3) OK(apus_answer_check(answers[index], &error));
        else FAILS(apus_answer_check(answers[index], &error), APUS_ERROR_PICTURE, "unrecognized", "decode");
        release(answers[index]);
        release(pictures[index]);
    }
    free(output);

    apus_text *json = NULL;
    OK(apus_predictor_describe(predictor, &json, &error));
    CHECK(strstr(string_of(json), "\"espresso\"") != NULL);
    release(json);
    release(predictor);
    check_parts();
    check_precision();
    FAILS(apus_predictor_open("zoo:none", NULL, &predictor, &error), APUS_ERROR_ARGUMENT, "argument", "");
    return end();
}
