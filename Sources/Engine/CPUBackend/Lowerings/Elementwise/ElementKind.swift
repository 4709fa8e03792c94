import CPUKernels
import Graphs
import Planning
import Tensors

extension apus_element_kind {
    /// The kind of elements that kernels compare and convert; nil where they have none.
    init?(_ type: ElementType) {
        switch type {
        case .float32: self = APUS_ELEMENT_FLOAT32
        case .int32: self = APUS_ELEMENT_INT32
        case .int64: self = APUS_ELEMENT_INT64
        case .uint8, .bool: self = APUS_ELEMENT_UINT8
        default: return nil
        }
    }
}

extension LoweringRequest {
    /// Why a loop over elements of any type cannot take the request; nil when it can.
    var refusalOfLoop: String? {
        let output = outputs[0]
        if output.elementCount == 0 { return "a value is empty" }
        return output.rank > StridedLoop.maximumRank ? "more than 8 axes" : nil
    }

    /// Why a loop over two operands cannot take operands whose last axes are not aligned; nil when they are.
    var refusalOfAlignment: String? {
        (operation as? any BroadcastingOperator)?.alignment == nil
            ? nil : "the second input lies at an axis of its own"
    }

    /// The layout of each input that loops read beside an output of `layout`; nil for inputs that are repeated.
    func layoutsOfLoop(_ layout: Layout) -> [Layout?] {
        inputs.map { $0?.shape == outputs[0].shape ? layout : nil }
    }
}
