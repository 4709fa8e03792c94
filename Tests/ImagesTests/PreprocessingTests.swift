import Foundation
import Images
import Tensors
import Testing

@Suite struct PreprocessingTests {
    /// The configurations of `PREPROCESSING` in `make_image_fixtures.py`, as files of Hugging Face would write them.
    static let configurations = [
        "squeezenet": #"""
        {"do_resize": true, "size": {"height": 227, "width": 227}, "resample": 2, "do_center_crop": false,
         "do_rescale": false, "do_normalize": true, "image_mean": [123.68, 116.779, 103.939],
         "image_std": [1.0, 1.0, 1.0], "do_flip_channel_order": true}
        """#,
        "efficientnet-lite": #"""
        {"do_resize": true, "size": {"shortest_edge": 256}, "resample": 3, "do_center_crop": true,
         "crop_size": {"height": 224, "width": 224}, "do_rescale": false, "do_normalize": true,
         "image_mean": [127.0, 127.0, 127.0], "image_std": [128.0, 128.0, 128.0]}
        """#,
        "vit": #"{"image_processor_type": "ViTImageProcessor"}"#,
        "clip": #"{"feature_extractor_type": "CLIPFeatureExtractor", "size": 224}"#,
        "resnet": #"""
        {"crop_pct": 0.875, "do_normalize": true, "do_resize": true, "feature_extractor_type": "ConvNextFeatureExtractor",
         "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225], "resample": 3, "size": 224}
        """#,
        "convnext-384": #"""
        {"image_processor_type": "ConvNextImageProcessorFast", "size": {"shortest_edge": 384}, "resample": 3,
         "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225], "crop_pct": 0.875}
        """#,
        "levit": #"{"image_processor_type": "LevitImageProcessor", "size": {"shortest_edge": 224}}"#,
        "mobilevit": #"""
        {"crop_size": {"height": 256, "width": 256}, "do_center_crop": true, "do_flip_channel_order": true,
         "do_resize": true, "feature_extractor_type": "MobileViTFeatureExtractor", "resample": 2,
         "size": {"shortest_edge": 288}}
        """#,
        "crop-larger": #"""
        {"image_processor_type": "ViTImageProcessor", "size": {"shortest_edge": 60}, "do_center_crop": true,
         "crop_size": {"width": 75, "height": 130}, "resample": 1, "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
        """#,
        "crop-odd": #"""
        {"size": 61, "default_to_square": false, "do_center_crop": true, "crop_size": [33, 50], "resample": 0,
         "rescale_factor": 0.1, "do_normalize": false, "processor_class": null}
        """#,
        "longest": #"""
        {"image_processor_type": "ViTImageProcessor", "size": {"shortest_edge": 300, "longest_edge": 400},
         "do_pad": true, "do_center_crop": null, "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
        """#,
        "within": #"""
        {"size": {"max_height": 200, "max_width": 123}, "resample": 4,
         "image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]}
        """#,
        "plain": #"{"do_resize": false, "do_rescale": false, "do_normalize": false}"#,
    ]

    @Test("Numbers equal those of Pillow and NumPy", arguments: Fixtures.references.preprocessed)
    func equalsReference(_ expected: References.Result) throws {
        let name = try #require(expected.name)
        let json = try #require(Self.configurations[name])
        let preprocessing = try Preprocessing(huggingFaceJSON: Data(json.utf8))
        let image = try Fixtures.image(expected.file)
        #expect(try preprocessing.outputSize(for: image.size) == expected.size)
        if let fixed = preprocessing.fixedOutputSize { #expect(fixed == expected.size) }

        let tensor = try preprocessing.tensor(from: image)
        #expect(tensor.shape == [1, 3, expected.height, expected.width])
        #expect(checksum(tensor.elements(as: Float.self)) == expected.crc32ChannelsFirst)

        var numbers = [Float](repeating: .nan, count: tensor.elementCount)
        try numbers.withUnsafeMutableBufferPointer {
            try preprocessing.write(image, try preprocessing.geometry(for: image.size), into: $0, layout: .channelsLast)
        }
        #expect(checksum(numbers) == expected.crc32)
    }

    @Test func everyConfigurationIsCovered() {
        #expect(Set(Fixtures.references.preprocessed.compactMap(\.name)) == Set(Self.configurations.keys))
    }

    @Test("Fit equals Pillow's ImageOps.pad", arguments: Fixtures.references.fitted)
    func fitEqualsPillow(_ expected: References.Result) throws {
        let image = try Fixtures.image(expected.file)
        var preprocessing = Preprocessing()
        preprocessing.filter = try #require(expected.filter.flatMap(ResamplingFilter.init(rawValue:)))
        preprocessing.setResizing(.fit, to: expected.size, color: .init(red: 114, green: 3, blue: 250))
        #expect(preprocessing.fixedOutputSize == expected.size)
        #expect(crc32(try pixels(preprocessing, image)) == expected.crc32)
    }

    @Test func grayEqualsPillow() throws {
        let expected = Fixtures.references.grey
        let preprocessing = Preprocessing(.fill, to: expected.size, filter: .bicubic, channelOrder: .gray)
        let tensor = try preprocessing.tensor(from: Fixtures.image(expected.file))
        #expect(tensor.shape == [1, 1, expected.height, expected.width])
        #expect(crc32(tensor.elements(as: UInt8.self)) == expected.crc32)
    }

    @Test func centerCropIsThePartOfTheWholeResize() throws {
        let image = try Fixtures.image("photos/rocket.jpg")
        for (size, resized) in [(200, 200, 299, 200), (100, 200, 299, 200), (300, 100, 300, 200)].map({
            (ImageSize(width: $0.0, height: $0.1), ImageSize(width: $0.2, height: $0.3))
        }) {
            let whole = try image.resized(to: resized, filter: .lanczos)
            let preprocessing = Preprocessing(.centerCrop, to: size, filter: .lanczos)
            let cropped = try pixels(preprocessing, image)
            let (left, top) = ((resized.width - size.width) / 2, (resized.height - size.height) / 2)
            var expected: [UInt8] = []
            for row in top..<top + size.height {
                let start = (row * resized.width + left) * 3
                expected += whole.pixels[start..<start + size.width * 3]
            }
            #expect(cropped == expected)
        }
    }

    @Test("The middle is taken where torchvision takes it", arguments: 1...13)
    func cropRounding(_ extent: Int) throws {
        let image = try Image(
            width: extent, height: 1, pixels: (1...extent).flatMap { [UInt8](repeating: UInt8($0), count: 3) })
        for target in 1...13 {
            var steps = Preprocessing()
            (steps.crop, steps.cropRounding) = (ImageSize(width: target, height: 1), .torchvision)
            let numbers = try steps.tensor(from: image).elements(as: Float.self).prefix(target)
            // Source: center_crop of https://github.com/pytorch/vision
            let half = Double(extent - target) / 2
            let start = target > extent ? -((target - extent) / 2) : Int(half.rounded(.toNearestOrEven))
            let expected = (start..<start + target).map { (0..<extent).contains($0) ? Float($0 + 1) : 0 }
            #expect(Array(numbers) == expected, "\(extent) to \(target)")
            #expect(try Preprocessing(json: steps.json()) == steps)
        }
    }

    @Test func stepsCanBeReplaced() throws {
        let json = try #require(Self.configurations["efficientnet-lite"])
        var preprocessing = try Preprocessing(huggingFaceJSON: Data(json.utf8))
        let image = try Image(width: 1, height: 2, pixels: [10, 20, 30, 40, 50, 60])
        preprocessing.setResizing(.fill, to: ImageSize(width: 1, height: 2))
        preprocessing.mean = [1, 2, 3]
        preprocessing.standardDeviation = [2]
        preprocessing.scale = 0.5
        preprocessing.channelOrder = .bgr
        // (pixel / 2 - mean) / 2, blue first.
        let numbers = try preprocessing.tensor(from: image).elements(as: Float.self)
        #expect(numbers == [6, 13.5, 4, 11.5, 2, 9.5])
    }

    @Test func paddingIsZeroAfterNormalization() throws {
        let json = #"""
            {"do_resize": false, "do_rescale": false, "image_mean": 1, "image_std": 2, "do_pad": true,
             "pad_size": {"height": 2, "width": 2}}
            """#
        let preprocessing = try Preprocessing(huggingFaceJSON: Data(json.utf8))
        let image = try Image(width: 1, height: 1, pixels: [3, 5, 7])
        let numbers = try preprocessing.tensor(from: image).elements(as: Float.self)
        #expect(numbers == [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0])
        let large = try Image(width: 3, height: 1, pixels: [UInt8](repeating: 0, count: 9))
        #expect(throws: PreprocessingError.self) { try preprocessing.tensor(from: large) }
    }

    @Test(
        "Each picture is standardized as NumPy does it", arguments: [Preprocessing.Layout.channelsFirst, .channelsLast])
    func standardizes(_ layout: Preprocessing.Layout) throws {
        let image = try Image(width: 4, height: 4, pixels: (0..<48).map { UInt8($0 * 5) })
        var steps = Preprocessing()
        (steps.scale, steps.standardizesEachImage) = (0.5, true)
        steps.padding = ImageSize(width: 5, height: 6)
        var numbers = [Float](repeating: .nan, count: 5 * 6 * 3)
        try numbers.withUnsafeMutableBufferPointer {
            try steps.write(image, try steps.geometry(for: image.size), into: $0, layout: layout)
        }
        // x = np.arange(48, dtype=np.float32) * 5 * 0.5; x -= x.mean(); x /= x.std() + 1e-6
        let expected: [Int: Float] = [0: -1.69633472, 1: -1.62415028, 2: -1.55196583, 46: 1.62415028, 47: 1.69633472]
        for (index, value) in expected {
            let (row, column, channel) = (index / 12, index / 3 % 4, index % 3)
            let position =
                layout == .channelsFirst ? channel * 30 + row * 5 + column : (row * 5 + column) * 3 + channel
            #expect(abs(numbers[position] - value) < 1e-6)
        }
        // Zeros are padded at the end.
        #expect(numbers.count { $0 == 0 } == (30 - 16) * 3)
        // A single color has deviation 0, but gives no infinite number.
        let plain = try Image(width: 2, height: 1, pixels: [7, 7, 7, 7, 7, 7])
        steps.padding = nil
        #expect(try steps.tensor(from: plain).elements(as: Float.self) == [0, 0, 0, 0, 0, 0])
    }

    /// Sizes by `DPTImageProcessor` of transformers 5.
    @Test(
        "The nearer edge decides the size, in multiples",
        arguments: [
            (true, 14, 518, 518, 640, 480, 686, 518), (true, 14, 518, 518, 37, 41, 462, 518),
            (true, 14, 518, 518, 100, 1000, 56, 518), (true, 32, 384, 384, 1920, 1080, 672, 384),
            (true, 14, 140, 140, 100, 1000, 140, 1400), (false, 32, 500, 390, 37, 41, 512, 384),
        ])
    func multiples(
        _ keeps: Bool, _ multiple: Int, _ width: Int, _ height: Int, _ across: Int, _ down: Int, _ newWidth: Int,
        _ newHeight: Int
    ) throws {
        let json = """
            {"image_processor_type": "DPTImageProcessor", "size": {"width": \(width), "height": \(height)},
             "keep_aspect_ratio": \(keeps), "ensure_multiple_of": \(multiple)}
            """
        let steps = try Preprocessing(huggingFaceJSON: Data(json.utf8))
        let made = try steps.outputSize(for: ImageSize(width: across, height: down))
        #expect(made == ImageSize(width: newWidth, height: newHeight))
        #expect(steps.filter == .bicubic)
        #expect(try Preprocessing(json: steps.json()) == steps)
    }

    @Test("Every step survives being written and read as JSON", arguments: configurations.keys.sorted())
    func jsonOfConfigurations(_ name: String) throws {
        let json = try #require(Self.configurations[name])
        let steps = try Preprocessing(huggingFaceJSON: Data(json.utf8))
        #expect(try Preprocessing(json: steps.json()) == steps)
    }

    @Test func jsonHasEveryKindOfStep() throws {
        var steps = Preprocessing(.fit, to: ImageSize(width: 5, height: 7), filter: .hamming, scale: 1 / 255)
        (steps.mean, steps.standardDeviation) = ([0.1, 1e-20, 3], [1 / 3])
        (steps.channelOrder, steps.standardizesEachImage) = (.bgr, true)
        for letterbox in Preprocessing.Letterbox.allCases {
            steps.setResizing(.fit, to: ImageSize(width: 5, height: 7), color: .gray, letterbox: letterbox)
            #expect(try Preprocessing(json: steps.json()) == steps)
        }
        for mode in Preprocessing.ResizeMode.allCases {
            steps.setResizing(mode, to: ImageSize(width: 5, height: 7))
            #expect(try Preprocessing(json: steps.json()) == steps)
        }
    }

    @Test(
        "JSON that says something else is refused",
        arguments: [
            ("", "not a JSON object"), ("[]", "not a JSON object"), ("{}", "is missing"),
            (#""version":1"#, #""version":2"#), (#""scale":1"#, #""scale":"x""#), (#""exact""#, #""twist""#),
            (#""width":5"#, #""width":0"#), (#""rgb""#, #""cmyk""#), (#""bilinear""#, #""magic""#),
            (#""height":7"#, #""height":1e300"#),
        ])
    func damagedJSON(_ part: String, _ replacement: String) throws {
        let whole = try Preprocessing(.fill, to: ImageSize(width: 5, height: 7)).json()
        let isPart = whole.contains(part) && !part.isEmpty
        let json = isPart ? whole.replacing(part, with: replacement) : part
        let error = #expect(throws: PreprocessingError.self) { try Preprocessing(json: json) }
        if !isPart { #expect(error?.description.contains(replacement) == true, "\(error?.description ?? "")") }
    }

    /// The bytes after resize and crop, read back from the numbers.
    private func pixels(_ preprocessing: Preprocessing, _ image: Image) throws -> [UInt8] {
        let size = try preprocessing.outputSize(for: image.size)
        var numbers = [Float](repeating: -1, count: size.width * size.height * 3)
        try numbers.withUnsafeMutableBufferPointer {
            try preprocessing.write(image, try preprocessing.geometry(for: image.size), into: $0, layout: .channelsLast)
        }
        return numbers.map { UInt8($0) }
    }

    private func checksum(_ numbers: [Float]) -> UInt32 {
        numbers.withUnsafeBytes { crc32($0) }
    }
}

/// Steps that single families need.
@Suite("Compression and division by the maximum")
struct RareStepTests {
    private static func picture(_ side: Int) throws -> Image {
        var pixels: [UInt8] = []
        for y in 0..<side {
            for x in 0..<side {
                pixels += [(x * 11 + y * 3) % 256, (y * 17 + x * x) % 256, (x * y * 5 + 40) % 256].map { UInt8($0) }
            }
        }
        return try Image(width: side, height: side, pixels: pixels)
    }

    @Test("A compressed picture has Pillow's pixels")
    func compression() throws {
        // From Pillow 13: Image.save(…, format="JPEG"), whose quality is 75, and Image.open.
        var steps = Preprocessing()
        steps.jpegQuality = 75
        let numbers = try steps.tensor(from: Self.picture(24)).elements(as: Float.self)
        #expect(numbers.reduce(0, +) == 211_614)
        func pixel(_ y: Int, _ x: Int) -> [Float] { (0..<3).map { numbers[$0 * 576 + y * 24 + x] } }
        #expect(pixel(0, 0) == [0, 5, 33] && pixel(5, 7) == [92, 138, 187] && pixel(23, 23) == [85, 152, 145])
        steps.jpegQuality = 0
        #expect(throws: PreprocessingError.self) { try steps.validate() }
    }

    @Test("Pixels are divided by the largest of the picture")
    func maximum() throws {
        var steps = Preprocessing()
        steps.dividesByMaximum = true
        (steps.mean, steps.standardDeviation) = ([0.5], [0.25])
        let image = try Image(width: 2, height: 1, pixels: [10, 20, 40, 0, 5, 1])
        let numbers = try steps.tensor(from: image).elements(as: Float.self)
        #expect(numbers == [10, 0, 20, 5, 40, 1].map { ($0 / 40 - 0.5) / 0.25 })
        let black = try Image(width: 1, height: 1, pixels: [0, 0, 0])
        #expect(try steps.tensor(from: black).elements(as: Float.self) == [-2, -2, -2])
    }

    @Test("A border at the right and below leads to multiples, and points are mapped back by the exact scale")
    func border() throws {
        var steps = Preprocessing()
        (steps.resizing, steps.borderMultiple) = (.within(ImageSize(width: 10, height: 10)), 4)
        let image = try Image(width: 20, height: 7, pixels: [UInt8](repeating: 200, count: 420))
        let tensor = try steps.tensor(from: image)
        #expect(tensor.shape == [1, 3, 4, 12])
        let shown = tensor.elements(as: Float.self)[..<48].map { $0 == 200 ? 1 : 0 }
        #expect(shown == (0..<48).map { $0 / 12 < 3 && $0 % 12 < 10 ? 1 : 0 })
        let place = try steps.placement(of: image.size).original(x: 0.5, y: 0.5)
        #expect(abs(place.x - 0.6) < 1e-12 && abs(place.y - 2 / 3.5) < 1e-12)
        steps.setResizing(.fill, to: ImageSize(width: 3, height: 9))
        #expect(steps.borderMultiple == 1 && steps.fixedOutputSize == ImageSize(width: 3, height: 9))
        steps.borderMultiple = 4
        #expect(steps.fixedOutputSize == ImageSize(width: 4, height: 12))
        steps.borderMultiple = 0
        #expect(throws: PreprocessingError.self) { try steps.validate() }
    }

    @Test("A border to a square comes before the resize, and points are mapped back past it", arguments: [true, false])
    func square(isCentered: Bool) throws {
        var steps = Preprocessing(.fill, to: ImageSize(width: 10, height: 10), filter: .linear)
        steps.squareBorder = .init(.init(red: 1, green: 2, blue: 3), isCentered: isCentered)
        let image = try Self.picture(24)
        let wide = try Image(width: 24, height: 19, pixels: Array(image.pixels.prefix(24 * 19 * 3)))
        // The square made by hand, and the same resize.
        let color: [UInt8] = [1, 2, 3]
        func border(_ rows: Int) -> [UInt8] { (0..<rows * 24 * 3).map { color[$0 % 3] } }
        let above = isCentered ? 2 : 0
        let pixels = border(above) + wide.pixels + border(5 - above)
        let square = try Image(width: 24, height: 24, pixels: pixels)
        let plain = Preprocessing(.fill, to: ImageSize(width: 10, height: 10), filter: .linear)
        func numbers(_ steps: Preprocessing, _ image: Image) throws -> [Float] {
            try steps.tensor(from: image).elements(as: Float.self)
        }
        #expect(try numbers(steps, wide) == numbers(plain, square))
        #expect(try numbers(steps, image) == numbers(plain, image))
        let placement = try steps.placement(of: wide.size)
        let middle = placement.original(x: 0.5, y: 0.5)
        #expect(abs(middle.x - 0.5) < 1e-12 && abs(middle.y * 19 - Double(12 - above)) < 1e-9)
        let back = placement.place(x: middle.x, y: middle.y)
        #expect(abs(back.x - 0.5) < 1e-12 && abs(back.y - 0.5) < 1e-12)
        #expect(try Preprocessing(json: steps.json()) == steps)
        let long = try Image(width: 40_000, height: 1, pixels: [UInt8](repeating: 0, count: 120_000))
        #expect(throws: PreprocessingError.self) { try steps.tensor(from: long) }
    }

    @Test("The form of Apus has these steps, keys may be left out, and unknown ones are refused")
    func file() throws {
        var steps = Preprocessing(.fill, to: ImageSize(width: 3, height: 4), filter: .lanczos)
        (steps.dividesByMaximum, steps.jpegQuality, steps.borderMultiple) = (true, 60, 14)
        #expect(try Preprocessing(json: steps.json()) == steps)
        let short = #"{"resize": {"mode": "none"}, "channels": "bgr", "mean": [104, 117, 123]}"#
        var expected = Preprocessing()
        (expected.channelOrder, expected.mean) = (.bgr, [104, 117, 123])
        #expect(try Preprocessing(json: short) == expected)
        #expect(Preprocessing.isOwn(json: Data(short.utf8)))
        #expect(!Preprocessing.isOwn(json: Data(#"{"do_resize": true, "size": {"height": 3, "width": 3}}"#.utf8)))
        let message = #"preprocessing: "scales" is not supported: it is no key; the keys are version, "#
        do {
            _ = try Preprocessing(json: #"{"resize": {"mode": "none"}, "scales": 2}"#)
            Issue.record("no error")
        } catch {
            #expect("\(error)".hasPrefix(message))
        }
    }
}
