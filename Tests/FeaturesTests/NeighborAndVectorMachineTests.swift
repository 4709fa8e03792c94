import Features
import Testing

@Suite struct NeighborAndVectorMachineTests {
    private static let inputs = FeatureInputs(["x"])

    private static func neighbors(_ weighting: NearestNeighbors.Weighting) throws -> NearestNeighbors {
        try NearestNeighbors(
            inputs: inputs, samples: [[0], [10], [11]], labels: [.string("low"), .string("high"), .string("high")],
            count: 3, weighting: weighting, fallback: nil, labelName: "c", probabilitiesName: "p")
    }

    /// At 1 two of three neighbours are high; by distance the low one weighs 1 against 1/9 + 1/10.
    @Test func nearestNeighborsVote() throws {
        #expect(try Self.neighbors(.uniform).evaluate(["x": 1])["c"]?.text == "high")
        let weighed = try Self.neighbors(.inverseDistance).evaluate(["x": 1])
        #expect(weighed["c"]?.text == "low")
        let share = weighed["p"]?.dictionary?[.string("low")] ?? 0
        #expect(abs(share - 1 / (1 + 1 / 9.0 + 1 / 10.0)) < 1e-12)
    }

    @Test func nearestNeighborsRefuseOtherLengths() throws {
        let neighbors = try Self.neighbors(.uniform)
        #expect(message { _ = try neighbors.evaluate(["x": .array([1, 2])]) }.contains("2 numbers"))
    }

    /// y = 2 · K(x, 1) − K(x, 3) − 0.5
    @Test(arguments: [
        (VectorKernel.linear, -2.5), (.polynomial(degree: 2, c: 1, gamma: 1), 2 * 9 - 49 - 0.5),
        (.radial(gamma: 0), 0.5),
    ])
    func supportVectorsRegress(_ kernel: VectorKernel, _ expected: Double) throws {
        let regressor = try SupportVectorRegressor(
            kernel: kernel, vectors: [[1], [3]], coefficients: [2, -1], rho: 0.5, inputs: Self.inputs, output: "y")
        #expect(try regressor.evaluate(["x": 2])["y"]?.numbers == [expected])
    }

    /// The decision is x · 1 − 0; what is positive is the first class.
    @Test func supportVectorsClassify() throws {
        let classifier = try SupportVectorClassifier(
            kernel: .linear, vectors: [[1]], counts: [1, 0], coefficients: [[1]], rho: [0], sigmoids: nil,
            inputs: Self.inputs,
            outputs: ClassifierOutputs(
                labels: [.string("up"), .string("down")], labelName: "c", probabilitiesName: "p"))
        #expect(try classifier.evaluate(["x": 2])["c"]?.text == "up")
        #expect(try classifier.evaluate(["x": -2])["c"]?.text == "down")
    }

    @Test func supportVectorsRefuseCountsThatDoNotFit() {
        let outputs = ClassifierOutputs(labels: [.int(0), .int(1)], labelName: "c", probabilitiesName: "p")
        for counts in [[1], [.max, 1], [-1, 2], [2, 0]] {
            let refusal = message {
                _ = try SupportVectorClassifier(
                    kernel: .linear, vectors: [[1]], counts: counts, coefficients: [[1]], rho: [0], sigmoids: nil,
                    inputs: Self.inputs, outputs: outputs)
            }
            #expect(!refusal.isEmpty, "\(counts)")
        }
    }
}
