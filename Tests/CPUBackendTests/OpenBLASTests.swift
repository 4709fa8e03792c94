import CPUBackend
import Testing

@Suite("OpenBLAS, found at run time")
struct OpenBLASTests {
    @Test("A library that is not there is an error that names Debian's package")
    func namesThePackage() throws {
        guard case .failure(let absence) = OpenBLASBackend.find("libopenblas-of-no-system.so.0") else {
            Issue.record("a library was found")
            return
        }
        #expect(absence.description.contains("libopenblas-of-no-system.so.0"))
        #expect(absence.description.hasSuffix("; Debian's package libopenblas0 brings it"))
    }

    @Test("A library without its functions is refused")
    func needsItsFunctions() {
        guard case .failure(let absence) = OpenBLASBackend.find("libm.so.6") else {
            Issue.record("a library was found")
            return
        }
        #expect(absence.description.contains("libm.so.6 has no openblas_get_config"))
    }

    @Test("No lowering of the processor's own backend needs the library")
    func isApart() throws {
        let names = CPUBackend().lowerings.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(!names.contains("pointwise-gemm") && !names.contains("gemm-attention"))
        #expect(CPUBackend().measurementKey?.contains("OpenBLAS") == false)
    }
}
