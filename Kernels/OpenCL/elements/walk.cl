// Walks over arrays of RANK axes, 1 to 8, outermost first. The first RANK elements of an int8 hold the extents or the
// strides; a stride is 0 where an array is broadcast.

// The coordinates of element `index` of a dense array of `extents`.
static inline int8 coordinates(int rank, int8 extents, int index) {
    int sizes[8], places[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    vstore8(extents, 0, sizes);
#pragma unroll
    for (int axis = 7; axis >= 0; axis--) {
        if (axis >= rank) continue;
        if (axis == 0) {
            places[0] = index;
        } else {
            places[axis] = index % sizes[axis];
            index /= sizes[axis];
        }
    }
    return vload8(0, places);
}

// The position of `place` in an array of `strides`.
static inline long position_of(int rank, int8 place, int8 strides) {
    int places[8], steps[8];
    vstore8(place, 0, places);
    vstore8(strides, 0, steps);
    long position = 0;
#pragma unroll
    for (int axis = 0; axis < 8; axis++)
        if (axis < rank) position += (long)places[axis] * steps[axis];
    return position;
}
