import Apus
import Quantizing

extension SwiftExample {
    static let quantizing = [
        SwiftExample("quantizing") {
            let model = try Model(contentsOf: "squeezenet1_1.onnx")

            let (quantized, report) = try await model.quantized(calibratingWith: .imageFolder("photos"))
            print(report.agreement)
            try quantized.export(to: "quantized.onnx")
        },
        SwiftExample("options of quantizing") {
            let model = try Model(contentsOf: "squeezenet1_1.onnx")

            var options = Model.QuantizationOptions()
            options.floatLayerCount = 0
            let (quantized, report) = try await model.quantized(
                calibratingWith: .imageFolder("photos"), options: options)
            print(report.agreement)

            _ = quantized
        },
    ]
}
