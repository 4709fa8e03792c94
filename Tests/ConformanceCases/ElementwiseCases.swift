import Graphs
import Tensors

extension ConformanceCases {
    /// Elementwise functions of one tensor.
    package static let elementwise: [ConformanceCase] =
        unaryOperators.map { operation in
            let name = type(of: operation).name
            let range = domains[name] ?? -4...4
            return ConformanceCase(
                name, operation, [.activation([2, 5, 7, 3], .float32, .uniform(range.lowerBound, range.upperBound))])
        }
        + [IsInf() as any Operator, IsNaN()].map {
            ConformanceCase("\(type(of: $0).name)", $0, [.activation([2, 5, 7, 3], .float32, .uniform(-4, 4))])
        }
        + [
            ConformanceCase(
                "Gelu/tanh", Gelu(isApproximate: true), [.activation([3, 333], .float32, .uniform(-6, 6))]),
            ConformanceCase("SwiGLU", SwiGLU(alpha: 0.7), [.activation([3, 7, 5]), .activation([3, 7, 5])]),
            ConformanceCase("Swish/alpha", Swish(alpha: 1.702), [.activation([3, 7, 5], .float32, .uniform(-6, 6))]),
            ConformanceCase("Celu/alpha", Celu(alpha: 2), [.activation([3, 7, 5], .float32, .uniform(-4, 4))]),
            ConformanceCase("Pow/square", Pow(), [.activation([3, 7]), .weights([], .values([2]))]),
            ConformanceCase("Relu/one element", Relu(), [.activation([])], tolerance: .exact),
            ConformanceCase("Relu/1001 elements", Relu(), [.activation([1, 1001])], tolerance: .exact),
            ConformanceCase("Clip/attributes", Clip(min: -0.5, max: 0.25), [.activation([3, 7])], tolerance: .exact),
            ConformanceCase("Clip/no bounds", Clip(), [.activation([3, 7])], tolerance: .exact),
            ConformanceCase(
                "Clip/constants", Clip(),
                [.activation([3, 7]), .weights([], .values([0])), .weights([], .values([0.5]))], tolerance: .exact),
            ConformanceCase(
                "Clip/only a maximum", Clip(), [.activation([3, 7]), nil, .weights([], .values([0.5]))],
                tolerance: .exact),
            ConformanceCase("PRelu/channels", PRelu(), [.activation([2, 5, 4, 3]), .weights([5, 1, 1])]),
            ConformanceCase("PRelu/one slope", PRelu(), [.activation([2, 5, 4, 3]), .weights([1])]),
            ConformanceCase("LeakyRelu/slope 0.2", LeakyRelu(alpha: 0.2), [.activation([2, 5, 4, 3])]),
            ConformanceCase(
                "Cast/to int64", Cast(to: .int64), [.activation([9], .float32, .uniform(-9, 9))], tolerance: .exact),
            ConformanceCase("Cast/to float16", Cast(to: .float16), [.activation([9])], tolerance: .exact),
            ConformanceCase(
                "Cast/from uint8", Cast(to: .float32), [.activation([9], .uint8, .whole(0, 255))], tolerance: .exact),
            ConformanceCase(
                "Cast/from uint8, images", Cast(to: .float32), [.activation([2, 3, 5, 8], .uint8, .whole(0, 255))],
                tolerance: .exact),
            ConformanceCase("Dropout", Dropout(), [.activation([2, 9])], tolerance: .exact),
            ConformanceCase("Identity", Identity(), [.activation([2, 9])], tolerance: .exact),
        ]

    /// Every operator of one element, with the attributes that it has by default.
    static let unaryOperators: [any ElementwiseUnary] = Operators.all.compactMap { type in
        var attributes = AttributeReader([:])
        return try? (type as? any ElementwiseUnary.Type)?.init(&attributes)
    }

    /// Where functions that are not defined everywhere are tried.
    private static let domains: [String: ClosedRange<Double>] = [
        "Acos": -0.9...0.9, "Acosh": 1...9, "Asin": -0.9...0.9, "Atanh": -0.9...0.9, "Log": 0.1...4,
        "Reciprocal": 0.1...4, "Sqrt": 0.1...4,
    ]

    /// Functions of integers and of remainders.
    package static let limited: [ConformanceCase] =
        [
            BitwiseAnd() as any Operator, BitwiseOr(), BitwiseXor(), BitShift(direction: .left),
            BitShift(direction: .right), Mod(), Mod(truncates: true),
        ].enumerated().map { index, operation in
            ConformanceCase(
                "\(type(of: operation).name)/integers \(index)", operation,
                [.activation([2, 3, 5], .uint32, .whole(0, 1 << 20)), .activation([5], .uint32, .whole(1, 20))],
                tolerance: .exact)
        }
        + [
            ConformanceCase(
                "BitwiseNot", BitwiseNot(), [.activation([2, 9], .int16, .whole(-999, 999))], tolerance: .exact),
            ConformanceCase(
                "Mod/numbers", Mod(truncates: true),
                [.activation([9], .float32, .uniform(-9, 9)), .activation([9], .float32, .uniform(1, 3))]),
        ]

