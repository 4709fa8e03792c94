import Apus
import Graphs
import TestSupport
import Testing

@Suite("Inputs beside the picture")
struct FurtherInputTests {
    /// A network of a picture, two numbers of a style, a factor and a second picture in gray. Its row has the means of
    /// the picture's channels, the style multiplied by the factor, and the mean of the second picture.
    private static func model(
        batch: Dimension = .batch, factor: Shape = [], type: ElementType = .float32
    ) throws -> Model {
        let graph = try Graph.build("further") { net in
            let image = net.input("image", .float32, [batch, 3, 4, 4])
            let style = net.input("style", .float32, [batch, 2])
            let factor = net.input("factor", type, factor)
            let second = net.input("second", .float32, [batch, 1, 2, 2])
            let number = type == .float32 ? factor : net.append(Cast(to: .float32), kind: "cast", [factor])
            net.output(
                "row",
                net.concat(
                    [
                        image.globalAveragePool().reshape([0, 3]), style.multiplied(by: number),
                        second.globalAveragePool().reshape([0, 1]),
                    ], axis: 1))
        }
        var model = try Model(graph)
        var steps = Preprocessing()
        (steps.scale, steps.resizing) = (1, .exact(ImageSize(width: 4, height: 4)))
        model.preprocessing = steps
        return model
    }

    /// A picture of one gray.
    private static func gray(_ value: UInt8, side: Int = 4) throws -> Image {
        try Image(width: side, height: side, pixels: [UInt8](repeating: value, count: side * side * 3))
    }

    private static func given(_ model: Model) throws -> Model {
        var model = model
        model.inputValues = ["style": .numbers([2, -3]), "factor": .number(0.5), "second": .image(try gray(51))]
        return model
    }

    /// The numbers of the rows that a reader gives for grays, in batches.
    private static func rows(_ model: Model, _ grays: [UInt8], batch: Int) async throws -> [[Float]] {
        let reader = try await OutputReader(model)
        let records = try grays.map { ImageRecord(id: "\($0)", source: .image(try gray($0))) }
        let runner = BatchRunner(reader, options: BatchOptions(batch: batch))
        return try await runner.predict(records).map { try $0.answer.get().outputs[0].tensor.elements() }
    }

    /// The row for a gray: numbers of pictures are 0 to 255, and a gray picture among others is 0 to 1.
    private static func row(_ gray: Float, second: Float = 51.0 / 255) -> [Float] {
        [gray, gray, gray, 1, -1.5, second]
    }

    @Test(
        "Values are the same for every picture of a batch, whether the network fixes the batch or not",
        arguments: [Dimension.batch, 1], [[] as Shape, [1]])
    func constants(batch: Dimension, factor: Shape) async throws {
        let model = try Self.given(Self.model(batch: batch, factor: factor))
        let alone = try await OutputReader(model).predict(.image(try Self.gray(1)))
        #expect(alone.outputs[0].tensor.shape == [6])
        let grays: [UInt8] = [0, 7, 100, 255, 30]
        let expected = grays.map { Self.row(Float($0)) }
        for count in [1, 4] {
            let rows = try await Self.rows(model, grays, batch: count)
            for (row, numbers) in zip(rows, expected) {
                #expect(zip(row, numbers).allSatisfy { abs($0 - $1) <= 1e-6 * max(1, abs($1)) }, "\(row)")
            }
            #expect(try await rows == Self.rows(model, grays, batch: 1))
        }
    }

    @Test("An array has the extents of its input, with or without that of the batch, or is one list")
    func arrays() async throws {
        let model = try Self.model()
        let second = try Tensor([0.125, 0.25, 0.5, 1] as [Float], shape: [2, 2])
        for shape in [[1, 2], [2]] {
            for pixels in [[1, 1, 2, 2], [1, 2, 2], [4], [2, 2]] {
                var model = model
                model.inputValues = [
                    "style": .tensor(try Tensor([4, 8] as [Double], shape: shape)),
                    "factor": .tensor(try Tensor([Int64(3)], shape: [])),
                    "second": .tensor(try second.reshaped(to: pixels)),
                ]
                #expect(try await Self.rows(model, [9, 10, 11], batch: 2)[2] == [11, 11, 11, 12, 24, 0.46875])
            }
        }
    }

