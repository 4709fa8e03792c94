import Tensors

/// A multiplication and an addition for each channel: y[c] = scale[c] · x[c] + shift[c].
struct ChannelAffine {
    var scale: [Double]
    var shift: [Double]

    init(scale: [Double], shift: [Double]) {
        self.scale = scale
        self.shift = shift
    }

    private init(channels: Int, scale: Double = 1, shift: Double = 0) {
        self.init(
            scale: [Double](repeating: scale, count: channels), shift: [Double](repeating: shift, count: channels))
    }

    /// The equivalent of a batch normalisation, when its parameters are constants.
    init?(_ operation: BatchNormalization, _ node: Graph.Node, channels: Int, _ edit: GraphEdit) {
        let parameters = node.inputs.dropFirst().compactMap { edit.constant($0)?.elements(as: Double.self) }
        guard parameters.count == 4, parameters.allSatisfy({ $0.count == channels }) else { return nil }
        self.init(channels: channels)
        for channel in 0..<channels {
            let variance = parameters[3][channel] + Double(operation.epsilon)
            scale[channel] = parameters[0][channel] / variance.squareRoot()
            shift[channel] = parameters[1][channel] - parameters[2][channel] * scale[channel]
        }
    }

    /// The equivalent of an addition, subtraction, multiplication or division of input `position`, when the other input
    /// is a constant with one number for each channel, which are along `axis`.
    init?(_ node: Graph.Node, of position: Int, channels: Int, rank: Int, axis: Int = 1, _ edit: GraphEdit) {
        guard node.inputs.count == 2, let constant = edit.constant(node.inputs[1 - position]),
            constant.elementType.isFloatingPoint,
            let numbers = Self.numbers(of: constant, channels: channels, rank: rank, axis: axis)
        else { return nil }
        self.init(channels: channels)
        switch node.operation {
        case let add as Add where add.alignment == nil && add.activation == nil: shift = numbers
        case let subtract as Sub where subtract.alignment == nil:
            shift = position == 0 ? numbers.map { -$0 } : numbers
            if position == 1 { scale = scale.map { -$0 } }
        case let multiply as Mul where multiply.alignment == nil: scale = numbers
        case let divide as Div where divide.alignment == nil && position == 0: scale = numbers.map { 1 / $0 }
        default: return nil
        }
    }

    /// The number for each channel, when `constant` is broadcast along all axes but `axis` of a value of `rank` axes.
    static func numbers(of constant: Tensor, channels: Int, rank: Int, axis: Int = 1) -> [Double]? {
        guard rank >= 2, constant.shape.count <= rank else { return nil }
        let channelAxis = constant.shape.count - (rank - axis)
        for (axis, extent) in constant.shape.enumerated() where extent != 1 {
            guard axis == channelAxis, extent == channels else { return nil }
        }
        let numbers = constant.elements(as: Double.self)
        return numbers.count == channels ? numbers : [Double](repeating: numbers[0], count: channels)
    }

    var isFinite: Bool { scale.allSatisfy(\.isFinite) && shift.allSatisfy(\.isFinite) }
}
