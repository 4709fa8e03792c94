import Apus
import Formats
import Foundation
import Graphs
import Quantizing
import Tensors
import Testing

@Suite("Networks whose products get narrow weights")
struct NarrowWeightsTests {
    /// A transformer's layer on tokens of 48 features, and a head.
    private func transformer() throws -> Model {
        let graph = try Graph.build("transformer") { net in
            let tokens = net.input("tokens", .float32, [.batch, 20, 48])
            let features = tokens.transformerEncoder(heads: 3, hidden: 96).layerNormalization()
            net.output("scores", features.select(0, axis: 1).linear(10))
        }
        return try Model(graph.seeded(7))
    }

    private func tokens(_ count: Int) throws -> Tensor {
        var numbers = NormalNumbers(seed: 3, stream: "tokens")
        return try Tensor((0..<count * 20 * 48).map { _ in Float(numbers.next()) }, shape: [count, 20, 48])
    }

    private func scores(_ model: Model, _ input: Tensor) async throws -> [Float] {
        let session = try await Session(model)
        return try #require(try await session.predict(["tokens": input])["scores"]).elements(as: Float.self)
    }

    private func error(_ found: [Float], _ expected: [Float]) -> Float {
        let squares = zip(found, expected).reduce(Float(0)) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }
        return (squares / expected.reduce(0) { $0 + $1 * $1 }).squareRoot()
    }

    @Test("By row: a file of plain ONNX, read back as one operator for each product, with nearly the same answers")
    func byRow() async throws {
        let model = try transformer()
        let (quantized, report) = try model.quantizedByRow()
        #expect(report.productCount == 5)
        #expect(report.byteCountBefore == 4 * (48 * 144 + 48 * 48 + 2 * 48 * 96 + 480))
        #expect(report.byteCount < report.byteCountBefore / 3)
        let content = try ONNXFormat().write(quantized.source)
        let read = try Model(ONNXFormat().read(content, folder: nil))
        #expect(read.source.nodes.count { $0.operation is MatMulInteger } == 5)
        #expect(read.source.nodes.allSatisfy { type(of: $0.operation).domain.isEmpty })
        #expect(read.graph.nodes.count { $0.operation is QuantizedMatMul } == 5)
        #expect(!read.graph.nodes.contains { $0.operation is MatMul || $0.operation is Gemm })
        let input = try tokens(3)
        let (expected, found) = (try await scores(model, input), try await scores(read, input))
        let error = error(found, expected)
        #expect(error > 0 && error < 0.03, "\(error)")
    }

    @Test(
        "4 bits: a file with MatMulNBits, with answers that are closer with smaller groups", arguments: [16, 32, 128])
    func narrow(groupSize: Int) async throws {
        let model = try transformer()
        let (quantized, report) = try model.withNarrowWeights(groupSize: groupSize)
        #expect(report.productCount == 5)
        let read = try Model(ONNXFormat().read(try ONNXFormat().write(quantized.source), folder: nil))
        #expect(read.graph.nodes.count { ($0.operation as? MatMulNBits)?.blockSize == groupSize } == 5)
        let input = try tokens(3)
        let error = error(try await scores(read, input), try await scores(model, input))
        #expect(error > 0 && error < 0.25, "\(error)")
    }

    @Test("A group is rounded by less than a step of its range, and zeros stay zeros")
    func groups() {
        var generator = SplitMix64(seed: 4)
        for count in [1, 5, 16, 32] {
            for range in [Float(-1)...1, 0...3, -2...0, 2...3] {
                let numbers = (0..<count).map { _ in Float.random(in: range, using: &generator) }
                let group = NibbleGroup(numbers[...], size: 32)
                #expect(group.integers.count == 32 && group.integers.allSatisfy { $0 < 16 })
                let step = (max(0, range.upperBound) - min(0, range.lowerBound)) / 15
                let mean = zip(group.integers, numbers).reduce(Float(0)) { sum, pair in
                    let error = (Float(pair.0) - Float(group.zeroPoint)) * group.scale - pair.1
                    return sum + error * error / Float(count)
                }
                #expect(mean.squareRoot() <= step)
                #expect(group.integers.dropFirst(count).allSatisfy { $0 == group.zeroPoint })
            }
        }
        let zeros = NibbleGroup([0, 0, 0], size: 16)
        #expect(zeros.integers.allSatisfy { $0 == zeros.zeroPoint } && zeros.scale > 0)
    }

    @Test("Networks without products, other sizes of groups, and weights that are not finite are refused")
    func refused() throws {
        let empty = try Model(
            Graph.build("relu") { net in net.output("y", net.input("x", .float32, [.batch, 3, 4, 4]).relu()) })
        #expect(throws: ApusError.self) { try empty.quantizedByRow() }
        #expect(throws: ApusError.self) { try empty.withNarrowWeights() }
        for size in [0, -16, 8, 48, 512] {
            #expect(throws: ApusError.self) { try transformer().withNarrowWeights(groupSize: size) }
        }
        var graph = try transformer().source
        let id = try #require(graph.initializers.first { $0.value.shape == [48, 96] }?.key)
        var numbers = try #require(graph.initializers[id]).elements(as: Float.self)
        numbers[7] = .nan
        graph.initializers[id] = try Tensor(numbers, shape: [48, 96])
        let model = try Model(graph)
        #expect(throws: ApusError.self) { try model.quantizedByRow() }
        #expect(throws: ApusError.self) { try model.withNarrowWeights() }
    }
}
