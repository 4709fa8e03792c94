import Foundation
import Testing

import Images

struct JSONParserTests {
    private func value(_ text: String) -> JSONValue? { JSONValue(Data(text.utf8)) }

    @Test func valuesAreRead() {
        let text = #" {"a": [1, -2.5e1, true, false, null], "b": {"c": "d"}, "e": []} "#
        let list: [JSONValue] = [
            .number(1, whole: 1), .number(-25, whole: -25), .boolean(true), .boolean(false), .null,
        ]
        #expect(value(text) == .object(["a": .array(list), "b": .object(["c": .string("d")]), "e": .array([])]))
        #expect(value("\u{FEFF}12") == .number(12, whole: 12))
        #expect(value(#"{"a": 1, "a": 2}"#)?.object?["a"]?.integer == 2)
    }

    @Test func numbersKeepTheirDigits() {
        #expect(value("9007199254740993")?.integer == 9_007_199_254_740_993)
        #expect(value("18446744073709551616") == .number(18_446_744_073_709_551_616, whole: nil))
        #expect(value("0.1")?.number == 0.1)
        #expect(value("3.0")?.integer == 3)
        #expect(value("-0")?.number?.sign == .minus)
    }

    @Test func stringsAreUnescaped() {
        #expect(value(#""\"\\\/\b\f\n\r\t""#) == .string("\"\\/\u{8}\u{C}\n\r\t"))
        #expect(value(#""\u00e9 \ud83d\ude00 é""#) == .string("é 😀 é"))
    }

    @Test(arguments: [
        "", " ", "tru", "nul", "truex", "1 2", "01", "+1", "1.", ".5", "1e", "-", "0x10", "NaN", "Infinity", "1e999",
        "[", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "{\"a\"", "{\"a\":", "{\"a\":1", "{\"a\":1,}", "{a: 1}",
        "{1: 1}",
        "]", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\u+123\"", "\"\\ud800\"",
        "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"a\nb\"", "'a'", "[1]]",
    ])
    func otherTextIsRefused(_ text: String) {
        #expect(value(text) == nil)
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        for bytes: [UInt8] in [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFF, 0xFE, 0x31, 0],
        ] {
            #expect(JSONValue(Data(bytes)) == nil)
        }
    }

    @Test func nestingHasALimit() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(value(nested(512)) != nil)
        #expect(value(nested(513)) == nil)
        #expect(value(nested(100_000)) == nil)
        #expect(value(String(repeating: #"{"a":"#, count: 100_000)) == nil)
    }

    @Test func valuesAreWrittenAsTheyWereRead() throws {
        let text = #"{"a":[9007199254740993,0.1,1e-07,true,null,"\"é\\ \u0000\u001f"],"b":{}}"#
        let first = try #require(value(text))
        #expect(JSONValue(first.document) == first)
        let deep = try #require(value(String(repeating: "[", count: 512) + String(repeating: "]", count: 512)))
        #expect(JSONValue(deep.document) == deep)
    }
}
