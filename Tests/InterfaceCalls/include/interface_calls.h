#ifndef APUS_INTERFACE_CALLS_H
#define APUS_INTERFACE_CALLS_H

/// Calls every function of the C library with arguments that do not fit: handles that are NULL, released, of another
/// kind or made up; NULL for results and text; lengths, ranks, extents and indices that are negative or too large.
///
/// - Parameters:
///   - model: The path of a classifier.
///   - photo: The path of a picture.
/// - Returns: The number of calls that did not answer with the error they should; each is printed on standard output.
int interface_calls_with_bad_arguments(const char *model, const char *photo);

#endif
