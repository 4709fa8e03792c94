import Graphs

extension LayerKind {
    /// Applies an operator to each element of the only input.
    static func function(_ operation: any Operator) -> Translator {
        { layer, network throws(FormatError) in
            try network.output(layer, try network.writer.apply(operation, [try network.input(layer)]))
        }
    }

    static func clip(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLActivationParameters.self)
        let x = try network.input(layer)
        try network.output(layer, try network.writer.clipped(x, from: p.alpha, to: p.beta))
    }

    static func exp2(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        try network.output(layer, try network.writer.exp2(try network.input(layer)))
    }

    /// Compares two inputs, or the input and a number, by order: 1 where the comparison holds, otherwise 0.
    static func order(_ comparison: any Operator) -> Translator {
        { layer, network throws(FormatError) in
            let operands = try operands(layer, network) { () throws(FormatError) in
                try layer.decode(CoreMLComparisonParameters.self).alpha
            }
            try network.output(layer, try network.floats(try network.writer.apply(comparison, operands)))
        }
    }

    /// Compares two inputs, or the input and a number: 1 where they are equal, otherwise 0; negated, the reverse.
    static func equality(isNegated: Bool) -> Translator {
        { layer, network throws(FormatError) in
            let operands = try operands(layer, network) { () throws(FormatError) in
                try layer.decode(CoreMLActivationParameters.self).alpha
            }
            var result = try network.writer.apply(Equal(), operands)
            if isNegated { result = try network.writer.apply(Not(), [result]) }
            try network.output(layer, try network.floats(result))
        }
    }

    /// - Parameter number: The value that replaces a missing second input.
    private static func operands(
        _ layer: Layer, _ network: NetworkTranslator, number: () throws(FormatError) -> Float
    ) throws(FormatError) -> [Graph.ValueID] {
        let inputs = try network.alignedInputs(layer)
        return inputs.count == 1 ? inputs + [try network.writer.constant(try number())] : inputs
    }

    /// Applies an operator to truth values, which are numbers other than 0.
    static func logic(_ operation: any Operator) -> Translator {
        { layer, network throws(FormatError) in
            var inputs = try network.alignedInputs(layer)
            for index in inputs.indices { inputs[index] = try network.truth(inputs[index]) }
            try network.output(layer, try network.floats(try network.writer.apply(operation, inputs)))
        }
    }

    /// Applies an operator to two or more inputs that broadcast.
    static func broadcasting(_ operation: any Operator) -> Translator {
        { layer, network throws(FormatError) in
            var inputs = try network.alignedInputs(layer, atLeast: 2)
            var result = inputs.removeFirst()
            for input in inputs { result = try network.writer.apply(operation, [result, input]) }
            try network.output(layer, result)
        }
    }

    static func floorDivision(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let inputs = try network.alignedInputs(layer, atLeast: 2)
        try network.output(layer, try network.writer.floorQuotient(inputs))
    }

    static func modulo(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let inputs = try network.alignedInputs(layer, atLeast: 2)
        try network.output(layer, try network.writer.apply(Mod(), inputs))
    }

    /// The second input where the first is not 0, the third elsewhere.
    static func choice(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        var inputs = try network.alignedInputs(layer, atLeast: 3)
        inputs[0] = try network.truth(inputs[0])
        try network.output(layer, try network.writer.apply(Where(), inputs))
    }
}
