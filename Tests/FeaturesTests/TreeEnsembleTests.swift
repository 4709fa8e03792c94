import Features
import Testing

@Suite struct TreeEnsembleTests {
    private static let inputs = FeatureInputs(["x"])

    /// x ≤ 1 ? first : second
    private static func stump(_ first: [(index: Int, value: Double)], _ second: [(index: Int, value: Double)])
        -> [TreeEnsemble.Node]
    {
        [
            TreeEnsemble.Node(
                behavior: .lessOrEqual, feature: 0, threshold: 1, missingIsTrue: true, trueChild: 1, falseChild: 2,
                values: []),
            leaf(first), leaf(second),
        ]
    }

    private static func leaf(_ values: [(index: Int, value: Double)]) -> TreeEnsemble.Node {
        TreeEnsemble.Node(
            behavior: .leaf, feature: 0, threshold: 0, missingIsTrue: false, trueChild: 0, falseChild: 0, values: values
        )
    }

    @Test func sumsLeavesAndBase() throws {
        let trees = try TreeEnsemble(
            nodes: Self.stump([(0, 10)], [(0, 20)]), roots: [0, 0], base: [0.5], transform: .none, inputs: Self.inputs)
        let regressor = TreeRegressor(trees, output: "y")
        #expect(try regressor.evaluate(["x": 1])["y"]?.numbers == [20.5])
        #expect(try regressor.evaluate(["x": 1.5])["y"]?.numbers == [40.5])
        #expect(try regressor.evaluate(["x": .double(.nan)])["y"]?.numbers == [20.5])
    }

    @Test func classifies() throws {
        let trees = try TreeEnsemble(
            nodes: Self.stump([(0, 1)], [(1, 1)]), roots: [0], base: [0, 0], transform: .softmax, inputs: Self.inputs)
        let outputs = ClassifierOutputs(labels: [.int(7), .int(9)], labelName: "c", probabilitiesName: "p")
        let classifier = TreeClassifier(trees, outputs: outputs)
        #expect(try classifier.evaluate(["x": 0])["c"]?.numbers == [7])
        #expect(try classifier.evaluate(["x": 2])["c"]?.numbers == [9])
    }

    @Test func refusesTreesWithoutAnEnd() {
        var nodes = Self.stump([(0, 1)], [(0, 2)])
        nodes[0].trueChild = 0
        #expect(message { _ = try Self.ensemble(nodes) }.contains("do not end"))
        nodes[0].trueChild = 9
        #expect(message { _ = try Self.ensemble(nodes) }.contains("do not end"))
        #expect(message { _ = try Self.ensemble(Self.stump([(3, 1)], [])) }.contains("does not exist"))
        #expect(message { _ = try Self.ensemble(Self.stump([], []), roots: [5]) }.contains("no root"))
    }

    @Test func refusesTooFewNumbers() throws {
        var nodes = Self.stump([(0, 1)], [(0, 2)])
        nodes[0].feature = 3
        let regressor = TreeRegressor(try Self.ensemble(nodes), output: "y")
        #expect(message { _ = try regressor.evaluate(["x": 1]) }.contains("looks at number 3"))
    }

    private static func ensemble(_ nodes: [TreeEnsemble.Node], roots: [Int] = [0]) throws -> TreeEnsemble {
        try TreeEnsemble(nodes: nodes, roots: roots, base: [0], transform: .none, inputs: inputs)
    }
}
