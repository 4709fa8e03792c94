import Apus
import CApus
import Glibc
import Testing
import TestSupport

@Suite(.callerThreads) struct SessionTests {
    private static let shape: [Int64] = [2, 3, 227, 227]
    private static let area = 227 * 227
    private static let pixels: [Float] = (0..<6 * area).map { (index: Int) -> Float in Float(index * 7 % 251) / 251 }

    @Test func inputsAndOutputsAreDescribed() throws {
        let model = try Interface.handle { apus_model_open(Interface.classifier, nil, $0, $1) }
        defer { Interface.release(model) }
        var value = apus_value()
        try Interface.call { apus_model_input(model, 0, &value, $0) }
        #expect(String(cString: try #require(value.name)) == "data")
        #expect(Int(value.type) == APUS_FLOAT32)
        #expect(value.rank == 4)
        #expect(value.extents.0 == -1)
        #expect(value.extents.1 == 3)
        #expect(value.extents.2 == 227)
        #expect(String(cString: try #require(value.symbols.0)) == "N")
        #expect(value.symbols.1 == nil)
        #expect(try Interface.text { apus_model_describe(model, $0, $1) }.contains("\"classify\""))
    }

    @Test func outputsHaveTheBitsOfSwift() async throws {
        let model = try Model(contentsOf: Interface.classifier)
        let inputs = ["data": try Tensor(Self.pixels, shape: Self.shape.map { Int($0) })]
        let wanted = try await Session(model).predict(inputs).values.first?.elements(as: Float.self)
        let session = try Interface.session(Interface.classifier)
        let input = try Interface.tensor(Self.pixels, Self.shape)
        #expect(try Interface.run(session, input, 2000) == wanted)
        Interface.release(input)
        Interface.release(session)
    }

    /// Memory of a caller need not be aligned beyond its elements, nor lie in row-major order.
    @Test func borrowedMemoryGivesTheSameBits() throws {
        let session = try Interface.session(Interface.classifier)
        let copied = try Interface.tensor(Self.pixels, Self.shape)
        let wanted = try Interface.run(session, copied, 2000)
        let count = Self.pixels.count
        let memory = UnsafeMutablePointer<Float>.allocate(capacity: 2 * count + 1)
        defer { memory.deallocate() }
        for (index, pixel) in Self.pixels.enumerated() { memory[1 + index] = pixel }
        func check(_ strides: [Int64]?, _ bytes: Int) throws {
            let input = try Interface.handle { handle, error in
                apus_tensor_borrow(
                    apus_element_type(APUS_FLOAT32), 4, Self.shape, strides, memory + 1, bytes, nil, nil, handle, error)
            }
            #expect(try Interface.run(session, input, 2000) == wanted)
            Interface.release(input)
        }
        try check(nil, count * 4)
        // Channels last.
        for plane in 0..<6 {
            let (image, channel) = (plane / 3, plane % 3)
            for pixel in 0..<Self.area {
                let place = (image * Self.area + pixel) * 3 + channel
                memory[1 + place] = Self.pixels[plane * Self.area + pixel]
            }
        }
        try check([Int64(3 * Self.area), 1, 3 * 227, 3], count * 4)
    }

    @Test func manyRunsAtOnceGiveTheSameBits() async throws {
        let session = try Interface.session(Interface.classifier, ["threads": "2", "streams": "2"])
        let input = try Interface.tensor(Array(Self.pixels.prefix(3 * 227 * 227)), [1, 3, 227, 227])
        let wanted = try Interface.run(session, input, 1000)
        var handles: [OpaquePointer] = []
        for _ in 0..<40 {
            var inputs: [OpaquePointer?] = [input]
            handles.append(
                try Interface.handle { apus_session_run_async(session, nil, &inputs, 1, nil, nil, $0, $1) })
        }
        // What work reads lives as long as the work.
        Interface.release(input)
        Interface.release(session)
        for work in handles {
            try Interface.call { apus_work_wait(work, -1, $0) }
            let output = try Interface.handle { apus_work_outputs(work, nil, $0, 1, $1) }
            #expect(try Interface.numbers(output, 1000) == wanted)
            Interface.release(output)
            Interface.release(work)
        }
    }

    @Test func aModelIsReadFromMemory() throws {
        let content = try FileContent.read(Interface.classifier, atMost: .max)
        let model = try Interface.handle { handle, error in
            content.withUnsafeBytes { apus_model_read($0.baseAddress, $0.count, "mine", nil, handle, error) }
        }
        let session = try Interface.handle { apus_session_start(model, nil, $0, $1) }
        let input = try Interface.tensor(Self.pixels, Self.shape)
        let file = try Interface.session(Interface.classifier)
        #expect(try Interface.run(session, input, 2000) == Interface.run(file, input, 2000))
    }

