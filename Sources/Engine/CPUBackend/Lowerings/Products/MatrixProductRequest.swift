import Graphs
import Planning
import Tensors

/// A MatMul or Gemm as products of equal extents, each of the rows of one image:
/// y = activation(alpha · a · b + beta · c + bias + addend).
struct MatrixProductRequest: SpecializedRequest {
    /// The element at which one product begins in each value.
    struct Place: BitwiseCopyable, Sendable {
        var left: Int
        var right: Int
        var output: Int
    }

    /// The addend before the activation, other than a row that is the same for all rows.
    enum Addend {
        /// A value of the result's shape: the input with this position.
        case value(Int)
        /// beta times a value that broadcasts to the result's two axes: the input with this position.
        case scaled(Int, beta: Float, rowStride: Int, columnStride: Int)
    }

    /// The number of products.
    let count: Int
    /// The distance from one product to the next, unless ``table`` gives each product's beginning.
    let step: Place
    /// The beginning of each product of a stack; empty where products follow one another at equal distances.
    let table: [Place]
    /// The number of rows of one image that are multiplied together; 1 where each row may be an image.
    let rows: Int
    let columns: Int
    let depth: Int
    /// The distances in elements between rows, and between columns, of the first factor; one of them is 1.
    let leftRowStride: Int
    let leftColumnStride: Int
    let isRightTransposed: Bool
    let outputRowStride: Int
    let alpha: Float
    let bias: Tensor?
    let addend: Addend?
    let activation: Activation?

    static func takes(_ operation: any Operator) -> Bool { operation is MatMul || operation is Gemm }

    init(_ request: LoweringRequest) throws(LoweringRefusal) {
        if let refusal = request.refusalOfElements { throw LoweringRefusal(refusal) }
        guard let a = request.inputs[0], let b = request.inputs[1] else {
            throw LoweringRefusal("an operand is missing")
        }
        guard !Self.hasImagesAsColumns(request, b) else {
            throw LoweringRefusal(
                "columns of the second factor may be images, whose bits must not depend on one another")
        }
        if let gemm = request.operation as? Gemm {
            try self.init(gemm, request, a, b)
        } else {
            try self.init(request.operation as? MatMul, request, a, b)
        }
    }

    private static func hasImagesAsColumns(_ request: LoweringRequest, _ b: TensorType) -> Bool {
        guard request.constants[1] == nil, b.rank >= 2 else { return false }
        let columns = (request.operation as? Gemm)?.transB ?? false ? b.rank - 2 : b.rank - 1
        switch request.imageOrder(1) {
        case .one: return false
        case .axis(let axis): return axis == columns
        case .blocks: return columns == 0
        case .unknown: return b.rank == 2
        }
    }

    private init(_ gemm: Gemm, _ request: LoweringRequest, _ a: TensorType, _ b: TensorType) throws(LoweringRefusal) {
        let rowAxis = gemm.transA ? 1 : 0
        let (allRows, depth) = (a.shape[rowAxis], a.shape[1 - rowAxis])
        let columns = b.shape[gemm.transB ? 0 : 1]
        let rows = Self.rowsOfAnImage(request.imageOrder(0), rowAxis: rowAxis, allRows)
        let rowStride = gemm.transA ? 1 : depth
        var bias: Tensor?
        var addend: Addend?
        if request.inputs.count > 2, let c = request.inputs[2] {
            if let constant = request.constants[2],
                c.elementCount == 1 || c.shape.last == columns && c.elementCount == columns
            {
                let values = constant.elements(as: Float.self).map { $0 * gemm.beta }
                let row = values.count == columns ? values : [Float](repeating: values[0], count: columns)
                do { bias = try Tensor(row, shape: [columns]) } catch { throw LoweringRefusal("\(error)") }
            } else {
                let extents = [Int](repeating: 1, count: max(0, 2 - c.rank)) + c.shape
                addend = .scaled(
                    2, beta: gemm.beta, rowStride: extents[0] == 1 ? 0 : extents[1],
                    columnStride: extents[1] == 1 ? 0 : 1)
            }
        }
        self.init(
            count: allRows / rows, step: Place(left: rows * rowStride, right: 0, output: rows * columns), table: [],
            rows: rows, columns: columns, depth: depth, leftRowStride: rowStride,
            leftColumnStride: gemm.transA ? allRows : 1, isRightTransposed: gemm.transB, outputRowStride: columns,
            alpha: gemm.alpha, bias: bias, addend: addend, activation: gemm.activation)
    }

    /// The number of a matrix's rows that belong to one image and are multiplied together; 1 where each may be an
    /// image.
    private static func rowsOfAnImage(_ order: ImageOrder, rowAxis: Int, _ rows: Int) -> Int {
        switch order {
        case .one: rows
        case .axis(let axis): axis == rowAxis ? 1 : rows
        case .blocks(let count): rowAxis == 0 && count > 0 && rows % count == 0 ? count : 1
        case .unknown: 1
        }
    }

