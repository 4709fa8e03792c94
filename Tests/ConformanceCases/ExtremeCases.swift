import Graphs

extension ConformanceCases {
    /// NaN, infinities, zeros of both signs, and the smallest and largest numbers, given to every elementwise function.
    package static let extremes: [ConformanceCase] = functionExtremes + pairExtremes + epilogueExtremes

    private static let smallest = Double(Float.leastNonzeroMagnitude)
    private static let smallestNormal = Double(Float.leastNormalMagnitude)
    private static let largest = Double(Float.greatestFiniteMagnitude)
    /// Numbers whose sums and differences are finite.
    private static let moderate: [Double] = [
        .nan, 0, -0.0, smallest, -smallest, 1e-40, -1e-40, smallestNormal, -smallestNormal, 1, -1,
    ]
    private static let numbers = moderate + [.infinity, largest, -largest, -.infinity]

    /// Results that are subnormal may be 0.
    private static let tolerance = ConformanceCase.Tolerance(relative: 1e-5, absolute: smallestNormal)

    private static let functions: [(name: String, operation: any Operator)] =
        unaryOperators.map { (name: type(of: $0).name, operation: $0 as any Operator) } + [
            ("IsInf", IsInf()), ("IsNaN", IsNaN()), ("Clip", Clip()),
            ("Clip/two bounds", Clip(min: -0.5, max: 2)), ("Clip/a minimum", Clip(min: 0)),
            ("Gelu/tanh", Gelu(isApproximate: true)), ("Swish/alpha", Swish(alpha: 1.702)),
            ("Swish/a negative alpha", Swish(alpha: -1)),
            ("HardSigmoid/alpha", HardSigmoid(alpha: 1 / 6)), ("Elu/alpha", Elu(alpha: 0.5)),
        ]

    private static let functionExtremes: [ConformanceCase] = functions.map { name, operation in
        // In rows that are longer than vectors.
        let rows = numbers + numbers.reversed() + numbers
        return ConformanceCase(
            "\(name)/extremes", operation, [.activation([3, numbers.count], .float32, .values(rows))],
            tolerance: tolerance)
    }

    /// Every arithmetic operator of two tensors or more, with the attributes that it has by default. Remainders of
    /// numbers that are no integers need `fmod`.
    private static let arithmetic: [any Operator] = Operators.all.compactMap { type in
        if type is Mod.Type { return Mod(truncates: true) }
        var attributes = AttributeReader([:])
        return try? (type as? any BroadcastingArithmetic.Type)?.init(&attributes)
    }

    /// Every number with every number.
    private static let pairExtremes: [ConformanceCase] =
        (arithmetic + [Pow(), PRelu()]).map { operation in
            // A float32 sum of the largest numbers is infinite where their mean is not.
            let numbers = operation is Mean ? numbers.filter { $0.magnitude != largest } : numbers
            return ConformanceCase(
                "\(type(of: operation).name)/extremes", operation,
                [
                    .activation(
                        [numbers.count, numbers.count], .float32,
                        .values(numbers.flatMap { Array(repeating: $0, count: numbers.count) })),
                    .activation([numbers.count], .float32, .values(numbers)),
                ], tolerance: tolerance)
        } + [
            ConformanceCase(
                "Pow/extremes, square", Pow(),
                [.activation([numbers.count], .float32, .values(numbers)), .weights([], .values([2]))],
                tolerance: tolerance)
        ]

    /// Every activation after every operator that applies one, which leaves each number as it is.
    private static let epilogueExtremes: [ConformanceCase] =
        (unaryOperators.compactMap { Activation($0) } + [.clip(low: -0.5, high: 2), .gelu(isApproximate: true)])
        .flatMap { activation in
            [threeByThree(activation)]
                + producers(activation).map { producer in
                    ConformanceCase(
                        "\(producer.name), \(activation)/extremes", producer.operation, producer.inputs(numbers),
                        tolerance: tolerance)
                }
        }

    /// An operator with an activation, and the inputs with which it computes the activation of each number.
    private struct Producer {
        let name: String
        let operation: any Operator
        let inputs: ([Double]) -> [ConformanceCase.Input?]

        init(
            _ name: String, _ operation: any Operator, _ inputs: @escaping ([Double]) -> [ConformanceCase.Input?]
        ) {
            (self.name, self.operation, self.inputs) = (name, operation, inputs)
        }
    }

    /// The names of the operators that are followed by every activation.
    package static let operatorsWithActivation = Set(producers(.relu).map { type(of: $0.operation).name })

    private static func producers(_ activation: Activation) -> [Producer] {
        let channels = 20
        func ones(_ shape: [Int]) -> ConformanceCase.Input { .weights(shape, .constant(1)) }
        func zeros(_ shape: [Int]) -> ConformanceCase.Input { .weights(shape, .constant(0)) }
        func given(_ shape: [Int], _ numbers: [Double]) -> ConformanceCase.Input {
            .activation(shape, .float32, .values(numbers))
        }
        let window = Conv(group: channels, pads: [1, 1, 1, 1], activation: activation)
        return [
            Producer("Add", Add(activation: activation)) { [given([$0.count], $0), zeros([$0.count])] },
            Producer("Sum", Sum(activation: activation)) { [given([$0.count], $0), zeros([]), zeros([$0.count])] },
            Producer("BatchNormalization", BatchNormalization(epsilon: 0, activation: activation)) {
                [given([1, 1, 1, $0.count], $0), ones([1]), zeros([1]), zeros([1]), ones([1])]
            },
            Producer("Conv/1×1", Conv(activation: activation)) {
                [given([1, 1, 1, $0.count], $0), ones([channels, 1, 1, 1])]
            },
            Producer("Conv/depthwise", window) { numbers in
                let pixels = numbers.flatMap { Array(repeating: $0, count: channels) }
                return [given([numbers.count, channels, 1, 1], pixels), ones([channels, 1, 3, 3])]
            },
            Producer("Gemm", Gemm(activation: activation)) {
                [given([$0.count, 1], $0), ones([1, channels]), zeros([channels])]
            },
            Producer("MatMul", MatMul(activation: activation)) { [given([$0.count, 1], $0), ones([1, channels])] },
        ]
    }

    /// Winograd's transforms subtract values, so that these are finite or NaN.
    private static func threeByThree(_ activation: Activation) -> ConformanceCase {
        ConformanceCase(
            "Conv/3×3, \(activation)/extremes", Conv(pads: [1, 1, 1, 1], activation: activation),
            [
                .activation([moderate.count, 1, 1, 1], .float32, .values(moderate)),
                .weights([20, 1, 3, 3], .constant(1)),
            ])
    }
}
