import Foundation
import Testing

@Suite struct UsageTests {
    /// Arguments, the exit code, and a part of the error message of one line.
    struct Case: Sendable, CustomTestStringConvertible {
        let arguments: [String]
        let status: Int32
        let message: String

        init(_ arguments: String, _ status: Int32, _ message: String) {
            self.arguments = arguments.split(separator: " ").map {
                $0 == "MODEL" ? Fixtures.model : String($0)
            }
            self.status = status
            self.message = message
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let cases = [
        Case("frobnicate", 2, "there is no command \"frobnicate\""),
        Case("--frobnicate", 2, "--frobnicate"),
        Case("frobnicate --help", 2, "there is no command \"frobnicate\""),
        Case("help frobnicate", 2, "there is no command \"frobnicate\""),
        Case("help predict bench", 2, "\"bench\" is one more"),
        Case("bench MODEL --batch -3", 2, "--batch must be at least 1, not -3"),
        Case("predict MODEL photos --threads -1", 2, "--threads must be at least 1, not -1"),
        Case(
            "predict MODEL photos --mean -0.5,x", 2, "'-0.5,x' is invalid for '--mean <numbers>': it should be a number"
        ),
        Case("predict MODEL photos --include -x.jpg", 2, "is written --include=-x.jpg"),
        Case("predict MODEL photos --shard 3", 2, "'3' is invalid for '--shard <i/n>': it should be a part"),
        Case("predict MODEL photos --shard auto/0", 2, "'auto/0' is invalid for '--shard <i/n>': it should be a part"),
        Case("predict MODEL photos --memory-limit much", 2, "it should be a size such as 800M"),
        Case("predict MODEL photos --frames 640x480", 2, "it should be WIDTHxHEIGHTxPIXELS"),
        Case("compare MODEL --configuration a", 2, "it should be NAME=KEY:VALUE"),
        Case(
            "compare MODEL --configuration a=thread:2", 2,
            "there is no key \"thread\"; the keys are backend, device, threads, precision, tuning"),
        Case("compare MODEL --configuration a=threads:many", 2, "from 1 to 1024, not \"many\""),
        Case("compare MODEL --configuration a=precision:f8", 2, "there are f32, tf32, f16"),
        Case("compare MODEL --configuration a=threads:1,threads:2", 2, "threads is given more than once"),
        Case("bench MODEL --report missing/page.html", 5, "missing/page.html: No such file or directory"),
        Case("bench MODEL --report photos", 2, "photos is a folder, not a file"),
        Case("compare MODEL --report missing/page.html", 5, "missing/page.html: No such file or directory"),
        Case("compare MODEL --trace missing/trace.json", 5, "missing/trace.json: No such file or directory"),
        Case("evaluate MODEL photos --report missing/page.html", 5, "missing/page.html: No such file or directory"),
        Case("quantize MODEL --calibrate photos -o missing/q.onnx", 5, "missing/q.onnx: No such file or directory"),
        Case(
            "tune MODEL --tuning-file reference_top5.json/a/b.json", 5,
            "reference_top5.json/a: cannot be made, since reference_top5.json is a file"),
        Case("run MODEL --input data=a.npy -o reference_top5.json", 5, "reference_top5.json: is a file, not a folder"),
        Case("predict", 2, "missing expected argument '<model>'"),
        Case("predict MODEL", 2, "<input>"),
        Case("predict MODEL photos --frobnicate", 2, "--frobnicate"),
        Case("predict MODEL photos --top 0", 2, "--top must be at least 1"),
        Case("predict MODEL photos --top many", 2, "'many' is invalid"),
        Case("predict MODEL photos --min-confidence 2", 2, "between 0 and 1"),
        Case("predict MODEL photos --min-confidence nan", 2, "between 0 and 1"),
        Case("predict MODEL photos --batch 0", 2, "--batch must be at least 1"),
        Case("predict MODEL photos --streams 0", 2, "--streams must be at least 1"),
        Case("predict MODEL photos --threads 0", 2, "--threads must be at least 1"),
        Case("predict MODEL photos --max-errors=-1", 2, "--max-errors must be at least 0"),
        Case("predict MODEL photos --on-error panic", 2, "panic"),
        Case("predict MODEL photos --format xml", 2, "there are table, csv, jsonl"),
        Case("predict MODEL photos -o results.xyz", 2, "give --format"),
        Case("predict MODEL photos -o photos/coffee.png --format csv", 2, "is one of the inputs"),
        Case("predict MODEL photos --json --format csv", 2, "--json"),
        Case("tune MODEL --batch 0", 2, "--batch must be at least 1"),
        Case("tune MODEL --tuning-file photos/coffee.png", 5, "photos/coffee.png: is no file of measured times"),
        Case("plan MODEL --no-tuning --tuning-file times.json", 2, "exclude each other"),
        Case("predict MODEL photos --quiet --verbose", 2, "exclude each other"),
        Case("predict MODEL photos --mean 1,2", 2, "image_mean"),
        Case("predict MODEL photos --mean one", 2, "'one' is invalid"),
        Case("predict MODEL photos --std 0", 2, "image_std"),
        Case("predict MODEL photos --scale 1/0", 2, "'1/0' is invalid"),
        Case("predict MODEL photos --channels gray --mean 0 --std 1", 2, "takes 3"),
        Case("predict MODEL photos --maximum-pixels 0", 2, "--maximum-pixels must be at least 1"),
        Case("predict MODEL photos photos/coffee.png", 2, "is given more than once"),
        Case("predict MODEL photos --backend cpu,,reference", 2, "empty name"),
        Case(
            "predict MODEL photos --backend abacus", 4,
            "there is no such backend; there are cpu, openblas, reference, opencl"),
        Case("predict missing.onnx photos", 5, "missing.onnx: no such file"),
        Case("predict photos photos", 5, "is a folder"),
        Case("predict make_image_fixtures.py photos", 3, "not a model"),
        Case("predict images/bad/empty photos", 3, "images/bad/empty"),
        Case("predict images/bad/page.jpg photos", 3, "images/bad/page.jpg"),
        Case("predict zoo:nothing photos", 2, "no such network"),
        Case("predict MODEL models", 5, "holds no pictures"),
        Case("predict MODEL photos --labels missing.txt", 5, "missing.txt: no such file"),
        Case("predict MODEL photos --labels photos/coffee.png", 5, "photos/coffee.png"),
        Case("predict MODEL photos --preprocess missing.json", 5, "missing.json: no such file"),
        Case("predict MODEL photos -o missing/results.csv", 5, "missing/results.csv: No such file or directory"),
        Case("run MODEL -o /tmp", 2, "input \"data\" is missing"),
        Case("run MODEL --input data -o /tmp", 2, "'data' is invalid"),
        Case("run MODEL --input data=missing.npy -o /tmp", 5, "missing.npy: no such file"),
        Case("run MODEL --input data=arrays/text.npy -o /tmp", 5, "arrays/text.npy"),
        Case("run MODEL --input data=arrays/little-f4.npy -o /tmp", 2, "input \"data\""),
        Case("run MODEL --input other=arrays/little-f4.npy -o /tmp", 2, "there is no input \"other\""),
        Case("run MODEL --input data=arrays/little-f4.npy -o /tmp --fetch nowhere", 2, "no value \"nowhere\""),
        Case("run MODEL --input data=arrays/little-f4.npy -o /tmp --fetch nowhere", 2, "apus inspect --nodes lists"),
        Case("run MODEL --input data=arrays/little-f8.npy -o /tmp", 2, "array.astype(\"float32\") converts it"),
        Case(
            "run tflite/integers.tflite --input t0=arrays/little-f4.npy -o /tmp", 2,
            "numpy.clip(numpy.round(array / 0.05) + 3, -128, 127).astype(\"int8\") quantizes numbers"),
        Case(
            "run tflite/integers.tflite --input t0=arrays/little-i4.npy -o /tmp", 2,
            "stands for the number (integer - 3) * 0.05"),
        Case("quantize MODEL --calibrate photoz -o /tmp/q.onnx", 5, "photoz: no such file or folder"),
        Case(
            "quantize MODEL --dynamic --report p.html -o /tmp/q.onnx", 2, "--keep-layer and --report need --calibrate"),
        Case("plan MODEL --shape data=1,3,227", 2, "the network takes [N, 3, 227, 227]"),
        Case("plan MODEL --shape other=1,3,227,227", 2, "there is no input \"other\"; the inputs are data"),
        Case(
            "bench MODEL --shape data=1,3,227,227 --shape data=1,3,227,227", 2, "--shape data is given more than once"),
        Case("bench MODEL --shape data=2,3,227,227 --batch 4", 2, "give its first extent as 1"),
        Case("compare MODEL photos --shape data=1,3,227,227", 2, "--shape is for random numbers"),
        Case("bench MODEL --batch 1,,8", 2, "'1,,8' is invalid"),
        Case("bench MODEL --batch 1,many", 2, "'1,many' is invalid"),
        Case("bench MODEL --batch 1,0", 2, "--batch must be at least 1, not 0"),
        Case("bench MODEL --batch 8,1,8", 2, "--batch has 8 twice"),
        Case("bench MODEL --threads 2000", 2, "--threads must be at most 1024"),
        Case("bench MODEL --streams=-1", 2, "--streams must be at least 1"),
        Case("bench MODEL --time 0", 2, "--time must be more than 0"),
        Case("bench MODEL --time nan", 2, "--time must be more than 0"),
        Case("bench MODEL --warm-up=-1", 2, "--warm-up must be from 0"),
        Case("bench zoo:nothing --trace zoo:nothing", 2, "is one of the inputs"),
        Case("bench missing.onnx", 5, "missing.onnx: no such file"),
        Case("predict MODEL photos -o rows.csv --trace rows.csv", 2, "is also another output"),
        Case("plan MODEL --batch 0", 2, "--batch must be at least 1"),
        Case("plan missing.onnx", 5, "missing.onnx: no such file"),
        Case("inspect", 2, "<model>"),
        Case("plan photos/coffee.png", 3, "photos/coffee.png"),
        Case("devices extra", 2, "extra"),
    ]

    @Test(arguments: cases)
    func anErrorIsOneLineAndItsExitCode(_ usage: Case) async throws {
        let outcome = try await Command.run(usage.arguments)
        #expect(outcome.status == usage.status)
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errors.hasPrefix("apus: "))
        #expect(outcome.errors.contains(usage.message))
        if usage.status > 1 { #expect(outcome.output.isEmpty) }
    }

    @Test(arguments: [[], ["predict"], ["evaluate"], ["run"], ["plan"], ["inspect"], ["devices"], ["bench"]])
    func helpShowsExamplesFirst(_ command: [String]) async throws {
        let outcome = try await Command.run(command + ["--help"])
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.lines.first == "EXAMPLES:")
        #expect(outcome.output.contains("USAGE: apus"))
        guard command.isEmpty else { return }
        #expect(outcome.output.contains("70   a bug in Apus"))
        #expect(outcome.lines.contains("  resnet50: ResNet-50 v1.5, ImageNet, 224 × 224"))
    }

    @Test func versionIsPrinted() async throws {
        let outcome = try await Command.run("--version")
        #expect(outcome.status == 0)
        #expect(outcome.output.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    }
}
