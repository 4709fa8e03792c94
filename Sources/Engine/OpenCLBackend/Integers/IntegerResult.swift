import Graphs
import Planning
import Tensors

/// What kernels make of exact sums, as `integer_results.cl` describes it.
enum IntegerResult {
    /// Bytes, or what stages make of them.
    case bytes(Requantization, bias: Tensor?, ElementwiseChain? = nil)
    case sums
    case numbers(Numbers)

    /// Numbers that sums stand for.
    struct Numbers {
        /// The scales of the rows, `rowScaleStep` apart.
        let rowScales: KernelCall.Argument
        let rowScaleStep: Int
        /// The scale of each column, or of all.
        let scales: Tensor
        let bias: Tensor?
        let addend: Operand?
        let activation: Activation?

        /// The rows of scales and biases, padded to `pitch`.
        func parameters(columns: Int, pitch: Int) throws -> KernelCall.Argument {
            func row(_ tensor: Tensor?) -> [Float] {
                let numbers = tensor?.elements(as: Float.self) ?? [0]
                let all = (0..<columns).map { numbers[numbers.count == 1 ? 0 : $0] }
                return all + [Float](repeating: 0, count: pitch - columns)
            }
            let values = row(scales) + row(bias)
            return .constant(try Tensor(values, shape: [values.count]), packing: "parameters") { $0 }
        }
    }

    func macros(to output: Operand) -> [String: String] {
        switch self {
        case .bytes(let requantization, _, let chain):
            let macros = ["RESULT": "0", "ROUNDING": requantization.roundingMacro]
            guard let chain else { return macros }
            return macros.merging(chain.macros(to: output)) { $1 }.merging(["VECTOR": "4"]) { $1 }
        case .sums: return ["RESULT": "1"]
        case .numbers(let numbers): return ["RESULT": "2", "ACTIVATION": "\(Epilogue.number(numbers.activation))"]
        }
    }

    /// The arguments RESULT_PARAMETERS.
    ///
    /// - Parameters:
    ///   - leftPoints: The zero points of the left factor.
    ///   - group: The number of groups of columns that have parameters of their own.
    func arguments(
        _ leftPoints: KernelCall.ZeroPointArguments, output: Operand, group: Int, columns: Int, pitch: Int
    ) throws -> [KernelCall.Argument] {
        let points: [KernelCall.Argument] = [leftPoints.memory, .int(leftPoints.number), .int(Int32(leftPoints.step))]
        let to = KernelCall.Argument.operand(output)
        switch self {
        case .bytes(let requantization, let bias, let chain):
            let parameters = try requantization.parameters(bias: bias, group: group, columns: columns, pitch: pitch)
            return points + [parameters] + requantization.ends + (chain?.numbers ?? []) + [to]
        case .sums: return points + [to]
        case .numbers(let numbers):
            let end: [KernelCall.Argument] = [
                numbers.rowScales, .int(Int32(numbers.rowScaleStep)), .operand(numbers.addend ?? output),
                .int(numbers.addend == nil ? 0 : 1),
            ]
            return points + [try numbers.parameters(columns: columns, pitch: pitch)] + end
                + Epilogue.arguments(numbers.activation).dropFirst() + [to]
        }
    }
}

/// A stack of products of bytes, in the form that `integer_gemm.cl` takes. Strides are in elements; the output is
/// dense.
struct IntegerMatrixCall {
    var stack = 1
    let rows: Int
    let columns: Int
    let depth: Int
    let left: Operand
    var leftStackStride = 0
    let leftRowStride: Int
    /// Whether zeros follow the rows up to whole vectors of four words.
    var isPadded = false
    var leftPoints: KernelCall.ZeroPointArguments
    let right: ByteWords
    let output: Operand
    let result: IntegerResult

    func calls(_ tiles: TileShape, _ dot: IntegerDot) throws -> [KernelCall] {
        let leftUnits = [left.position, leftStackStride, leftRowStride, isPadded ? 0 : depth]
        let adjacentWords = leftUnits.areMultiples(of: 16) ? 4 : 1
        let words = (depth + 3) / 4
        let pitch = ByteWords.pitch(columns: columns)
        var outputUnits = [columns, output.position]
        if case .numbers(let numbers) = result, let addend = numbers.addend { outputUnits.append(addend.position) }
        var macros = tiles.macros.merging(dot.macros(isSigned: left.elementType == .int8)) { $1 }
        macros.merge(result.macros(to: output)) { $1 }
        macros["LEFT_WORDS"] = "\(adjacentWords)"
        macros["ALIGNED"] = leftUnits.areMultiples(of: 4) ? "1" : "0"
        macros["OUTPUT_VECTOR"] = outputUnits.areMultiples(of: 4) ? "4" : "1"
        if right.hasPoints { macros["SUMS_ROWS"] = "1" }
        if leftPoints.isInMemory { macros["LEFT_POINTS"] = "1" }
        var arguments: [KernelCall.Argument] = [.operand(left), right.argument]
        arguments += try result.arguments(leftPoints, output: output, group: 1, columns: columns, pitch: pitch)
        arguments += ints([rows, columns, depth, words, words.roundedUp(to: adjacentWords), pitch, right.parts])
        arguments += [.long(leftStackStride)] + ints([leftRowStride, leftPoints.stackStride])
        arguments += [.long(rows * columns), .int(Int32(columns))]
        let product = KernelCall(
            tiles.integerGEMMSource, kernel: "integer_gemm", macros: macros, arguments: arguments,
            global: tiles.global(rows: rows, columns: columns, stack: stack), local: tiles.group)
        return [right.packing, product].compactMap { $0 }
    }
}
