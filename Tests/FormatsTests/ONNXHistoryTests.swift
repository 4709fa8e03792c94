import Formats
import Foundation
import Graphs
import Tensors
import Testing

@Suite("Old versions of ONNX")
struct ONNXHistoryTests {
    /// The operator of a node, whose attributes are all known, and the inputs that it takes.
    private func read(
        _ name: String, _ version: Int, _ attributes: [String: AttributeValue] = [:], inputs: [String] = ["x"],
        outputs: Int = 1
    ) throws -> (operation: any Operator, form: ONNXNodeForm) {
        var form = ONNXNodeForm(name: name, version: version, attributes: attributes, inputs: inputs)
        let type = try #require(Operators.find(ONNXHistory.successors[name] ?? name))
        let (operation, unread) = try form.operation(type, outputCount: outputs)
        #expect(unread.isEmpty)
        return (operation, form)
    }

    private func refusal(_ name: String, _ version: Int, _ attributes: [String: AttributeValue]) -> String {
        do {
            _ = try read(name, version, attributes, inputs: ["x", "y", "z"])
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("Before version 7 attributes said how operands broadcast")
    func broadcasting() throws {
        func alignment(_ version: Int, _ attributes: [String: AttributeValue]) throws -> OperandAlignment? {
            let add = try #require(try read("Add", version, attributes, inputs: ["a", "b"]).operation as? Add)
            return add.alignment
        }
        #expect(try alignment(6, [:]) == .equalShapes)
        #expect(try alignment(6, ["axis": .int(1)]) == .equalShapes)
        #expect(try alignment(1, ["broadcast": .int(1), "axis": .int(1), "consumed_inputs": .ints([0])]) == .axis(1))
        #expect(try alignment(6, ["broadcast": .int(1)]) == nil)
        #expect(try alignment(7, [:]) == nil)
        #expect(
            refusal("Add", 6, ["broadcast": .string("yes")]) == "attribute \"broadcast\" is a string, not an integer")
        var today = ONNXNodeForm(name: "Add", version: 7, attributes: ["broadcast": .int(1)], inputs: ["a", "b"])
        #expect(try today.operation(Add.self, outputCount: 1).unread == ["broadcast"])
        #expect((try read("PRelu", 6, inputs: ["x", "slope"]).operation as? PRelu)?.hasChannelSlope == true)
        #expect((try read("PRelu", 7, inputs: ["x", "slope"]).operation as? PRelu)?.hasChannelSlope == false)
        _ = try read("Gemm", 6, ["broadcast": .int(1)], inputs: ["a", "b", "c"])
    }

    /// Source: `test_resize_downsample_nearest` and `test_resize_upsample_nearest` of ONNX 1.5.
    @Test("In version 10, Resize took the next element where an axis shrinks, and the one before where it grows")
    func nearest() throws {
        let (operation, form) = try read("Resize", 10, ["mode": .string("nearest")], inputs: ["x", "scales"])
        #expect(form.inputs == ["x", "", "scales"])
        func resized(_ numbers: [Float], _ shape: [Int], _ scales: [Float]) throws -> [Float] {
            let inputs = [try Tensor(numbers, shape: shape), nil, try Tensor(scales, shape: [4])]
            let types = try operation.outputTypes(for: inputs.map { $0.map { TensorType($0) } })
            return try operation.evaluate(inputs, outputTypes: types)[0].elements(as: Float.self)
        }
        #expect(try resized([1, 2, 3, 4, 5, 6, 7, 8], [1, 1, 2, 4], [1, 1, 0.6, 0.6]) == [1, 3])
        #expect(
            try resized([1, 2, 3, 4], [1, 1, 2, 2], [1, 1, 2, 3])
                == [1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 3, 3, 3, 4, 4, 4])
    }

    @Test("Before version 13 all axes from one on made a row")
    func rows() throws {
        for name in ["Softmax", "LogSoftmax", "Hardmax"] {
            let old = try #require(try read(name, 12).operation as? any AxisNormalization)
            #expect(old.axis == 1 && old.flattensTrailingAxes)
            let given = try #require(try read(name, 12, ["axis": .int(0)]).operation as? any AxisNormalization)
            #expect(given.axis == 0 && given.flattensTrailingAxes)
            let today = try #require(try read(name, 13).operation as? any AxisNormalization)
            #expect(today.axis == -1 && !today.flattensTrailingAxes)
        }
    }

    @Test("Defaults are those of the node's version")
    func defaults() throws {
        #expect((try read("Concat", 3).operation as? Concat)?.axis == 1)
        #expect(refusal("Concat", 4, [:]) == "attribute \"axis\" is missing")
        #expect((try read("Selu", 1).operation as? Selu)?.alpha == 1.6732)
        #expect((try read("Selu", 6).operation as? Selu)?.alpha == 1.67326319)
        #expect((try read("RoiAlign", 10).operation as? RoiAlign)?.coordinates == .outputHalfPixel)
        #expect((try read("RoiAlign", 16).operation as? RoiAlign)?.coordinates == .halfPixel)
        #expect((try read("Dropout", 9, ["ratio": .float(0.5)]).operation as? Dropout)?.hasBooleanMask == false)
        #expect((try read("Dropout", 10).operation as? Dropout)?.hasBooleanMask == true)
        #expect((try read("Split", 13, outputs: 2).operation as? Split)?.allowsRemainder == false)
        #expect((try read("Split", 18, outputs: 2).operation as? Split)?.allowsRemainder == true)
        let groups = ["num_groups": AttributeValue.int(2)]
        #expect((try read("GroupNormalization", 18, groups).operation as? GroupNormalization)?.scalesGroups == true)
        #expect((try read("GroupNormalization", 21, groups).operation as? GroupNormalization)?.scalesGroups == false)
    }

