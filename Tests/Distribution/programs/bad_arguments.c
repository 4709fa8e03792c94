/* Arguments that do not fit are refused. The library of the archive is called, beside AddressSanitizer's own. */
#include "interface_calls.h"

#include "support.h"

int main(int argc, char **argv) {
    begin(argc, argv);
    CHECK(interface_calls_with_bad_arguments(fixture("models/squeezenet1_1.onnx"), fixture("photos/coffee.png")) == 0);
    return end();
}
