import Graphs
import Images
import Models
import Platform
import Tensors

/// The input of a network that takes pictures, with the steps from a picture to its numbers.
package struct ImageInput: Sendable {
    /// The input's name.
    package let name: String
    /// The position of the channels in the input's shape.
    package let layout: Preprocessing.Layout
    /// The width and height, when the network or the preprocessing fixes them.
    package let size: ImageSize?
    /// The steps from picture to numbers.
    package let preprocessing: Preprocessing
    /// The steps up to the crop, where pictures are prepared only so far and stay pixels, uint8 in [1, H, W, 3]; nil
    /// where they become numbers.
    package var placing: Preprocessing?
    /// Whether the steps are a guess, since nothing says how the network was trained.
    package let isGuessed: Bool
    /// What happens to the picture before the steps; nil for nothing.
    package var adjusting: (@Sendable (Image) throws -> Image)?
    /// The input's shape, with an axis of the batch.
    private let shape: Shape
    /// Whether the network takes one picture without an axis of the batch, as torchvision's detectors do.
    package let isUnbatched: Bool
    /// Whether the network takes integers, and nothing says what they stand for, so that they are pixels.
    package let takesPixels: Bool
    /// The quantization of numbers to the integers that the network takes; nil for networks that take float32.
    private let quantize: AffineQuantize?
    private let elementType: ElementType

    /// The inputs beside the picture.
    package let further: FurtherInputs
    /// Whether each picture runs alone: the network takes one without an axis of the batch, or fixes the batch to one
    /// image, but not for all its inputs.
    package let takesSinglePictures: Bool

    /// Finds the input of a model that takes the picture.
    ///
    /// - Parameter others: The names of inputs that the caller gives otherwise.
    /// - Throws: ``ApusError/usage(_:)`` when the network does not take one picture beside the inputs that
    ///   ``Model/inputValues`` gives, or the preprocessing gives another size or number of channels than the network
    ///   takes.
    package init(_ model: Model, preprocessing given: Preprocessing?, besides others: Set<String> = [])
        throws(ApusError)
    {
        let further = try FurtherInputs(model)
        let id = try model.pictureInput(besides: others.union(further.names))
        try self.init(model, id, given, further)
    }

    /// The input for another picture than the main one, whose steps are those of the model file for it, or else those
    /// of the main picture in the size of the input.
    init(_ model: Model, furtherNamed name: String, beside main: Preprocessing) throws(ApusError) {
        guard let id = model.graph.inputs.first(where: { model.graph[$0].name == name }) else {
            throw .bug("there is no input \(name)")
        }
        var alone = model
        (alone.inputValues, alone.preprocessing) = ([:], nil)
        let plain = try Self(alone, id, model.inputPreprocessing[name], try FurtherInputs(alone))
        guard model.inputPreprocessing[name] == nil else {
            self = plain
            return
        }
        var steps = main
        if let size = plain.size, steps.fixedOutputSize != size { steps = steps.leading(to: size) }
        let isGray = plain.preprocessing.channelOrder == .gray
        if isGray != (steps.channelOrder == .gray) {
            // A mask among pictures in colors has numbers of its own.
            let own = plain.preprocessing
            (steps.channelOrder, steps.mean, steps.standardDeviation) = (
                own.channelOrder, own.mean, own.standardDeviation
            )
            steps.scale = own.scale
        }
        try self.init(alone, id, steps, plain.further)
    }

    private init(
        _ model: Model, _ id: Graph.ValueID, _ given: Preprocessing?, _ further: FurtherInputs
    ) throws(ApusError) {
        self.further = further
        let value = model.graph[id]
        let isUnbatched = value.shape?.rank == 3
        guard let shape = isUnbatched ? value.shape.map({ Shape([.fixed(1)] + $0.dimensions) }) : value.shape,
            shape.rank == 4, let elementType = value.elementType,
            [.float32, .float16, .bfloat16, .float64, .uint8, .int8, .int32].contains(elementType)
        else {
            throw .usage(
                "\(model.name): input \"\(value.name)\" is \(value.elementType?.description ?? "unknown")"
                    + "\(value.shape?.description ?? ""), not a picture of a floating-point type, uint8, "
                    + "int8 or int32 in four axes, or in three"
            )
        }
        let channels: Int
        let extents: (height: Dimension, width: Dimension)
        if let first = shape.dimensions[1].value, first == 3 || first == 1 {
            (layout, channels, extents) = (.channelsFirst, first, (shape.dimensions[2], shape.dimensions[3]))
        } else if let last = shape.dimensions[3].value, last == 3 || last == 1 {
            (layout, channels, extents) = (.channelsLast, last, (shape.dimensions[1], shape.dimensions[2]))
        } else {
            throw .usage("\(model.name): input \"\(value.name)\" \(shape) has no axis of 3 or 1 channels")
        }
        let isFixedToOne = shape.dimensions.first?.value == 1 && !model.hasFixedBatchOfOne
        takesSinglePictures = isUnbatched || isFixedToOne || further.takesSinglePictures
        var networkSize: ImageSize?
        if let height = extents.height.value, let width = extents.width.value {
            networkSize = ImageSize(width: width, height: height)
        }
        name = value.name
        (self.shape, self.isUnbatched) = (shape, isUnbatched)
        let own = model.preprocessing ?? model.inputPreprocessing[value.name]
        isGuessed = given == nil && own == nil
        var steps = given ?? own ?? Self.guess(channels: channels)
        if steps.resizing == .none, steps.crop == nil {
            if let networkSize {
                steps.setResizing(.fill, to: networkSize)
            } else if let height = extents.height.value {
                // Recognisers of lines of text take any width.
                steps.resizing = .line(Preprocessing.Line(height: height))
            }
        }
        guard steps.channelOrder.channelCount == channels else {
            throw .usage(
                "\(model.name): the preprocessing gives \(steps.channelOrder.channelCount) channels, but input "
                    + "\"\(value.name)\" \(shape) takes \(channels)")
        }
        if let networkSize, let made = steps.fixedOutputSize, made != networkSize {
            throw .usage(
                "\(model.name): the preprocessing gives pictures of \(made), but input \"\(value.name)\" takes "
                    + "\(networkSize)")
        }
        if networkSize == nil, let made = steps.fixedOutputSize,
            extents.height.value.map({ $0 != made.height }) ?? extents.width.value.map({ $0 != made.width }) ?? false
        {
            throw .usage(
                "\(model.name): the preprocessing gives pictures of \(made), but input \"\(value.name)\" takes \(shape)"
            )
        }
        self.elementType = elementType
        if elementType.isFloatingPoint {
            (quantize, takesPixels) = (nil, false)
        } else {
            let ofReaders = model.source.quantization(ofReadInput: value.name)
            takesPixels = value.quantization == nil && ofReaders == nil
            // Without a quantization, integers are pixels, whether the steps give 0 to 255 or 0 to 1.
            let parameters =
                value.quantization ?? (isGuessed ? nil : ofReaders)
                ?? Quantization(scale: steps.scale == 1 ? 1 : 1 / 255, zeroPoint: elementType == .int8 ? -128 : 0)
            quantize = AffineQuantize(
                scale: parameters.scale ?? 1, zeroPoint: Int32(clamping: parameters.zeroPoint ?? 0),
                elementType: elementType == .int32 ? .uint8 : elementType)
        }
        size = networkSize ?? steps.fixedOutputSize
        preprocessing = steps
    }

    /// The preprocessing that is assumed without any: values from 0 to 1 in RGB, or gray.
    private static func guess(channels: Int) -> Preprocessing {
        var steps = Preprocessing()
        steps.scale = 1 / 255
        if channels == 1 { steps.channelOrder = .gray }
        return steps
    }

    /// Whether the network fixes the batch to one picture.
    package var isBatchFixed: Bool { shape.dimensions.first?.value == 1 }

    /// Whether pictures become inputs in another way than by the steps of ``preprocessing`` alone.
    package var placesByItself: Bool { placing != nil || adjusting != nil }

    /// The prepared picture of one record, with numbers of shape `[1, C, H, W]` or `[1, H, W, C]`.
    ///
    /// - Throws: The errors of reading, decoding and preprocessing; ``RecordError`` for a record without a picture.
    package func prepared(_ source: ImageSource, _ options: Image.DecodingOptions) throws -> PreparedPicture {
        switch try source.resolved() {
        case .array(let array): return PreparedPicture(tensor: try tensor(from: array), size: nil)
        case let source:
            let image = try source.image(options)
            if let placing {
                let placed = placing.placed(image, try placing.geometry(for: image.size))
                return PreparedPicture(
                    tensor: try Tensor(placed.pixels, shape: [1, placed.height, placed.width, 3]), size: image.size,
                    image: image)
            }
            let adjusted = try adjusting?(image) ?? image
            let geometry = try preprocessing.geometry(for: adjusted.size)
            return PreparedPicture(
                tensor: try tensor(from: adjusted, preprocessing, geometry), size: image.size, image: image,
                placement: geometry.placement)
        }
    }

    /// The input for an array, whose numbers are taken as they are.
    package func tensor(from array: Tensor) throws -> Tensor {
        let single = shape.dimensions.dropFirst()
        let extents =
            array.shape.count == shape.rank && array.shape.first == 1 ? Array(array.shape.dropFirst()) : array.shape
        guard extents.count == single.count, zip(extents, single).allSatisfy({ $1.value == nil || $0 == $1.value })
        else {
            throw RecordError(
                stage: "preprocess", code: "shape",
                message: "an array of \(array.elementType)\(array.shape) is neither a picture nor what input "
                    + "\"\(name)\" \(shape) takes")
        }
        if quantize != nil, array.elementType == elementType { return try array.reshaped(to: [1] + extents) }
        return try quantized(array.converted(to: .float32)).reshaped(to: [1] + extents)
    }

    /// Quantizes numbers where the network takes integers.
    private func quantized(_ numbers: Tensor) throws -> Tensor {
        guard let quantize else { return try numbers.converted(to: elementType) }
        return try quantize.evaluate([numbers], outputTypes: [])[0].converted(to: elementType)
    }

    /// The numbers of one picture, of shape `[1, C, H, W]` or `[1, H, W, C]`. The steps must give as many channels as
    /// the input takes.
    ///
    /// - Parameter geometry: The geometry of the steps for the picture's size.
    /// - Throws: ``PreprocessingError``, ``ImageError`` or ``TensorError``.
    package func tensor(
        from image: Image, _ steps: Preprocessing, _ geometry: Preprocessing.Geometry
    ) throws -> Tensor {
        let made = geometry.outputSize
        if let size, made != size {
            throw PreprocessingError.invalid(key: "size", reason: "gives \(made), but the network takes \(size)")
        }
        let channels = steps.channelOrder.channelCount
        let shape =
            layout == .channelsFirst
            ? [1, channels, made.height, made.width] : [1, made.height, made.width, channels]
        let numbers = try Tensor(.float32, shape: shape) { bytes in
            try steps.write(image, geometry, into: bytes.bindMemory(to: Float.self), layout: layout)
        }
        return try quantized(numbers)
    }
}