    @Test("Attributes have today's names")
    func names() throws {
        #expect((try read("Pad", 1, ["paddings": .ints([1, 2])]).operation as? Pad)?.pads == [1, 2])
        #expect(refusal("Pad", 1, ["pads": .ints([1, 2])]) == "not supported: attribute \"pads\" in version 1")
        func axes(_ attributes: [String: AttributeValue]) throws -> [Int]? {
            (try read("MeanVarianceNormalization", 1, attributes).operation as? MeanVarianceNormalization)?.axes
        }
        #expect(try axes([:]) == [2, 3])
        #expect(try axes(["across_channels": .int(1)]) == [1, 2, 3])
        #expect(refusal("MeanVarianceNormalization", 8, ["normalize_variance": .int(0)]).hasPrefix("not supported"))
        #expect(refusal("BatchNormalization", 7, ["spatial": .int(0)]) == "not supported: \"spatial\" 0")
        #expect((try read("GridSample", 16, ["mode": .string("bicubic")]).operation as? GridSample)?.mode == .cubic)
        #expect(refusal("Tile", 5, [:]) == "not supported: Tile before version 6")
        #expect((try read("LpPool", 1, ["kernel_shape": .ints([2]), "p": .float(3)]).operation as? LpPool) != nil)
    }

    @Test("Element types are named, and numbered from version 6 on")
    func elementTypes() throws {
        #expect((try read("Cast", 5, ["to": .string("DOUBLE")]).operation as? Cast)?.to == .float64)
        #expect((try read("Cast", 6, ["to": .int(11)]).operation as? Cast)?.to == .float64)
        #expect((try read("EyeLike", 9, ["dtype": .int(0)]).operation as? EyeLike)?.elementType == nil)
        #expect((try read("EyeLike", 9, ["dtype": .int(7)]).operation as? EyeLike)?.elementType == .int64)
        for number in [8, 99, -1, Int64.max] {
            #expect(refusal("Cast", 13, ["to": .int(number)]) == "not supported: element type \(number)")
        }
        #expect(refusal("Cast", 5, ["to": .string("text")]) == "not supported: element type text")
        #expect(refusal("Cast", 13, ["to": .string("float")]) == "attribute \"to\" is a string, not an element type")
        #expect(refusal("Cast", 13, [:]) == "attribute \"to\" is missing")
        // The numbers of TensorProto.DataType from 1 on; nil for those that Apus does not support.
        let types: [ElementType?] = [
            .float32, .uint8, .int8, .uint16, .int16, .int32, .int64, nil, .bool, .float16, .float64, .uint32, .uint64,
            nil, nil, .bfloat16, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz, .uint4, .int4,
            .float4e2m1, .float8e8m0, .uint2, .int2,
        ]
        #expect(Set(types.compactMap { $0 }) == Set(ElementType.allCases))
        for (index, elementType) in types.enumerated() where elementType != nil {
            let number = Int64(index + 1)
            #expect((try read("Cast", 28, ["to": .int(number)]).operation as? Cast)?.to == elementType)
        }
    }

    @Test("Upsample and the first Resize are today's Resize")
    func resizing() throws {
        for (version, attributes, inputs) in [
            (10, [:], ["x", "s"]), (9, [:], ["x", "s"]), (7, ["scales": .floats([1, 2])], ["x"]),
        ] as [(Int, [String: AttributeValue], [String])] {
            let (operation, form) = try read(version == 10 ? "Resize" : "Upsample", version, attributes, inputs: inputs)
            let resize = try #require(operation as? Resize)
            let nearest = version == 10 ? Interpolation.Nearest.ceilWhereSmaller : .floor
            #expect(resize.interpolation.coordinates == .asymmetric && resize.interpolation.nearest == nearest)
            #expect(form.inputs == ["x", "", version == 7 ? "" : "s"])
            #expect(form.constants[2]?.elements(as: Float.self) == (version == 7 ? [1, 2] : nil))
        }
        let old = try read(
            "Upsample", 1, ["height_scale": .float(2), "width_scale": .float(3), "mode": .string("bilinear")])
        #expect(old.form.constants[2]?.elements(as: Float.self) == [1, 1, 2, 3])
        #expect((old.operation as? Resize)?.interpolation.mode == .linear)
        #expect(refusal("Upsample", 9, [:]) == "has 3 inputs; version 9 has 2 at most")
        #expect(refusal("Upsample", 9, ["mode": .string("cubic")]).hasSuffix("nearest or linear is expected"))
        #expect(refusal("Upsample", 9, ["nearest_mode": .string("ceil")]).hasPrefix("not supported"))
    }

    @Test("An error about an old node names it as the file does")
    func errors() throws {
        let mode = attribute("mode", type: 3) { $0.string(4, "cubic") }
        let model = ModelBytes([node("Upsample", ["x"], ["y"], name: "up", attributes: [mode])])
        let error = #expect(throws: FormatError.self) { try ONNXFormat().read(model.data, folder: nil) }
        #expect(
            error?.description
                == "node \"up\" (Upsample): attribute \"mode\" is \"cubic\"; nearest or linear is expected")
    }
}
