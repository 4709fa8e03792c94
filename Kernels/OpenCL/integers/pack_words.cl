// Packs 8-bit integers that are computed at run time as the right operand of integer_tile.cl.
//
// Parts have `taps` taps of `channels` bytes for each column. packed = words [part][tap][channels / 4][pitch], whose
// bytes are right[part][column][tap][channel] − stored, signed; then the sums of right − point of every column, [part]
// [pitch]; then point − stored likewise. Bytes of missing channels are point − stored, so that they count as 0; what
// belongs to missing columns is 0.
//
// NDRange: [pitch, parts], any local size.
// Macros: RIGHT_SIGNED, whether the bytes are signed: `stored` is 0 then, otherwise 128; POINTS where zero points are
// bytes in memory, of the type of the right bytes, point_step apart, and those of a part point_part_stride.

static inline int right_byte(uchar byte) { return RIGHT_SIGNED ? (int)as_char(byte) : (int)byte; }

__kernel void pack_words(
    __global const uchar *right, ulong right_position, __global const uchar *points, ulong points_position,
    __global int *packed, ulong packed_position, int columns, int pitch, int channels, int taps, long part_stride,
    int column_stride, int channel_stride, int tap_stride, int point, int point_step, int point_part_stride) {
    const int column = get_global_id(0), part = get_global_id(1), parts = get_global_size(1);
    if (column >= pitch) return;
    const int words = DIVIDE_UP(channels, 4), is_present = column < columns, stored = RIGHT_SIGNED ? 0 : 128;
    right += right_position + part * part_stride + (long)(is_present ? column : 0) * column_stride;
#ifdef POINTS
    point = right_byte(points[points_position + part * point_part_stride + (is_present ? column : 0) * point_step]);
#endif
    packed += packed_position;
    __global int *to = packed + (size_t)part * taps * words * pitch + column;
    int sum = 0;
    for (int tap = 0; tap < taps; tap++) {
        for (int word = 0; word < words; word++) {
            __global const uchar *from = right + (long)tap * tap_stride + (long)4 * word * channel_stride;
            uint bits = 0;
            for (int byte = 0; byte < 4; byte++) {
                int value = point;
                if (4 * word + byte < channels) value = right_byte(from[(long)byte * channel_stride]);
                sum += value - point;
                bits |= (uint)((value - stored) & 255) << (8 * byte);
            }
            *to = is_present ? (int)bits : 0;
            to += pitch;
        }
    }
    __global int *ends = packed + (size_t)parts * taps * words * pitch + part * pitch + column;
    ends[0] = is_present ? sum : 0;
    ends[(size_t)parts * pitch] = is_present ? point - stored : 0;
}
