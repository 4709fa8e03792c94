import Tensors

/// A graph evaluated for each slice of its scan inputs, on its own results.
///
/// for i in 0..<T { s…, y_i… = body(s…, x_i…) }
///
/// Shapes: s_initial…, x… (T along their scan axes), and what the body reads of the graph around → the last s…, and
/// each y of all slices along a new axis. Where `isBatched`, all have a batch as their first axis, and the numbers of
/// slices stand before them.
/// Attributes: `body` (a graph from s…, x_i… to s…, y_i…; required), `num_scan_inputs` (required), `scan_input_axes`,
/// `scan_output_axes`, `scan_input_directions`, `scan_output_directions` (0 for each; 1 is backwards).
/// Reference: https://onnx.ai/onnx/operators/onnx__Scan.html
package struct Scan: ControlFlowOperator {
    package static let name = "Scan"
    package static let inputCount = 1...Int.max
    package static let outputCount = 1...Int.max
    package var bodies: [Subgraph]
    package var scanInputCount: Int
    package var inputAxes: [Int]
    package var outputAxes: [Int]
    package var isInputBackwards: [Bool]
    package var isOutputBackwards: [Bool]
    /// Whether all inputs but the captured ones have a batch as their first axis, and input 0 holds each image's number
    /// of slices.
    package var isBatched: Bool

    package init(_ attributes: inout AttributeReader) throws(OperatorError) {
        guard let body = try attributes.graph("body") else { throw .invalid("attribute \"body\" is missing") }
        guard let count = try attributes.int("num_scan_inputs"), count >= 1 else {
            throw .invalid("attribute \"num_scan_inputs\" is not a number above 0")
        }
        guard body.formalInputCount >= count, body.graph.outputs.count >= body.formalInputCount - count else {
            throw .invalid(
                "its body has \(body.formalInputCount) inputs and \(body.graph.outputs.count) outputs for "
                    + "\(count) scan inputs")
        }
        bodies = [body]
        scanInputCount = count
        isBatched = false
        let outputCount = body.graph.outputs.count - (body.formalInputCount - count)
        func numbers(_ name: String, _ count: Int) throws(OperatorError) -> [Int] {
            guard let numbers = try attributes.ints(name) else { return [Int](repeating: 0, count: count) }
            guard numbers.count == count else {
                throw .invalid("attribute \"\(name)\" has \(numbers.count) numbers; \(count) expected")
            }
            return numbers
        }
        isInputBackwards = try numbers("scan_input_directions", count).map { $0 != 0 }
        inputAxes = try numbers("scan_input_axes", count)
        outputAxes = try numbers("scan_output_axes", outputCount)
        isOutputBackwards = try numbers("scan_output_directions", outputCount).map { $0 != 0 }
    }

    package var attributes: [String: AttributeValue] {
        var values: [String: AttributeValue] = [
            "body": .graph(bodies[0]), "num_scan_inputs": .int(Int64(scanInputCount)),
        ]
        func add(_ name: String, _ numbers: [Int]) {
            if numbers.contains(where: { $0 != 0 }) { values[name] = .ints(numbers.map(Int64.init)) }
        }
        add("scan_input_directions", isInputBackwards.map { $0 ? 1 : 0 })
        add("scan_output_directions", isOutputBackwards.map { $0 ? 1 : 0 })
        add("scan_input_axes", inputAxes)
        add("scan_output_axes", outputAxes)
        return values
    }

    private var stateCount: Int { bodies[0].formalInputCount - scanInputCount }

    package func run(
        _ inputs: [Tensor?], allowance: LoopAllowance, evaluate: (Int, [Tensor]) throws -> [Tensor]
    ) throws -> [Tensor] {
        var own = try ownInputs(inputs)
        let lengths = isBatched ? try lengths(own.isEmpty ? nil : own.removeFirst()) : nil
        guard own.count == stateCount + scanInputCount else {
            throw OperatorError.invalid("has \(own.count) inputs, but its body \(stateCount + scanInputCount)")
        }
        let values = try own.indices.map { try own.required($0) }
        let captures = try captures(inputs, ofBody: 0)
        func scan(_ values: [Tensor], length: Int?) throws -> [Tensor] {
            try run(values, length: length, allowance: allowance) { try evaluate(0, $0 + captures) }
        }
        return try allowance.looping {
            guard isBatched else { return try scan(values, length: nil) }
            return try runBatch(values, lengths: lengths, scan)
        }
    }

    private func lengths(_ tensor: Tensor?) throws(OperatorError) -> [Int]? {
        guard let tensor else { return nil }
        guard tensor.elementType == .int64, tensor.shape.count == 1 else {
            throw .invalid("the numbers of slices are \(TensorType(tensor)); int64[N] is expected")
        }
        return tensor.elements(as: Int64.self).map(Int.init)
    }

    /// Scans the images of a batch one by one; zeros follow the slices of a shorter image.
    private func runBatch(
        _ values: [Tensor], lengths: [Int]?, _ scan: ([Tensor], Int?) throws -> [Tensor]
    ) throws -> [Tensor] {
        guard let count = values[0].shape.first, values.allSatisfy({ $0.shape.first == count }),
            lengths?.count ?? count == count
        else { throw OperatorError.invalid("its inputs disagree on the batch size") }
        let extent = values[stateCount].shape.count > 1 ? values[stateCount].shape[1] : 0
        var results: [[Tensor]] = []
        for image in 0..<count {
            let slices = try values.map {
                try $0.sliced(axis: 0, image..<image + 1).reshaped(to: Array($0.shape.dropFirst()))
            }
            var outputs = try scan(slices, lengths?[image])
            for index in outputs.indices where index >= stateCount && outputs[index].shape[0] < extent {
                let missing = [extent - outputs[index].shape[0]] + outputs[index].shape.dropFirst()
                let zeros = try Tensor(zeros: outputs[index].elementType, shape: missing)
                let type = TensorType(zeros.elementType, [extent] + missing.dropFirst())
                outputs[index] = try Concat(axis: 0).evaluate([outputs[index], zeros], outputTypes: [type])[0]
            }
            results.append(outputs)
        }
        return try bodies[0].graph.outputs.indices.map { index in
            var images = IterationResults(of: bodies[0], output: index)
            for outputs in results { try images.append(outputs[index]) }
            return try images.joined()
        }
    }

    /// - Parameter length: The number of slices; nil for all.
    private func run(
        _ values: [Tensor], length: Int?, allowance: LoopAllowance, _ evaluate: ([Tensor]) throws -> [Tensor]
    ) throws -> [Tensor] {
        var states = Array(values.prefix(stateCount))
        let sequences = Array(values.dropFirst(stateCount))
        let axes = try zip(sequences, inputAxes).map { try Axes.resolve($1, rank: $0.shape.count) }
        let extents = zip(sequences, axes).map { $0.shape[$1] }
        guard let extent = extents.first, extents.allSatisfy({ $0 == extent }) else {
            throw OperatorError.invalid("its scan inputs have \(extents) slices")
        }
        let count = length ?? extent
        guard count >= 0, count <= extent else {
            throw OperatorError.invalid("there are \(extent) slices, not \(count)")
        }
        var scans = outputAxes.indices.map { index in
            IterationResults(
                of: bodies[0], output: stateCount + index, axis: outputAxes[index],
                isBackwards: isOutputBackwards[index])
        }
        for step in 0..<count {
            try allowance.step()
            var slices: [Tensor] = []
            for (index, sequence) in sequences.enumerated() {
                let position = isInputBackwards[index] ? count - 1 - step : step
                var shape = sequence.shape
                shape.remove(at: axes[index])
                slices.append(try sequence.sliced(axis: axes[index], position..<position + 1).reshaped(to: shape))
            }
            let results = try evaluate(states + slices)
            guard results.count == stateCount + scans.count else {
                throw OperatorError.invalid("its body gives \(results.count) outputs")
            }
            states = Array(results.prefix(stateCount))
            for index in scans.indices { try scans[index].append(results[stateCount + index]) }
        }
        return states + (try scans.map { try $0.joined() })
    }
}
