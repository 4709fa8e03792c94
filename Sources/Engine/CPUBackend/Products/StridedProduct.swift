/// The parameters that several parts of a product share: c = alpha · a · b + beta · c, strides in elements.
struct StridedProduct: BitwiseCopyable {
    /// The extents of the whole product.
    let rows, columns, depth: Int
    var alpha: Float = 1
    var beta: Float = 0
    /// Elements between the rows, and between the columns, of a; one of them is 1.
    let leftRowStride: Int
    var leftColumnStride = 1
    /// Elements between the rows of b as it lies in memory.
    let rightStride: Int
    var isRightTransposed = false
    let resultStride: Int

    var isLeftTransposed: Bool { leftColumnStride != 1 }
}