    /// Functions of two or more tensors that broadcast.
    package static let broadcasts: [ConformanceCase] =
        [Add() as any Operator, Sub(), Mul(), Div(), Max(), Min()].flatMap { operation in
            pairs.map { a, b in
                ConformanceCase(
                    "\(type(of: operation).name)/\(a) \(b)", operation,
                    [.activation(a), .activation(b, .float32, .uniform(0.5, 2))])
            }
        }
        + [Sum() as any Operator, Mean(), Max(), Min()].map { operation in
            ConformanceCase(
                "\(type(of: operation).name)/three", operation,
                [.activation([2, 3, 4]), .activation([3, 1]), .activation([4])])
        }
        + [Equal() as any Operator, Greater(), GreaterOrEqual(), Less(), LessOrEqual()].map { operation in
            ConformanceCase(
                type(of: operation).name, operation,
                [.activation([4, 9], .int64, .whole(0, 3)), .activation([9], .int64, .whole(0, 3))], tolerance: .exact)
        }
        + [And() as any Operator, Or(), Xor()].map { operation in
            ConformanceCase(
                type(of: operation).name, operation,
                [.activation([4, 9], .bool, .whole(0, 1)), .activation([9], .bool, .whole(0, 1))], tolerance: .exact)
        }
        + [
            ConformanceCase("Not", Not(), [.activation([9], .bool, .whole(0, 1))], tolerance: .exact),
            ConformanceCase("Pow", Pow(), [.activation([3, 4], .float32, .uniform(0.1, 2)), .activation([4])]),
            ConformanceCase(
                "Add/Relu", Add(activation: .relu), [.activation([1, 7, 5, 5]), .activation([1, 7, 5, 5])]),
            ConformanceCase(
                "Sum/Relu", Sum(activation: .relu), [.activation([1, 7, 5, 5]), .activation([1, 7, 5, 5])]),
            ConformanceCase(
                "Add/int64", Add(), [.activation([5], .int64, .whole(-9, 9)), .activation([5], .int64, .whole(-9, 9))],
                tolerance: .exact),
        ]

    /// Relations of images to numbers, and selections by Booleans.
    package static let choices: [ConformanceCase] = relations + wheres

    private static let relations: [ConformanceCase] =
        [Equal() as any Operator, Greater(), GreaterOrEqual(), Less(), LessOrEqual()].flatMap { operation in
            [ElementType.float32, .int32, .uint8].map { type in
                ConformanceCase(
                    "\(Swift.type(of: operation).name)/images of \(type)", operation,
                    [.activation([2, 7, 5, 8], type, .whole(0, 3)), .activation([7, 1, 1], type, .whole(0, 3))],
                    tolerance: .exact)
            }
        }

    private static let wheres: [ConformanceCase] = [
        ConformanceCase(
            "Where", Where(),
            [.activation([4, 1], .bool, .whole(0, 1)), .activation([4, 5]), .activation([5])], tolerance: .exact),
        ConformanceCase(
            "Where/images", Where(),
            [.activation([2, 1, 9, 8], .bool, .whole(0, 1)), .weights([]), .activation([2, 7, 9, 8])],
            tolerance: .exact),
        ConformanceCase(
            "Where/int64", Where(),
            [
                .activation([3, 99], .bool, .whole(0, 1)), .activation([3, 99], .int64, .whole(-9, 9)),
                .activation([99], .int64, .whole(-9, 9)),
            ], tolerance: .exact),
        ConformanceCase(
            "Where/bool", Where(),
            [
                .activation([3, 99], .bool, .whole(0, 1)), .activation([3, 99], .bool, .whole(0, 1)),
                .activation([99], .bool, .whole(0, 1)),
            ], tolerance: .exact),
    ]

    /// Conversions of element types.
    package static let casts: [ConformanceCase] = [
        ConformanceCase(
            "Cast/from a long row of float32", Cast(to: .int32),
            [.activation([3, 1001], .float32, .uniform(-1e10, 1e10))], tolerance: .exact),
        ConformanceCase(
            "Cast/float32 to uint8", Cast(to: .uint8), [.activation([999], .float32, .uniform(-99, 400))],
            tolerance: .exact),
        ConformanceCase(
            "Cast/float32 to bool", Cast(to: .bool), [.activation([999], .float32, .whole(0, 2))],
            tolerance: .exact),
        ConformanceCase(
            "Cast/int64 to bool", Cast(to: .bool), [.activation([2, 99], .int64, .whole(-1, 1))],
            tolerance: .exact),
        ConformanceCase(
            "Cast/bool to float32", Cast(to: .float32), [.activation([2, 3, 5, 8], .bool, .whole(0, 1))],
            tolerance: .exact),
        ConformanceCase(
            "Cast/int64 to int32", Cast(to: .int32), [.activation([99], .int64, .whole(-1 << 40, 1 << 40))],
            tolerance: .exact),
        ConformanceCase(
            "Cast/int32 to int64", Cast(to: .int64), [.activation([99], .int32, .whole(-1 << 30, 1 << 30))],
            tolerance: .exact),
    ]

    private static let pairs: [([Int], [Int])] = [
        ([1, 7, 5, 5], [1, 7, 5, 5]), ([2, 7, 5, 3], [7, 1, 1]), ([2, 7, 5, 3], [1, 7, 1, 1]), ([2, 3, 4], [4]),
        ([2, 3, 4], []), ([], [3, 40]), ([3, 1], [1, 4]), ([2, 7, 5, 3], [2, 7, 1, 1]), ([5], [2, 3, 5]),
    ]
}
