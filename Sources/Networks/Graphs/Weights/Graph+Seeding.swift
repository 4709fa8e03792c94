import Tensors

extension Graph {
    /// The network with generated weights in place of missing ones, which depend only on the seed.
    ///
    ///     let network = try Networks.squeezeNet1_1().seeded(7)
    ///
    /// Weights of convolutions and linear layers are drawn from a normal distribution with the variance 2 / (inputs
    /// summed up for one element), after He et al., so that values neither vanish nor explode through ReLUs; they
    /// depend only on the seed and the weight's name. Scales of normalisations and factors of channels are 1; biases
    /// and means are 0; variances are those expected for inputs with variance 1.
    ///
    /// Reference: https://arxiv.org/abs/1502.01852
    ///
    /// - Throws: ``GraphError/tensor(_:)`` when memory runs out.
    public func seeded(_ seed: UInt64) throws(GraphError) -> Graph {
        var constants: [ValueID: Double] = [:]
        var addendCounts: [ValueID: Double] = [:]
        let squares = expectedSquares()
        for node in nodes {
            switch node.operation {
            case is LayerNormalization, is Mul:
                for case let scale? in node.inputs.dropFirst() { constants[scale] = 1 }
                if node.operation is LayerNormalization, node.inputs.count > 2, let bias = node.inputs[2] {
                    constants[bias] = 0
                }
            case is MatMul:
                guard let weight = node.inputs[1], let rows = weightShape(weight).dropLast().last else { continue }
                addendCounts[weight] = Double(rows)
            case let transposed as ConvTranspose:
                guard let weight = node.inputs[1], let channels = weightShape(weight).first else { continue }
                // An element of the result is covered by as many windows as strides fit into a kernel.
                let window = zip(transposed.window.kernel, transposed.window.strides).reduce(1.0) {
                    $0 * Double($1.0) / Double($1.1)
                }
                addendCounts[weight] = Double(channels / transposed.group) * window
            default: continue
            }
        }
        for node in nodes where node.operation is BatchNormalization && node.inputs.count == 5 {
            if let scale = node.inputs[1] { constants[scale] = 1 }
            if let input = node.inputs[0], let variance = node.inputs[4] { constants[variance] = squares[input.index] }
        }
        var found: [ValueID: Tensor] = [:]
        for id in missingWeights {
            do {
                found[id] = try madeUp(id, seed: seed, constant: constants[id], addendCount: addendCounts[id])
            } catch {
                throw .tensor(error)
            }
        }
        return filling(found)
    }

    /// The expected mean square of every value's elements, for inputs with mean square 1 and generated weights.
    ///
    /// A ReLU halves the mean square of a value with mean 0; others, such as a sum with positive values, may keep it.
    /// Of a variance of 1, x · sigmoid(x) leaves 0.356 and hard-swish 0.332, and a larger share of larger ones: numbers
    /// a little above those keep deviations from growing. The gates of an excitation are 1/2 on average.
    private func expectedSquares() -> [Double] {
        let missing = Set(missingWeights)
        var squares = [Double](repeating: 1, count: values.count)
        var centred: Set<ValueID> = []
        for id in missing where weightShape(id).count < 2 { squares[id.index] = 0 }
        var gated: [ValueID: ValueID] = [:]
        for node in nodes where node.operation is Sigmoid {
            if let input = node.inputs[0], let output = node.outputs[0] { gated[output] = input }
        }
        for node in nodes {
            let inputs = node.inputs.compactMap { $0 }
            guard let first = inputs.first else { continue }
            let square = squares[first.index]
            let result =
                switch node.operation {
                case is Conv, is Gemm, is MatMul, is ConvTranspose:
                    inputs.dropFirst().contains(where: missing.contains) ? 2 * square : square
                case is BatchNormalization, is LayerNormalization: 1.0
                case is HardSwish: 0.36 * square
                case is Sigmoid, is HardSigmoid: 0.3
                case is Mul where inputs.count == 2:
                    gated[inputs[1]] == first ? 0.4 * square : square * squares[inputs[1].index]
                case is Relu, is Clip: centred.contains(first) ? square / 2 : square
                case is Add: inputs.reduce(0) { $0 + squares[$1.index] }
                case is Concat: inputs.reduce(0) { $0 + squares[$1.index] } / Double(inputs.count)
                default: square
                }
            let isCentred = node.operation is Conv || node.operation is Gemm || node.operation is BatchNormalization
            for case let output? in node.outputs {
                squares[output.index] = result
                if isCentred { centred.insert(output) }
            }
        }
        return squares
    }

    private func madeUp(
        _ id: ValueID, seed: UInt64, constant: Double?, addendCount: Double?
    ) throws(TensorError) -> Tensor {
        let shape = weightShape(id)
        let elementType = self[id].elementType ?? .float32
        let count = try Shape.elementCount(shape)
        if let constant {
            try Tensor.claim(shape)
            return try Tensor([Double](repeating: constant, count: count), as: elementType, shape: shape)
        }
        guard shape.count >= 2, count > 0 else { return try Tensor(zeros: elementType, shape: shape) }
        var generator = NormalNumbers(seed: seed, stream: self[id].name)
        let deviation = (2 / (addendCount ?? Double(count / shape[0]))).squareRoot()
        guard elementType == .float32 else {
            try Tensor.claim(shape)
            return try Tensor((0..<count).map { _ in generator.next() * deviation }, as: elementType, shape: shape)
        }
        return try Tensor(shape: shape) { _ in Float(generator.next() * deviation) }
    }
}
