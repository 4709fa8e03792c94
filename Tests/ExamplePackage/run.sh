#!/usr/bin/env bash
# Builds and runs this package, which depends on Apus by its path and uses the plugin.
set -euo pipefail
cd "$(dirname "$0")/../.."
unset APUS_WITHOUT_PLUGIN
package=Tests/ExamplePackage output=.build/example
models=Tests/Fixtures/models photo=Tests/Fixtures/photos/coffee.png

run() { swift run --package-path $package --scratch-path $output --quiet "$@"; }

mkdir -p $output
cp $models/squeezenet1_1.* Tests/Fixtures/coreml/classifiers/Cats.mlmodel $package/Sources/Example/Models/
run Example $photo | tee $output/Example.txt
diff $output/Example.txt $package/expected.txt
run PortedClassifier $models/squeezenet1_1.onnx $photo | tee $output/Ported.txt
[ "$(cut -d ' ' -f 1 $output/Ported.txt)" = espresso ]
