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
