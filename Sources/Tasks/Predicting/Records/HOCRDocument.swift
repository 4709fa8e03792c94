/// The text around the pages of a document of hOCR.
///
/// Source: http://kba.cloud/hocr-spec/1.2
package enum HOCRDocument {
    /// The first line.
    package static let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

    /// The text before the first page.
    package static let beginning = declaration + head

    /// The text between the first line and the first page.
    package static let head = """
        <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" \
        "http://www.w3.org/TR/xhtml1/DTD/xhtml1-transitional.dtd">
        <html xmlns="http://www.w3.org/1999/xhtml">
        <head>
        <title></title>
        <meta http-equiv="Content-Type" content="text/html; charset=utf-8" />
        <meta name="ocr-system" content="apus" />
        <meta name="ocr-capabilities" content="ocr_page ocr_line" />
        </head>
        <body>

        """

    /// The text after the last page.
    package static let end = "</body>\n</html>\n"
}
