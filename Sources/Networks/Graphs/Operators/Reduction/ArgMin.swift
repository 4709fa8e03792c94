/// The position of the smallest element along an axis.
///
/// y = arg min x
///
/// Shapes: any → int64, 1 along `axis`, which is dropped where `keepdims` is 0.
/// Attributes: `axis` (0), `keepdims` (1), `select_last_index` (0: the first of equals).
/// Numerics: NaN is found only if all elements are NaN.
/// Reference: https://onnx.ai/onnx/operators/onnx__ArgMin.html
package struct ArgMin: ExtremumSearch {
    package static let name = "ArgMin"
    package var search: ExtremumAxis

    package init(search: ExtremumAxis = ExtremumAxis()) {
        self.search = search
    }

    package func isBetter<Number: Comparable>(_ candidate: Number, than best: Number) -> Bool { candidate < best }
}
