/*
 * The door of C: prints what the library says about files that are handed over as bytes.
 *
 *     door MODEL LIST [NAME VALUE]...
 *
 * LIST has a path in each line. For each picture there is a line `row`, with the row of `apus predict`, and a line
 * `item` for each item, with its label at the end, if it has one; or a line `error`. Numbers are printed by their bits.
 */
#include <apus.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 32 };

static apus_error error;

static void check(apus_status status) {
    if (status == APUS_OK) return;
    fprintf(stderr, "door: %s\n", error.message);
    exit(1);
}

static apus_picture *picture_of(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) exit(2);
    const size_t count = (size_t)ftell(file);
    void *content = malloc(count + 1);
    rewind(file);
    if (content == NULL || fread(content, 1, count, file) != count) exit(2);
    fclose(file);
    apus_picture *picture = NULL;
    check(apus_picture_bytes(content, count, &picture, &error));
    free(content);
    return picture;
}

static void print_bits(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (isnan(number)) printf("\tnone");
    else printf("\t%08x", (unsigned)bits);
}

static void print_answer(const apus_answer *answer, const char *path) {
    if (apus_answer_check(answer, &error) != APUS_OK) {
        printf("error\t%d\t%s\t%s\t%s\n", (int)error.status, error.code, error.place, error.message);
        return;
    }
    apus_text *json = NULL;
    const char *text = NULL;
    size_t count = 0;
    check(apus_answer_json(answer, path, &json, &error));
    check(apus_text_get(json, &text, NULL, &error));
    printf("row\t%s\n", text);
    check(apus_release(json, &error));
    check(apus_answer_item_count(answer, &count, &error));
    for (size_t index = 0; index < count; index++) {
        apus_item item;
        check(apus_answer_item(answer, index, &item, &error));
        printf("item\t%d", (int)item.index);
        print_bits(item.confidence);
        for (int side = 0; side < 4; side++) print_bits(item.box[side]);
        printf(item.label == NULL ? "\n" : "\t%s\n", item.label);
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    apus_options *options = NULL;
    apus_predictor *predictor = NULL;
    check(apus_options_create(&options, &error));
    for (int index = 3; index + 1 < argc; index += 2)
        check(apus_options_set(options, argv[index], argv[index + 1], &error));
    check(apus_predictor_open(argv[1], options, &predictor, &error));

    static char paths[BATCH][4096];
    FILE *list = fopen(argv[2], "r");
    if (list == NULL) return 2;
    for (int count = BATCH; count == BATCH;) {
        apus_picture *pictures[BATCH];
        apus_answer *answers[BATCH];
        for (count = 0; count < BATCH && fgets(paths[count], sizeof paths[0], list) != NULL; count++) {
            paths[count][strcspn(paths[count], "\n")] = 0;
            pictures[count] = picture_of(paths[count]);
        }
        check(apus_predictor_predict(
            predictor, (const apus_picture *const *)pictures, (size_t)count, answers, &error));
        for (int index = 0; index < count; index++) {
            print_answer(answers[index], paths[index]);
            check(apus_release(answers[index], &error));
            check(apus_release(pictures[index], &error));
        }
    }
    fclose(list);
    check(apus_release(predictor, &error));
    check(apus_release(options, &error));
    return 0;
}
