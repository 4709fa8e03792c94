// NVIDIA's tensor cores through inline PTX, for compute capability 8.0 and later: products of float32 numbers rounded
// to tf32 (10 bits after the leading one) or, with HALF, to float16, summed in float32.
//
// Reference for the fragments of a warp: "Matrix Fragments for mma.m16n8k8" (.tf32) and "… mma.m16n8k16" (.f16) in
// https://docs.nvidia.com/cuda/parallel-thread-execution. A word of 32 bits is one tf32, or two float16 adjacent along
// the depth, the lower half first. In words both kinds of fragments are alike; for lane 4 · g + t
// - left, 16 rows × 8 words: a[0] (g, t), a[1] (g + 8, t), a[2] (g, t + 4), a[3] (g + 8, t + 4)
// - right, 8 words × 8 columns: b[0] (t, g), b[1] (t + 4, g)
// - sums, 16 × 8: c[0] (g, 2t), c[1] (g, 2t + 1), c[2] (g + 8, 2t), c[3] (g + 8, 2t + 1)

// Elements of a word.
#ifdef HALF
#define PACKED 2
#else
#define PACKED 1
#endif

// The word of two elements that are adjacent along the depth; a tf32 word holds only the first.
static inline uint round_to_word(float first, float second) {
    uint word;
#ifdef HALF
    __asm__ volatile("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(second), "f"(first));
#else
    __asm__ volatile("cvt.rna.tf32.f32 %0, %1;" : "=r"(word) : "f"(first));
#endif
    return word;
}

// c += a · b. All lanes of a warp take part.
static inline void multiply_fragments(float *c, const uint *a, const uint *b) {
#ifdef HALF
    __asm__ volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
    __asm__ volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

// Loads four matrices of 8 rows of 16 bytes from local memory; lane 8 · m + r gives the address of row r of matrix m.
// Word m of lane 4 · g + t is word t of row g of matrix m.
static inline void load_matrices(uint *words, uint address) {
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address)
                 : "memory");
}

#ifdef HALF
// The same, with each matrix transposed: the word of lane 4 · g + t is rows 2t and 2t + 1 of column g.
static inline void load_transposed_matrices(uint *words, uint address) {
    __asm__ volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(address)
                 : "memory");
}
#endif

// The value of the lane whose number differs from this one's by the bits of a mask.
static inline float exchange(float value, int mask) {
    float other;
    __asm__ volatile("shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;" : "=f"(other) : "f"(value), "r"(mask));
    return other;
}

// 2^x with an error of 2^-22.
static inline float power_of_2(float x) {
    float power;
    __asm__("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x));
    return power;
}

// Starts to copy 4 or 16 bytes to local memory; zeros unless `is_inside`.
static inline void copy_ahead(uint to, __global const float *from, int is_inside, int count) {
    const int inside = is_inside ? count : 0;
    if (count == 16)
        __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                         :
                         : "r"(to), "l"(from), "r"(inside)
                         : "memory");
    else
        __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
                         :
                         : "r"(to), "l"(from), "r"(inside)
                         : "memory");
}

// Ends a group of copies.
static inline void end_copies(void) { __asm__ volatile("cp.async.commit_group;" : : : "memory"); }

// Waits until at most `count` groups of copies are under way.
#define wait_for_copies(count) __asm__ volatile("cp.async.wait_group %0;" : : "n"(count) : "memory")
