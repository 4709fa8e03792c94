import CPUBackend
import Planning

/// The processor with the lowerings alone that round what they multiply. It lets them compute a layer that is the last.
struct RoundingLowerings: Backend {
    private struct AsInnerLayer: Lowering {
        let base: any Lowering
        var name: String { base.name }
        func lower(_ request: LoweringRequest) -> LoweringResponse {
            var request = request
            request.isLastProduct = false
            return base.lower(request)
        }
    }

    let base: CPUBackend
    var name: String { base.name }
    var deviceDescription: String { base.deviceDescription }
    var lowerings: [any Lowering] {
        base.lowerings.filter { $0.name.hasSuffix("-\(base.precision.rawValue)") }.map { AsInnerLayer(base: $0) }
    }
}
