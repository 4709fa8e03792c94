// Softmax and normalisation of dense rows of 8-bit integers, in fixed point as in `Graphs`' IntegerSoftmax and
// IntegerL2Normalization. Sums wrap, so that they depend on no order.
//
// A work-group computes OUTPUT_ITEMS rows, each with ITEMS work-items.
// NDRange: [rows rounded up to OUTPUT_ITEMS, ITEMS], local size [OUTPUT_ITEMS, ITEMS, 1].
// Macros: SIGNED; OUTPUT_ITEMS; ITEMS, a power of 2; SOFTMAX for Softmax.

static inline int read_byte(__global const uchar *from) { return SIGNED ? (int)as_char(*from) : (int)*from; }

static inline int saturated(long x) { return (int)clamp(x, (long)INT_MIN, (long)INT_MAX); }

// The sum, or with `takes_maximum` the maximum, of the values of a row's work-items.
static inline int fold(
    __local int results[ITEMS][OUTPUT_ITEMS], int x, int item, int value, int takes_maximum) {
    results[item][x] = value;
    for (int half_count = ITEMS / 2; half_count > 0; half_count /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < half_count) {
            const int a = results[item][x], b = results[item + half_count][x];
            results[item][x] = takes_maximum ? max(a, b) : (int)((uint)a + (uint)b);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const int result = results[0][x];
    barrier(CLK_LOCAL_MEM_FENCE);
    return result;
}

#ifdef SOFTMAX
// e^a for a from −1/4 up to 0, both with 31 fractional bits.
static inline int exponential_on_quarter(int a) {
    const int constant_term = 1895147668, third = 715827883;
    const int x = a + (1 << 28);
    const int x2 = high_product(x, x), x3 = high_product(x2, x), x4 = high_product(x2, x2);
    const int sum = high_product(rounding_shift(x4, 2) + x3, third) + x2;
    return saturated((long)constant_term + high_product(constant_term, x + rounding_shift(sum, 1)));
}

// e^a with 31 fractional bits, for a ≤ 0 with 26 fractional bits.
static inline int exponential_of_negative(int a) {
    // e^(−2^(k − 2)) with 31 fractional bits.
    const int factors[7] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
    if (a == 0) return INT_MAX;
    const int quarter = 1 << 24;
    const int quarter_part = (a & (quarter - 1)) - quarter;
    int result = exponential_on_quarter(quarter_part * 32);
    const int remainder = quarter_part - a;
#pragma unroll
    for (int k = 0; k < 7; k++)
        if (remainder & (1 << (24 + k))) result = high_product(result, factors[k]);
    return result;
}

// 1 / (1 + a) for a from 0 up to 1, both with 31 fractional bits.
static inline int reciprocal_of_one_plus(int a) {
    const int half_denominator = (int)(((long)a + INT_MAX + 1) / 2);
    int x = 1515870810 + high_product(half_denominator, -1010580540);
    for (int step = 0; step < 3; step++) {
        const int rest = (1 << 29) - high_product(half_denominator, x);
        x = (int)((uint)x + (uint)saturated(4 * (long)high_product(x, rest)));
    }
    return saturated(2 * (long)x);
}

// output[r][c] = round(256 · e^(factor · (input[r][c] − max)) / Σ e^…) + lowest. Differences below `least` count as −∞.
__kernel __attribute__((reqd_work_group_size(OUTPUT_ITEMS, ITEMS, 1))) void integer_softmax(
    __global const uchar *input, ulong input_position, __global uchar *output, ulong output_position, int rows,
    int length, int factor, int shift, int least, int lowest) {
    __local int results[ITEMS][OUTPUT_ITEMS];
    const int x = get_local_id(0), item = get_local_id(1), row = get_global_id(0);
    const int count = row < rows ? length : 0;
    input += input_position + (row < rows ? (long)row * length : 0);
    output += output_position + (row < rows ? (long)row * length : 0);
    int largest = INT_MIN;
    for (int c = item; c < count; c += ITEMS) largest = max(largest, read_byte(input + c));
    largest = fold(results, x, item, largest, 1);
    uint part = 0;
    for (int c = item; c < count; c += ITEMS) {
        const int difference = read_byte(input + c) - largest;
        if (difference >= least)
            part += (uint)rounding_shift(exponential_of_negative(scale_twice(difference, factor, shift)), 12);
    }
    const int sum = fold(results, x, item, (int)part, 0);
    const int headroom = clz(sum);
    const int reciprocal = reciprocal_of_one_plus((int)(((uint)sum << (headroom & 31)) - (1u << 31)));
    for (int c = item; c < count; c += ITEMS) {
        const int difference = read_byte(input + c) - largest;
        int value = lowest;
        if (difference >= least) {
            const int exponential = exponential_of_negative(scale_twice(difference, factor, shift));
            const int rounded = rounding_shift(high_product(reciprocal, exponential), 12 - headroom + 31 - 8);
            value = (int)clamp((long)rounded + lowest, (long)lowest, (long)lowest + 255);
        }
        output[c] = (uchar)value;
    }
}
#else
// 1 / √x as a fraction with 31 fractional bits, and the shift to the right.
static inline int inverse_root(int x, int *shift) {
    *shift = 0;
    if (x <= 1) return INT_MAX;
    int right = 11;
    while (x >= 1 << 29) {
        x /= 4;
        right++;
    }
    const int pairs = (clz(x) - 1) / 2 - 1;
    right -= pairs;
    // Newton steps r = r · (3/2 − x / 2 · r²) on numbers with 28 fractional bits.
    x = pairs < 0 ? x >> (-2 * pairs) : x << (2 * pairs);
    const int half_x = rounding_shift(x >> 1, 1), three_halves = (1 << 28) + (1 << 27);
    int root = 1 << 28;
    for (int step = 0; step < 5; step++) {
        const int cube = saturated((long)high_product(high_product(root, root), root) * 64);
        const int difference = (int)((uint)high_product(three_halves, root) - (uint)high_product(half_x, cube));
        root = saturated((long)difference * 8);
    }
    // √2 / 2 with 31 fractional bits.
    root = high_product(root, 1518500250);
    if (right < 0) return (int)((uint)root << -right);
    *shift = right;
    return root;
}

// output[r][c] = round(128 · x / ‖x‖) + middle with x = input[r][c] − input_point; `multiplier` and `added_shift` say
// how the 128 comes in.
__kernel __attribute__((reqd_work_group_size(OUTPUT_ITEMS, ITEMS, 1))) void integer_l2_normalization(
    __global const uchar *input, ulong input_position, __global uchar *output, ulong output_position, int rows,
    int length, int input_point, int multiplier, int added_shift, int middle) {
    __local int results[ITEMS][OUTPUT_ITEMS];
    const int x = get_local_id(0), item = get_local_id(1), row = get_global_id(0);
    const int count = row < rows ? length : 0;
    input += input_position + (row < rows ? (long)row * length : 0);
    output += output_position + (row < rows ? (long)row * length : 0);
    int part = 0;
    for (int c = item; c < count; c += ITEMS) {
        const int value = read_byte(input + c) - input_point;
        part += value * value;
    }
    int shift;
    const int root = inverse_root(fold(results, x, item, part, 0), &shift);
    for (int c = item; c < count; c += ITEMS) {
        const int value = (read_byte(input + c) - input_point) * multiplier;
        const int rounded = scale_twice(value, root, added_shift - shift);
        output[c] = (uchar)clamp(add_sat(rounded, middle), middle - 128, middle + 127);
    }
}
#endif
