import Features
import Tensors
import Testing

@Suite struct FeatureValueTests {
    @Test func literals() {
        #expect((3 as FeatureValue).kind == "an integer")
        #expect((0.5 as FeatureValue).kind == "a double")
        #expect(("north" as FeatureValue).kind == "a string")
    }

    @Test func numbers() throws {
        #expect((3 as FeatureValue).numbers == [3])
        #expect(try FeatureValue.array([1, 2]).numbers == [1, 2])
        #expect(("north" as FeatureValue).numbers == nil)
        #expect(FeatureValue.dictionary([:]).numbers == nil)
    }

    @Test func keys() {
        #expect((3 as FeatureValue).key == .int(3))
        #expect(("north" as FeatureValue).key == .string("north"))
        #expect((0.5 as FeatureValue).key == nil)
        #expect(FeatureKey.int(3).value.numbers == [3])
        #expect(FeatureKey.string("north").description == "north")
    }

    @Test func descriptions() {
        #expect(FeatureDescription.Kind.image(width: 4, height: 2).description == "image 4 × 2")
        #expect(FeatureDescription.Kind.dictionary(keys: .int).description == "dictionary of integers")
    }
}
