import ConformanceCases
import Graphs
import Tensors
import Testing

struct OperatorListTests {
    @Test func namesAreSortedAndUnique() {
        let names = Operators.all.map { $0.name.lowercased() }
        #expect(names == names.sorted())
        #expect(Set(names).count == names.count)
    }

    @Test func caseNamesAreUnique() {
        let names = ConformanceCases.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count > 150)
    }

    @Test(arguments: ConformanceCases.all.map(\.name))
    func everyCaseIsAGraphWhoseTypesAreInferred(name: String) throws {
        let test = try #require(ConformanceCases.find(name))
        let graph = try test.makeGraph()
        let types = try graph.inferTypes(inputShapes: graph.inputs.map { try #require(graph[$0].shape?.fixed) })
        let outputs = try test.expectedOutputs()
        for (id, output) in zip(graph.outputs, outputs) {
            #expect(types[id.index]?.shape == output.shape)
            #expect(types[id.index]?.elementType == output.elementType)
        }
    }

    /// Attributes that an operator prints describe it completely.
    @Test(arguments: ConformanceCases.all.map(\.name))
    func printedAttributesRebuildTheOperator(name: String) throws {
        let test = try #require(ConformanceCases.find(name))
        if (test.operation as? any ActivationFusing)?.activation != nil { return }
        // Only rewrites make these operators.
        if test.operation is ScaledDotProductAttention || test.operation is IntegerConv { return }
        if test.operation is QuantizedMatMul || test.operation is ConvIntegerToFloat { return }
        if test.operation is IntegerAveragePool || test.operation is IntegerMean { return }
        // Only readers and rewrites make these operators, from the scales of a file.
        if test.operation is IntegerAdd || test.operation is Lookup || test.operation is IntegerMatMul { return }
        // Only the reader of TensorFlow Lite makes these operators.
        if test.operation is IntegerResize || test.operation is AffineQuantize { return }
        if test.operation is IntegerMul || test.operation is IntegerPRelu { return }
        if test.operation is IntegerSoftmax || test.operation is IntegerL2Normalization { return }
        if (test.operation as? any AxisNormalization)?.flattensTrailingAxes == true { return }
        let inputs = try test.makeInputs()
        let outputs = try test.expectedOutputs()
        let rebuilt = try read(
            type(of: test.operation).name, test.operation.attributes, domain: type(of: test.operation).domain,
            outputs: type(of: test.operation).name == "Split" ? outputs.count : 1)
        let types = try rebuilt.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
        for (a, b) in zip(try rebuilt.evaluate(inputs, outputTypes: types), outputs) {
            #expect(a.shape == b.shape)
            #expect(a.elements(as: Double.self).map(\.bitPattern) == b.elements(as: Double.self).map(\.bitPattern))
        }
    }
}
