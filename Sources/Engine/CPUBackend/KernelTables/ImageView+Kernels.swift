import CPUKernels
import Graphs
import Planning

extension apus_window {
    /// A 2-D window over `input`.
    init(_ geometry: SpatialWindow.Geometry, over input: ImageView) {
        self.init(geometry, shape: [input.count, input.channels, input.height, input.width])
        input_row_stride = input.rowStride
        input_pixel_stride = input.pixelStride
    }

    /// A 2-D window over images `[N, C, H, W]`, without their strides.
    init(_ geometry: SpatialWindow.Geometry, shape: [Int]) {
        self.init(
            input_height: shape[2], input_width: shape[3], input_row_stride: 0, input_pixel_stride: 0,
            output_width: geometry.output[1],
            kernel_height: geometry.kernel[0], kernel_width: geometry.kernel[1],
            stride_height: geometry.strides[0], stride_width: geometry.strides[1],
            dilation_height: geometry.dilations[0], dilation_width: geometry.dilations[1],
            padding_top: geometry.padsBegin[0], padding_left: geometry.padsBegin[1])
    }
}

extension apus_window {
    /// The window over a strip. Its image is the rows that `strip.rows` need, and its output row 0 is the first of
    /// `strip.rows`.
    func over(_ strip: Strip, _ rows: RowWindow) -> apus_window {
        var window = self
        window.input_height = rows.inputRows(for: strip.rows).count
        window.padding_top = rows.padding(above: strip.rows)
        return window
    }
}

extension Operand {
    /// Whether the elements are bfloat16, as the kernels want to be told.
    var isBFloat16: Bool { elementType == .bfloat16 }
    var bfloat16Flag: Int32 { isBFloat16 ? 1 : 0 }
}

extension Strip {
    var inputFloats: UnsafePointer<Float> { input.assumingMemoryBound(to: Float.self) }
    var outputFloats: UnsafeMutablePointer<Float> { output.assumingMemoryBound(to: Float.self) }
}

extension apus_activation {
    init(_ activation: Activation?) {
        self.init(kind: APUS_ACTIVATION_NONE, low: 0, high: 0)
        guard let function = activation?.kernelFunction else { return }
        guard apus_find_activation(function.name, &kind) != 0 else {
            preconditionFailure("\(function.name) is no epilogue in the table of functions")
        }
        (low, high) = (function.alpha, function.beta)
    }
}

extension StepContext {
    /// The address of an operand's first element, for reading.
    func floats(_ operand: Operand) -> UnsafePointer<Float> {
        memory.address(operand).assumingMemoryBound(to: Float.self)
    }

    /// The address of an operand's first element, for writing.
    func mutableFloats(_ operand: Operand) -> UnsafeMutablePointer<Float> {
        memory.mutableAddress(operand).assumingMemoryBound(to: Float.self)
    }

    /// The address of an element for kernels that find bfloat16 where others find floats.
    func elements(_ operand: Operand, from element: Int) -> UnsafePointer<Float> {
        (memory.address(operand) + element * operand.elementType.byteCount).assumingMemoryBound(to: Float.self)
    }

    /// The same for writing.
    func mutableElements(_ operand: Operand, from element: Int) -> UnsafeMutablePointer<Float> {
        (memory.mutableAddress(operand) + element * operand.elementType.byteCount).assumingMemoryBound(to: Float.self)
    }

    /// The address of an operand's first element; nil where there is no operand.
    func floats(_ operand: Operand?) -> UnsafePointer<Float>? { operand.map { floats($0) } }
}