    private init(_ product: MatMul?, _ request: LoweringRequest, _ a: TensorType, _ b: TensorType)
        throws(LoweringRefusal)
    {
        let left = a.rank == 1 ? [1] + a.shape : a.shape
        let right = b.rank == 1 ? b.shape + [1] : b.shape
        let (depth, columns) = (left[left.count - 1], right[right.count - 1])
        var bias: Tensor?
        if request.inputs.optional(MatMul.biasPosition) != nil {
            guard let constant = request.constants[MatMul.biasPosition] else {
                throw LoweringRefusal("the bias is computed at run time")
            }
            do { bias = try constant.contiguous() } catch { throw LoweringRefusal("\(error)") }
        }
        let order = a.rank == 1 ? .one : request.imageOrder(0)
        let rowAxis = left.count - 2
        var table: [Place] = []
        var (count, step) = (1, Place(left: 0, right: 0, output: 0))
        var (rows, rowStride, outputRowStride) = (left[rowAxis], depth, columns)
        if right.count == 2, a.rank > 1 {
            // All rows are multiplied with the same matrix, so an image's rows are one product wherever they are evenly
            // spaced.
            let all = left.dropLast().reduce(1, *)
            var (images, inner) = (1, 1)
            switch order {
            case .one: inner = all
            // Images lie along the depth, so that every row has elements of all of them.
            case .axis(left.count - 1): inner = all
            case .axis(let axis):
                images = left[axis]
                inner = left[(axis + 1)..<max(axis + 1, left.count - 1)].reduce(1, *)
            case .blocks(let count) where count > 0 && left[0] % count == 0:
                images = left[0] / count
                inner = all / images
            case .blocks, .unknown: inner = left.count == 2 ? 1 : left[rowAxis]
            }
            let outer = all / (images * inner)
            // The distance between an image's rows is the number of images.
            let isInterleaved = inner == 1 && Self.isAxis(order)
            rows = isInterleaved ? outer : inner
            if isInterleaved { (rowStride, outputRowStride) = (images * depth, images * columns) }
            count = all / rows
            let distance = isInterleaved ? 1 : inner
            step = Place(left: distance * depth, right: 0, output: distance * columns)
        } else {
            let stacks: [Int]
            do { stacks = try Broadcasting.shape([left.dropLast(2), right.dropLast(2)]) } catch {
                throw LoweringRefusal("the stacks do not fit")
            }
            let each = max(
                1, Self.rowsOfAnImage(left.count > 2 && order == .unknown ? .one : order, rowAxis: rowAxis, rows))
            let leftStrides = Self.strides(left, in: stacks), rightStrides = Self.strides(right, in: stacks)
            count = stacks.reduce(1, *) * (rows / each)
            guard count <= Self.maximumStacked else { throw LoweringRefusal("\(count) stacked matrices") }
            for index in 0..<stacks.reduce(1, *) {
                var (rest, l, r) = (index, 0, 0)
                for axis in stacks.indices.reversed() {
                    l += rest % stacks[axis] * leftStrides[axis]
                    r += rest % stacks[axis] * rightStrides[axis]
                    rest /= stacks[axis]
                }
                for row in stride(from: 0, to: rows, by: each) {
                    table.append(Place(left: l + row * depth, right: r, output: (index * rows + row) * columns))
                }
            }
            rows = each
        }
        let hasAddend = request.inputs.optional(MatMul.addendPosition) != nil
        self.init(
            count: count, step: step, table: table, rows: rows, columns: columns, depth: depth,
            leftRowStride: rowStride, leftColumnStride: 1, isRightTransposed: false, outputRowStride: outputRowStride,
            alpha: 1, bias: bias,
            addend: hasAddend ? .value(MatMul.addendPosition) : nil, activation: product?.activation)
    }

    /// The maximum number of products of a stack that are listed.
    private static let maximumStacked = 1 << 18

    private static func isAxis(_ order: ImageOrder) -> Bool { if case .axis = order { true } else { false } }

    /// Elements between the matrices of a stack along each axis of the stacks that it broadcasts to.
    private static func strides(_ shape: [Int], in stacks: [Int]) -> [Int] {
        let own = Array(shape.dropLast(2))
        var strides = [Int](repeating: 0, count: stacks.count)
        var stride = shape.suffix(2).reduce(1, *)
        for axis in own.indices.reversed() {
            if own[axis] > 1 { strides[stacks.count - own.count + axis] = stride }
            stride *= own[axis]
        }
        return strides
    }

    private init(
        count: Int, step: Place, table: [Place], rows: Int, columns: Int, depth: Int, leftRowStride: Int,
        leftColumnStride: Int, isRightTransposed: Bool, outputRowStride: Int, alpha: Float, bias: Tensor?,
        addend: Addend?, activation: Activation?
    ) {
        self.count = count
        self.step = step
        self.table = table
        self.rows = rows
        self.columns = columns
        self.depth = depth
        self.leftRowStride = leftRowStride
        self.leftColumnStride = leftColumnStride
        self.isRightTransposed = isRightTransposed
        self.outputRowStride = outputRowStride
        self.alpha = alpha
        self.bias = bias
        self.addend = addend
        self.activation = activation
    }

    /// The layouts of the inputs: all are dense.
    func inputLayouts(_ request: LoweringRequest) -> [Layout?] { request.inputs.map { $0 == nil ? nil : .rowMajor } }
}
