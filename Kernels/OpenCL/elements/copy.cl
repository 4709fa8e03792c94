// Copies between arrays of any strides: transpositions, slices, concatenations, broadcasts, changes of layout.
//
// ELEMENT is an unsigned type of the elements' size, or a vector of adjacent elements; positions, extents and strides
// count ELEMENTs. The arrays do not overlap.

// output[i] = input[i] for all i. Extents and strides as in walk.cl, in the output's memory order.
// NDRange: [elements rounded up], any local size. Macros: ELEMENT, RANK.
#ifdef RANK
__kernel void copy(
    __global const ELEMENT *input, ulong input_position, __global ELEMENT *output, ulong output_position, int count,
    int8 extents, int8 input_strides, int8 output_strides) {
    const int index = get_global_id(0);
    if (index >= count) return;
    const int8 place = coordinates(RANK, extents, index);
    output[output_position + position_of(RANK, place, output_strides)] =
        input[input_position + position_of(RANK, place, input_strides)];
}
#endif

// output[s][c][r] = input[s][r][c] for a stack of matrices of `rows` by `columns`, for example to turn planes into
// channels-last pixels and back.
//
// A work-group moves TILE × TILE elements through local memory.
// NDRange: [columns rounded up to TILE, rows rounded up to TILE · TILE_ROWS / TILE, stack], local size
// [TILE, TILE_ROWS, 1]. Macros: ELEMENT, TILE, TILE_ROWS, which divides TILE.
#ifdef TILE
__kernel __attribute__((reqd_work_group_size(TILE, TILE_ROWS, 1))) void transpose(
    __global const ELEMENT *input, ulong input_position, __global ELEMENT *output, ulong output_position, int rows,
    int columns, long input_stack_stride, int input_row_stride, long output_stack_stride, int output_row_stride) {
    __local ELEMENT tile[TILE][TILE + 1];
    const int x = get_local_id(0), y = get_local_id(1);
    const int first_column = get_group_id(0) * TILE, first_row = get_group_id(1) * TILE;
    input += input_position + get_group_id(2) * input_stack_stride;
    output += output_position + get_group_id(2) * output_stack_stride;
    for (int i = y; i < TILE; i += TILE_ROWS)
        if (first_row + i < rows && first_column + x < columns)
            tile[i][x] = input[(size_t)(first_row + i) * input_row_stride + first_column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = y; i < TILE; i += TILE_ROWS)
        if (first_column + i < columns && first_row + x < rows)
            output[(size_t)(first_column + i) * output_row_stride + first_row + x] = tile[x][i];
}
#endif
