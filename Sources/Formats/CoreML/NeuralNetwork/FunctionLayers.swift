import Graphs

extension LayerKind {
    /// An operator on each element of the one input.
    static func function(_ name: String) -> Translator {
        { layer, network throws(FormatError) in
            try network.output(layer, try network.writer.apply(name, [try network.input(layer)]))
        }
    }

    static func clip(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let p = try layer.decode(CoreMLActivationParameters.self)
        let inputs = [
            try network.input(layer), try network.writer.constant([p.alpha]), try network.writer.constant([p.beta]),
        ]
        try network.output(layer, try network.writer.apply("Clip", inputs))
    }

    static func exp2(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let inputs = [try network.writer.constant([2]), try network.input(layer)]
        try network.output(layer, try network.writer.apply("Pow", inputs))
    }

    /// Whether two inputs, or the input and a number, compare so: 1 or 0.
    static func comparison(_ name: String, isNegated: Bool) -> Translator {
        { layer, network throws(FormatError) in
            var inputs = try network.alignedInputs(layer)
            if inputs.count == 1 {
                // The number is the second field where there is an order, the first where there is none.
                let isOrder = name != "Equal"
                let alpha =
                    isOrder
                    ? try layer.decode(CoreMLComparisonParameters.self).alpha
                    : try layer.decode(CoreMLActivationParameters.self).alpha
                inputs.append(try network.writer.constant([alpha]))
            }
            var result = try network.writer.apply(name, inputs)
            if isNegated { result = try network.writer.apply("Not", [result]) }
            try network.output(layer, try network.floats(result))
        }
    }

    /// An operator on truth values, which are numbers other than 0.
    static func logic(_ name: String) -> Translator {
        { layer, network throws(FormatError) in
            var inputs = try network.alignedInputs(layer)
            for index in inputs.indices { inputs[index] = try network.truth(inputs[index]) }
            try network.output(layer, try network.floats(try network.writer.apply(name, inputs)))
        }
    }

    /// An operator on two or more inputs that broadcast.
    static func broadcasting(_ name: String) -> Translator {
        { layer, network throws(FormatError) in
            var inputs = try network.alignedInputs(layer, atLeast: 2)
            var result = inputs.removeFirst()
            for input in inputs { result = try network.writer.apply(name, [result, input]) }
            try network.output(layer, result)
        }
    }

    static func floorDivision(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let quotient = try network.writer.apply("Div", try network.alignedInputs(layer, atLeast: 2))
        try network.output(layer, try network.writer.apply("Floor", [quotient]))
    }

    /// a − ⌊a / b⌋ · b, which has the sign of b.
    static func modulo(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        let inputs = try network.alignedInputs(layer, atLeast: 2)
        let quotient = try network.writer.apply("Floor", [try network.writer.apply("Div", inputs)])
        let whole = try network.writer.apply("Mul", [quotient, inputs[1]])
        try network.output(layer, try network.writer.apply("Sub", [inputs[0], whole]))
    }

    /// The second input where the first is not 0, the third elsewhere.
    static func choice(_ layer: Layer, _ network: NetworkTranslator) throws(FormatError) {
        var inputs = try network.alignedInputs(layer, atLeast: 3)
        inputs[0] = try network.truth(inputs[0])
        try network.output(layer, try network.writer.apply("Where", inputs))
    }
}
