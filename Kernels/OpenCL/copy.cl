// y = f(x), element by element, for strided arrays of up to six axes, outermost first.
//
// Macros: ELEMENT, the type of the elements; FUNCTION(x), identity where it is not given.
// Extents and strides are in elements. One work-item for each element; the last axis varies fastest.

#ifndef FUNCTION
#define FUNCTION(x) (x)
#endif

__kernel void copy(
    __global const ELEMENT *x, const ulong x_offset, __global ELEMENT *y, const ulong y_offset, const ulong count,
    const ulong n1, const ulong n2, const ulong n3, const ulong n4, const ulong n5,
    const long xs0, const long xs1, const long xs2, const long xs3, const long xs4, const long xs5,
    const long ys0, const long ys1, const long ys2, const long ys3, const long ys4, const long ys5) {
    ulong i = get_global_id(0);
    if (i >= count) return;
    const ulong i5 = i % n5;
    i /= n5;
    const ulong i4 = i % n4;
    i /= n4;
    const ulong i3 = i % n3;
    i /= n3;
    const ulong i2 = i % n2;
    i /= n2;
    const ulong i1 = i % n1;
    const ulong i0 = i / n1;
    const long from = i0 * xs0 + i1 * xs1 + i2 * xs2 + i3 * xs3 + i4 * xs4 + i5 * xs5;
    const long to = i0 * ys0 + i1 * ys1 + i2 * ys2 + i3 * ys3 + i4 * ys4 + i5 * ys5;
    y[y_offset + to] = FUNCTION(x[x_offset + from]);
}
