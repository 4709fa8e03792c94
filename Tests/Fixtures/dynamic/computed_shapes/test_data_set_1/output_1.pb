B
compressedJÈ›á>>Àç?U>È›á>U>