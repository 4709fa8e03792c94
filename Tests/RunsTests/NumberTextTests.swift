import Foundation
import Glibc
import Testing

import Platform

@Suite struct NumberTextTests {
    @Test(arguments: [0, -0.0, 0.05, 0.125, 2.5, -1234.5678, 1e22, 1e300, -.greatestFiniteMagnitude, .infinity, .nan])
    func theTextIsThatOfFoundation(_ number: Double) {
        for decimals in [0, 1, 3, 9] {
            #expect(number.text(decimals: decimals) == String(format: "%.\(decimals)f", number))
            #expect(number.text(decimals: decimals, width: 6) == String(format: "%6.\(decimals)f", number))
        }
        #expect(number.text("%.1e") == String(format: "%.1e", number))
        #expect(number.text("%g") == String(format: "%g", number))
    }

    @Test func whiteSpaceIsTrimmedAtBothEnds() {
        #expect(" \t a b\r\n".trimmed == "a b")
        #expect(" \n".trimmed == "")
        #expect("".trimmed == "")
    }
}