    @Test func errorsNameWhatIsAtFault() throws {
        let session = try Interface.session(Interface.classifier)
        let input = try Interface.tensor([1, 2], [1, 2])
        let misfit = try #require(throws: Interface.Failure.self) { try Interface.run(session, input, 1000) }
        #expect(misfit.message.contains("\"data\""))
        #expect(Int(misfit.status) == APUS_ERROR_ARGUMENT)
        #expect(misfit.code == "argument")
        let missing = try #require(throws: Interface.Failure.self) {
            try Interface.handle { apus_model_open("/no/such.onnx", nil, $0, $1) }
        }
        #expect(Int(missing.status) == APUS_ERROR_FILE)
        #expect(missing.place == "/no/such.onnx")
        let option = try #require(throws: Interface.Failure.self) {
            try Interface.session(Interface.classifier, ["threads": "none"])
        }
        #expect(Int(option.status) == APUS_ERROR_ARGUMENT)
        #expect(option.code == "option")
        #expect(option.message.contains("none"))
    }

    @Test func plansAndProfilesAreDocuments() throws {
        let session = try Interface.session("zoo:squeezenet1_1", ["profile": nil])
        #expect(try Interface.text { apus_session_plan(session, 2, $0, $1) }.contains("\"lowering\""))
        let early = try #require(throws: Interface.Failure.self) {
            try Interface.text { apus_session_profile(session, $0, $1) }
        }
        #expect(early.code == "profile")
        let input = try Interface.tensor([Float](repeating: 0.5, count: 3 * 224 * 224), [1, 3, 224, 224])
        _ = try Interface.run(session, input, 1000)
        #expect(try Interface.text { apus_session_profile(session, $0, $1) }.contains("\"layers\""))
    }

    @Test func configurationsAreCompared() throws {
        let options = try Interface.options(["threads": "1", "rounds": "1", "seconds": "0.05", "limit": "1"])
        let model = try Interface.handle { apus_model_open(Interface.classifier, options, $0, $1) }
        func compare(_ configurations: [String], _ inputs: [String] = []) throws -> String {
            try withTexts(configurations) { configurations in
                try withTexts(inputs) { inputs in
                    try Interface.text {
                        apus_model_compare(
                            model, configurations.baseAddress, configurations.count, inputs.baseAddress, inputs.count,
                            options, $0, $1)
                    }
                }
            }
        }
        let random = try compare(["cpu", "one=backend:cpu,threads:1"])
        #expect(random.contains("\"isSeeded\" : true") && random.contains("\"agrees\" : true"))
        #expect(random.contains("\"name\" : \"one\""))
        let seen = try compare(["cpu"], [Interface.photos])
        #expect(seen.contains("\"isSeeded\" : false"))
        #expect(seen.contains("astronaut.png") && !seen.contains("coffee.png"))
        for (configurations, inputs, code) in [
            (["nonsense"], [], "backend"), (["one=speed:high"], [], "configuration"), (["cpu", "cpu"], [], "argument"),
            (["cpu"], ["/no/such.png"], "file"), (["opencl++cpu"], [], "argument"),
        ] {
            let failure = try #require(throws: Interface.Failure.self) { try compare(configurations, inputs) }
            #expect(failure.code == code, "\(failure)")
        }
        Interface.release(model)
        Interface.release(options)
    }

    /// A model of ONNX with one node, of an operator that does not exist.
    private static let unknownOperator: [UInt8] = {
        func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] { [number << 3 | 2, UInt8(bytes.count)] + bytes }
        func text(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }
        func value(_ name: String) -> [UInt8] {
            text(1, name) + field(2, field(1, [8, 1] + field(2, field(1, [8, 2]))))
        }
        let node = text(1, "x") + text(2, "y") + text(3, "strange") + text(4, "Nothing")
        let graph = field(1, node) + text(2, "network") + field(11, value("x")) + field(12, value("y"))
        return [8, 8] + field(7, graph) + field(8, [16, 17])
    }()

    @Test func errorsNameTheNodeThatIsAtFault() throws {
        let failure = try #require(throws: Interface.Failure.self) {
            try Interface.handle { handle, error in
                apus_model_read(Self.unknownOperator, Self.unknownOperator.count, "mine", nil, handle, error)
            }
        }
        #expect(Int(failure.status) == APUS_ERROR_UNSUPPORTED_MODEL)
        #expect(failure.place == "mine: node \"strange\"")
    }

    @Test func messagesHoldNoControlCharacters() throws {
        let missing = try #require(throws: Interface.Failure.self) {
            try Interface.handle { apus_model_open("/no/\u{1B}[2Jsuch\u{202E}.onnx", nil, $0, $1) }
        }
        #expect(missing.message.hasPrefix("/no/\\x1B[2Jsuch\\x202E.onnx: "))
        #expect(missing.place == "/no/\u{1B}[2Jsuch\u{202E}.onnx")
    }

    private func withTexts<Result>(
        _ texts: [String], _ body: (UnsafeBufferPointer<UnsafePointer<CChar>?>) throws -> Result
    ) rethrows -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return try copies.map { UnsafePointer<CChar>($0) }.withUnsafeBufferPointer(body)
    }
}
