import Features
import Testing

@Suite struct VectorStageTests {
    private static let input = FeatureInputs(["x"])

    @Test func vectorizes() throws {
        let stage = FeatureVectorizer(inputs: FeatureInputs(["a", "b"]), counts: [1, 2], output: "v")
        #expect(try stage.evaluate(["a": 1, "b": .array([2, 3])])["v"]?.numbers == [1, 2, 3])
        #expect(message { _ = try stage.evaluate(["a": 1, "b": 2]) }.contains("2 are expected"))
    }

    /// y = (x + shift) · scale
    @Test func scales() throws {
        let each = FeatureScaler(input: Self.input, shift: [1, -1], scale: [2, 10], output: "y")
        #expect(try each.evaluate(["x": .array([1, 2])])["y"]?.numbers == [4, 10])
        let all = FeatureScaler(input: Self.input, shift: [], scale: [3], output: "y")
        #expect(try all.evaluate(["x": .array([1, 2, 3])])["y"]?.numbers == [3, 6, 9])
        #expect(message { _ = try each.evaluate(["x": .array([1, 2, 3])]) }.contains("3 numbers"))
    }

    @Test(arguments: [
        (FeatureNormalizer.Norm.largest, [0.75, -1.0]), (.sum, [3 / 7.0, -4 / 7.0]), (.euclidean, [0.6, -0.8]),
    ])
    func normalizes(_ norm: FeatureNormalizer.Norm, _ expected: [Double]) throws {
        let stage = FeatureNormalizer(input: Self.input, norm: norm, output: "y")
        #expect(try stage.evaluate(["x": .array([3, -4])])["y"]?.numbers == expected)
        #expect(try stage.evaluate(["x": .array([0, 0])])["y"]?.numbers == [0, 0])
    }

    @Test func extracts() throws {
        let output = FeatureDescription(name: "y", kind: .double)
        let stage = ArrayFeatureExtractor(input: Self.input, indices: [2], output: output)
        #expect(try stage.evaluate(["x": .array([5, 6, 7])])["y"]?.numbers == [7])
        #expect(message { _ = try stage.evaluate(["x": .array([5])]) }.contains("no element 2"))
    }

    @Test func imputes() throws {
        let gaps = try FeatureImputer(
            input: Self.input, missing: .double(.nan), replacement: .array([8, 9]), output: "y")
        #expect(try gaps.evaluate(["x": .array([.nan, 1])])["y"]?.numbers == [8, 1])
        #expect(try gaps.evaluate(["x": .array([1, .nan])])["y"]?.numbers == [1, 9])
        let text = FeatureImputer(input: Self.input, missing: "", replacement: "none", output: "y")
        #expect(try text.evaluate(["x": ""])["y"]?.text == "none")
        #expect(try text.evaluate(["x": "some"])["y"]?.text == "some")
    }
}
