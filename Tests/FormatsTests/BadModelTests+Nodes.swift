import Formats

extension BadModel {
    static let nodes: [BadModel] = [
        BadModel(
            ModelBytes([node("Foo", ["x"], ["y"], name: "first")]),
            "node \"first\" (Foo): operator Foo of ai.onnx 13 is not supported", .unsupported),
        BadModel("node \"y\" (Relu): operator Relu of com.example 3 is not supported", .unsupported) {
            $0.operatorSets.append(("com.example", 3))
            $0.nodes = [node("Relu", ["x"], ["y"], domain: "com.example")]
        },
        BadModel(
            ModelBytes([node("Relu", ["x"], ["y"], domain: "com.example")]),
            "node \"y\" (Relu): the model imports no version of operator set com.example"),
        BadModel(ModelBytes([node("", ["x"], ["y"])]), "node \"y\" (): names no operator"),
        BadModel("node \"y\" (Twice): has 1 inputs and 1 outputs; the function has 0 and 0") {
            $0.nodes = [node("Twice", ["x"], ["y"], domain: "local")]
            $0.extraFields = function("Twice", [], [], [])
        },
        BadModel("node \"y/b\" (Twice): function \"Twice\" calls itself") {
            $0.nodes = [node("Twice", ["x"], ["y"], domain: "local")]
            $0.extraFields = function(
                "Twice", ["a"], ["b"], [node("Twice", ["a"], ["b"], domain: "local")])
        },
        BadModel("node \"y/b/b\" (There): function \"There\" calls itself") {
            $0.nodes = [node("There", ["x"], ["y"], domain: "local")]
            $0.extraFields =
                function("There", ["a"], ["b"], [node("Back", ["a"], ["b"], domain: "local")])
                + function("Back", ["a"], ["b"], [node("There", ["a"], ["b"], domain: "local")])
        },
        BadModel(
            "the model's functions come to more than 262144 nodes where they are called", .unsupported
        ) {
            $0.nodes = [node("F0", ["x"], ["y"], domain: "local")]
            $0.extraFields =
                (0..<40).flatMap { index in
                    function(
                        "F\(index)", ["a"], ["c"],
                        [
                            node("F\(index + 1)", ["a"], ["b"], domain: "local"),
                            node("F\(index + 1)", ["b"], ["c"], domain: "local"),
                        ])
                } + function("F40", ["a"], ["c"], [node("Relu", ["a"], ["c"])])
        },
        BadModel("function \"Twice\" is given twice") {
            $0.extraFields = function("Twice", [], [], []) + function("Twice", [], [], [])
        },
        relu(attribute("alpha", type: 1) { $0.float(2, 1) }, "attribute \"alpha\" is not known", .unsupported),
        relu(attribute("body", type: 5) { $0.message(6) { _ in } }, "attribute \"body\": the graph has no outputs"),
        relu(
            attribute("types", type: 13) { $0.message(14) { _ in } },
            "attribute \"types\" is of type TYPE_PROTO, which is not supported", .unsupported),
        relu(attribute("alpha", type: 2) { $0.float(2, 1) }, "attribute \"alpha\" does not hold a value of its type"),
        relu(attribute("alpha", type: 0), "attribute \"alpha\" has no value"),
        relu(attribute("text", type: 3) { $0.bytes(4, [0xFF]) }, "attribute \"text\" is not UTF-8 text"),
        relu(
            attribute("value", type: 4) { $0.bytes(5, tensor("", dimensions: [-1])) },
            "attribute \"value\": shape [-1] has a negative dimension"),
        relu(
            attribute("alpha", type: 1) { $0.string(21, "beta") },
            "attribute \"alpha\" refers to a function's, outside of a function"),
        BadModel(
            ModelBytes([
                node("Flatten", ["x"], ["y"], attributes: [attribute("axis", type: 1) { $0.float(2, 1) }])
            ]),
            "node \"y\" (Flatten): attribute \"axis\" is a float, not an integer"),
        BadModel(
            ModelBytes([
                node(
                    "Flatten", ["x"], ["y"],
                    attributes: [
                        attribute("axis", type: 2) { $0.varint(3, 1) }, attribute("axis", type: 2) { $0.varint(3, 1) },
                    ])
            ]), "node \"y\" (Flatten): attribute \"axis\" is given twice"),
        BadModel(
            ModelBytes([node("Relu", ["x"], ["y"], name: "a"), node("Relu", ["x"], ["y"], name: "b")]),
            "node \"b\" (Relu): output \"y\" is already computed by node \"a\""),
        BadModel(
            ModelBytes([node("Relu", ["x"], ["x"], name: "a")]),
            "node \"a\" (Relu): output \"x\" is already an input of the graph"),
        BadModel("node \"a\" (Relu): output \"w\" is already an initializer") {
            $0.initializers = [tensor("w", dimensions: [0])]
            $0.nodes.append(node("Relu", ["x"], ["w"], name: "a"))
        },
        BadModel(
            ModelBytes([node("Relu", ["z"], ["y"], name: "a")]),
            "node \"a\" (Relu): reads \"z\", which nothing provides"),
        BadModel(
            ModelBytes([node("Relu", ["b"], ["y"], name: "first"), node("Relu", ["y"], ["b"], name: "second")]),
            "the nodes \"first\", \"second\" form a cycle"),
        BadModel(
            ModelBytes([node("Relu", ["x", "x"], ["y"])]), "node \"y\" (Relu): has 2 inputs; 1 expected"),
        BadModel(
            ModelBytes([node("Conv", ["x", "w", "b", "x"], ["y"])]),
            "node \"y\" (Conv): has 4 inputs; 2 to 3 expected"),
        BadModel(ModelBytes([node("Relu", [""], ["y"])]), "node \"y\" (Relu): input 0 is missing"),
        BadModel(
            ModelBytes(
                [
                    node(
                        "Concat", ["x", "z"], ["y"], name: "join",
                        attributes: [attribute("axis", type: 2) { $0.varint(3, 1) }])
                ],
                inputs: [value("x", dimensions: [1, 3]), value("z", dimensions: [2, 3])]),
            "node \"join\" (Concat): inputs disagree on axis 0: 1 and 2"),
    ]

    private static func relu(
        _ attribute: [UInt8], _ message: String, _ kind: FormatError.Kind = .invalid
    ) -> BadModel {
        BadModel(
            ModelBytes([node("Relu", ["x"], ["y"], attributes: [attribute])]), "node \"y\" (Relu): \(message)", kind)
    }
}
