import Foundation
import Images
import Testing

@Suite struct PreprocessingErrorTests {
    @Test(
        "A wrong or unknown key is named",
        arguments: [
            (#"{"size": {"height": 224}}"#, "size"),
            (#"{"size": {"height": 224, "width": 0}}"#, "size.width"),
            (#"{"size": {"height": 224, "width": -5}}"#, "size.width"),
            (#"{"size": {"height": 224.5, "width": 224}}"#, "size.height"),
            (#"{"size": {"height": 1e30, "width": 224}}"#, "size.height"),
            (#"{"size": {"height": "224", "width": 224}}"#, "size.height"),
            (#"{"size": {"longest_edge": 224}}"#, "size"),
            (#"{"size": {}}"#, "size"),
            (#"{"size": [224]}"#, "size"),
            (#"{"size": true}"#, "size"),
            (#"{"size": -1}"#, "size"),
            (#"{"size": 1000000}"#, "size"),
            (#"{"resample": 6}"#, "resample"),
            (#"{"resample": -1}"#, "resample"),
            (#"{"resample": "bicubic"}"#, "resample"),
            (#"{"resample": 2.5}"#, "resample"),
            (#"{"do_resize": 1}"#, "do_resize"),
            (#"{"do_center_crop": true}"#, "crop_size"),
            (#"{"image_processor_type": "SegformerImageProcessor", "image_std": 1}"#, "image_mean"),
            (#"{"image_processor_type": "DetrImageProcessorFast", "image_mean": 0}"#, "image_std"),
            (#"{"image_processor_type": "YolosImageProcessor", "size": {"shortest_edge": 512}}"#, "size"),
            (#"{"do_center_crop": true, "crop_size": {"shortest_edge": 224}}"#, "crop_size"),
            (#"{"do_center_crop": true, "crop_size": 0}"#, "crop_size"),
            (#"{"do_rescale": "yes"}"#, "do_rescale"),
            (#"{"rescale_factor": [1]}"#, "rescale_factor"),
            (#"{"rescale_factor": 1e300}"#, "rescale_factor"),
            (#"{"image_mean": [0.5, 0.5]}"#, "image_mean"),
            (#"{"image_mean": "0.5"}"#, "image_mean"),
            (#"{"image_mean": [0.5, null, 0.5]}"#, "image_mean"),
            (#"{"image_mean": 1e300}"#, "image_mean"),
            (#"{"image_std": [1, 0, 1]}"#, "image_std"),
            (#"{"image_std": []}"#, "image_std"),
            (#"{"crop_pct": 0}"#, "crop_pct"),
            (#"{"crop_pct": 1.5, "size": {"shortest_edge": 224}}"#, "crop_pct"),
            (#"{"crop_pct": 1e-30, "size": {"shortest_edge": 224}}"#, "crop_pct"),
            (#"{"crop_pct": 0.9}"#, "crop_pct"),
            (#"{"do_pad": true}"#, "do_pad"),
            (#"{"do_pad": true, "pad_size": 8}"#, "pad_size"),
            (#"{"size_divisor": 32}"#, "size_divisor"),
            (#"{"include_top": true}"#, "include_top"),
            (#"{"do_thumbnail": true}"#, "do_thumbnail"),
            (#"{"image_processor_type": 3}"#, "image_processor_type"),
        ])
    func namesTheKey(_ json: String, _ key: String) {
        let error = #expect(throws: PreprocessingError.self) { try Preprocessing(huggingFaceJSON: Data(json.utf8)) }
        #expect(error?.description.contains("\"\(key)\"") == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("\n") == false)
    }

    @Test(arguments: ["", "{", "[1, 2]", "3", "null", "<html>", "\u{0}", "{\"size\": NaN}", "{\"size\": 224,}x"])
    func whatIsNotAnObjectIsMalformed(_ text: String) {
        let error = #expect(throws: PreprocessingError.self) { try Preprocessing(huggingFaceJSON: Data(text.utf8)) }
        #expect(error?.code == "preprocessing-malformed", "\(error?.description ?? "")")
    }

    @Test func deepNestingIsAnError() {
        let text = String(repeating: "[", count: 200_000)
        #expect(throws: PreprocessingError.self) { try Preprocessing(huggingFaceJSON: Data(text.utf8)) }
        let object = #"{"size": "# + String(repeating: "[", count: 400) + String(repeating: "]", count: 400) + "}"
        #expect(throws: PreprocessingError.self) { try Preprocessing(huggingFaceJSON: Data(object.utf8)) }
    }

    @Test func harmlessKeysAreAccepted() throws {
        let plain = try Preprocessing(
            huggingFaceJSON: Data(#"{"image_processor_type": "ViTImageProcessor"}"#.utf8))
        let json = #"""
            {"_valid_processor_keys": ["images"], "processor_class": "X", "do_convert_rgb": null, "auto_map": {},
             "do_thumbnail": false, "size_divisor": null, "image_processor_type": "SomethingImageProcessor",
             "image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.5, 0.5]}
            """#
        #expect(try Preprocessing(huggingFaceJSON: Data(json.utf8)) == plain)
        #expect(plain.fixedOutputSize == ImageSize(width: 224, height: 224))
    }

    @Test("ConvNeXt without a filter is resized as version 5 of transformers does it")
    func defaultFilter() throws {
        let json = #"{"image_processor_type": "ConvNextImageProcessor"}"#
        #expect(try Preprocessing(huggingFaceJSON: Data(json.utf8)).filter == .bicubic)
    }

    @Test func propertiesAreChecked() throws {
        let image = try Image(width: 1, height: 1, pixels: [1, 2, 3])
        let changes: [@Sendable (inout Preprocessing) -> Void] = [
            { $0.mean = [] }, { $0.mean = [1, 2] }, { $0.standardDeviation = [0] }, { $0.scale = .nan },
            { $0.resizing = .exact(ImageSize(width: 0, height: 1)) },
            { $0.resizing = .shortestEdge(-1) }, { $0.resizing = .shortestEdge(5, longestEdge: 0) },
            { $0.crop = ImageSize(width: 1, height: Int.max) },
            { $0.padding = ImageSize(width: -1, height: 1) },
            {
                $0.channelOrder = .gray
                $0.mean = [1, 2, 3]
            },
        ]
        for change in changes {
            var preprocessing = Preprocessing()
            change(&preprocessing)
            #expect(throws: PreprocessingError.self) { try preprocessing.tensor(from: image) }
        }
    }

    @Test func extremeProportionsAreAnErrorOrCropped() throws {
        let thin = try Image(width: 20_000, height: 1, pixels: (0..<60_000).map { UInt8(truncatingIfNeeded: $0) })
        var preprocessing = Preprocessing()
        preprocessing.resizing = .shortestEdge(60_000)
        #expect(throws: PreprocessingError.self) { try preprocessing.tensor(from: thin) }
        // Only the part inside the crop is computed, so that this takes little memory and time.
        preprocessing.resizing = .shortestEdge(256)
        preprocessing.crop = ImageSize(width: 224, height: 224)
        #expect(try preprocessing.tensor(from: thin).shape == [1, 3, 224, 224])
        preprocessing.resizing = .letterbox(ImageSize(width: 50, height: 50))
        #expect(try preprocessing.tensor(from: thin).shape == [1, 3, 224, 224])
        #expect(throws: PreprocessingError.self) {
            try preprocessing.outputSize(for: ImageSize(width: .max, height: .max))
        }
    }

    @Test func bufferMustFit() throws {
        let image = try Image(width: 1, height: 1, pixels: [1, 2, 3])
        var numbers = [Float](repeating: 0, count: 4)
        #expect(throws: PreprocessingError.bufferCount(expected: 3, found: 4)) {
            try numbers.withUnsafeMutableBufferPointer {
                try Preprocessing().write(
                    image, try Preprocessing().geometry(for: image.size), into: $0, layout: .channelsFirst)
            }
        }
    }
}