    @Test("Errors name the input, what it takes and what it got")
    func errors() async throws {
        func message(_ model: Model, _ values: [String: InputValue]) async throws -> String {
            var model = try Self.given(model)
            for (name, value) in values { model.inputValues[name] = value }
            do {
                _ = try await OutputReader(model)
            } catch {
                return "\(error)"
            }
            return "no error"
        }
        let model = try Self.model()
        #expect(
            try await message(model, ["style": .numbers([1, 2, 3])])
                == "further: input \"style\" float32[N, 2] does not take a list of 3 numbers")
        #expect(
            try await message(model, ["style": .tensor(try Tensor(zeros: .float32, shape: [1, 3]))])
                == "further: input \"style\" float32[N, 2] does not take float32[1, 3]")
        #expect(
            try await message(Self.model(type: .int64), ["factor": .number(0.5)])
                == "further: input \"factor\" int64[] takes no 0.5")
        #expect(
            try await message(model, ["styles": .number(1)])
                == "further: there is no input \"styles\"; the inputs are \"image\", \"style\", \"factor\", \"second\"")
        #expect(try await message(model, ["style": .image(try Self.gray(1))]).contains("\"style\" is float32[N, 2]"))
        let all = try await message(model, ["image": .image(try Self.gray(1))])
        #expect(all.contains("all inputs are given a value"))
        var open = model
        open.inputValues = ["second": .number(0)]
        await #expect {
            try await OutputReader(open)
        } throws: {
            "\($0)".hasPrefix(
                "further: beside the picture, the network takes \"style\" float32[N, 2], \"factor\" float32[]: give each "
                    + "with --input style=VALUE")
        }
        await #expect(throws: ApusError.self) { try await OutputReader(model) }
    }

    @Test("Integers are taken where every number is whole")
    func integers() async throws {
        var model = try Self.given(Self.model(type: .int64))
        model.inputValues["factor"] = .tensor(try Tensor([3] as [Float], shape: []))
        #expect(try await Self.rows(model, [1], batch: 1)[0].prefix(5) == [1, 1, 1, 6, -9])
    }

    @Test("Each record may have a value of its own, and one that lacks it or is damaged is an error of the record")
    func records() async throws {
        var model = try Self.given(Self.model())
        (model.inputValues["second"], model.inputValues["factor"]) = (.ofRecord, .number(0.5))
        let reader = try await OutputReader(model)
        var records: [ImageRecord] = []
        for index in 0..<6 {
            var record = ImageRecord(id: "\(index)", source: .image(try Self.gray(UInt8(index))))
            switch index {
            case 1: record.inputs["second"] = nil
            case 2: record.inputs["second"] = .file("/nowhere/second.png")
            case 3: record.inputs["second"] = .array(try Tensor([1, 2, 3] as [Float], shape: [3]))
            default: record.inputs["second"] = .array(try Tensor([Float(index)], shape: []))
            }
            records.append(record)
        }
        for batch in [1, 4] {
            let answers = try await BatchRunner(reader, options: BatchOptions(batch: batch)).predict(records)
            for (index, answer) in answers.enumerated() {
                switch answer.answer {
                case .success(let outputs):
                    #expect(
                        outputs.outputs[0].tensor.elements(as: Float.self)
                            == Self.row(Float(index), second: Float(index)))
                case .failure(let error):
                    #expect([1, 2, 3].contains(index) && error.message.contains("input \"second\""), "\(error)")
                }
            }
            #expect(answers.map { (try? $0.answer.get()) == nil } == [false, true, true, true, false, false])
        }
        await #expect(throws: RecordError.self) { try await reader.predict(.image(try Self.gray(1))) }
        let answer = try await reader.predict(
            .image(try Self.gray(1)), inputs: ["second": .image(try Self.gray(255, side: 9))])
        #expect(answer.outputs[0].tensor.elements(as: Float.self) == Self.row(1, second: 1))
    }

    @Test("Values for several pictures are refused, those of a record as its error")
    func severalPictures() async throws {
        let model = try Model(
            Graph.build("limits") { net in
                let image = net.input("image", .float32, [.batch, 3, 4, 4])
                let limit = net.input("limit", .float32, [.batch]).reshape([0, 1])
                net.output("row", image.globalAveragePool().reshape([0, 3]).multiplied(by: limit))
            })
        var listed = model
        listed.inputValues = ["limit": .numbers([0.1, 0.5])]
        await #expect {
            try await OutputReader(listed)
        } throws: {
            "\($0)" == "limits: input \"limit\" float32[N] is given values for 2 pictures; it takes those for one"
        }
        var own = model
        own.inputValues = ["limit": .ofRecord]
        var record = ImageRecord(id: "a", source: .image(try Self.gray(1)))
        record.inputs["limit"] = .array(try Tensor([1, 2] as [Float], shape: [2]))
        let answer = try #require(try await BatchRunner(OutputReader(own)).predict([record]).first)
        #expect(throws: RecordError.self) { try answer.answer.get() }
    }
}
