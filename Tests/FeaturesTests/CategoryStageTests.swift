import Features
import Testing

@Suite struct CategoryStageTests {
    private static let input = FeatureInputs(["x"])

    @Test func encodesOneHot() throws {
        let colors: [FeatureKey] = [.string("red"), .string("green")]
        let strict = OneHotEncoder(
            input: Self.input, categories: colors, ignoresUnknown: false, isSparse: false, output: "y")
        #expect(try strict.evaluate(["x": "green"])["y"]?.numbers == [0, 1])
        #expect(message { _ = try strict.evaluate(["x": "blue"]) }.contains("\"blue\" is not known"))
        let sparse = OneHotEncoder(
            input: Self.input, categories: colors, ignoresUnknown: true, isSparse: true, output: "y")
        #expect(try sparse.evaluate(["x": "green"])["y"]?.dictionary == [.int(1): 1])
        #expect(try sparse.evaluate(["x": "blue"])["y"]?.dictionary == [:])
    }

    @Test func mapsCategories() throws {
        let map: [FeatureKey: FeatureKey] = [.string("one"): .int(1)]
        let open = CategoricalMapping(input: Self.input, map: map, fallback: .int(0), output: "y")
        #expect(try open.evaluate(["x": "one"])["y"]?.numbers == [1])
        #expect(try open.evaluate(["x": "two"])["y"]?.numbers == [0])
        let closed = CategoricalMapping(input: Self.input, map: map, fallback: nil, output: "y")
        #expect(message { _ = try closed.evaluate(["x": "two"]) }.contains("\"two\" is not known"))
    }

    @Test func vectorizesDictionaries() throws {
        let stage = DictionaryVectorizer(
            input: Self.input, keys: [.string("b"), .string("a")],
            output: FeatureDescription(name: "y", kind: .array(shape: [2])))
        let numbers: [FeatureKey: Double] = [.string("a"): 1, .string("c"): 3]
        #expect(try stage.evaluate(["x": .dictionary(numbers)])["y"]?.numbers == [0, 1])
        #expect(message { _ = try stage.evaluate(["x": 1]) }.contains("not a dictionary"))
    }
}