extension ImageInput {
    /// Joins the numbers of prepared pictures of equal extents to what the network takes in one run.
    package func batch(_ pictures: [Tensor]) throws -> Tensor {
        let batch = try Tensor(stacking: pictures)
        guard isUnbatched, batch.shape.first == 1 else { return batch }
        return try batch.reshaped(to: Array(batch.shape.dropFirst()))
    }

    /// The width and height of a tensor for this input.
    package func extent(of tensor: Tensor) -> ImageSize { extent(ofShape: tensor.shape) }

    /// The width and height in a shape of this input.
    package func extent(ofShape shape: [Int]) -> ImageSize {
        let spatial = layout == .channelsFirst ? shape[2...3] : shape[1...2]
        return ImageSize(width: spatial.last ?? 1, height: spatial.first ?? 1)
    }
}

extension Graph {
    /// The meaning of an input's integers where all nodes that read it give them the same constant scale and zero
    /// point; nil where they give none.
    fileprivate func quantization(ofReadInput name: String) -> Quantization? {
        guard let id = inputs.first(where: { self[$0].name == name }) else { return nil }
        let readers = nodes.filter { $0.inputs.contains(id) }
        var found: Quantization?
        for node in readers {
            let reads =
                node.operation is DequantizeLinear || node.operation is QLinearConv || node.operation is QLinearMatMul
            guard reads, node.inputs[0] == id, node.inputs.count > 1,
                let scale = node.inputs[1].flatMap({ initializers[$0] }), scale.elementCount == 1
            else { return nil }
            let zero = node.inputs.count > 2 ? node.inputs[2] : nil
            let zeroPoint = zero.flatMap { initializers[$0] }
            guard zero == nil || zeroPoint?.elementCount == 1 else { return nil }
            let quantization = Quantization(
                scale: scale.elements(as: Float.self)[0], zeroPoint: Int(zeroPoint?.elements(as: Int64.self)[0] ?? 0))
            guard found == nil || found == quantization else { return nil }
            found = quantization
        }
        return found
    }
}
