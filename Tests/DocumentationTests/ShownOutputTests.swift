import Testing

@Suite struct ShownOutputTests {
    @Test func linesAreTheSame() {
        #expect(ShownOutput(["a", "b"]).matches(["a", "b"]))
        #expect(!ShownOutput(["a", "b"]).matches(["a"]))
        #expect(!ShownOutput(["a"]).matches(["a", "b"]))
        #expect(!ShownOutput(["a b"]).matches(["a  b"]))
    }

    @Test func anEllipsisIsAnyText() {
        #expect(ShownOutput(["a", "…", "d"]).matches(["a", "b", "c", "d"]))
        #expect(ShownOutput(["…"]).matches([]))
        #expect(!ShownOutput(["a", "…", "d"]).matches(["a", "b", "c"]))
        #expect(ShownOutput(["4 pictures, in …"]).matches(["4 pictures, in 0.2 s"]))
        #expect(!ShownOutput(["4 pictures, in …"]).matches(["5 pictures, in 0.2 s"]))
    }

    @Test func decimalsAreNearlyTheSame() {
        #expect(ShownOutput(["99.94 %"]).matches(["99.93 %"]))
        #expect(!ShownOutput(["99.94 %"]).matches(["98.94 %"]))
        #expect(!ShownOutput(["99.94 %"]).matches(["99 %"]))
        #expect(!ShownOutput(["class 285"]).matches(["class 286"]))
    }
}
