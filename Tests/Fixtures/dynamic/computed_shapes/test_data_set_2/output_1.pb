B
compressedJÈ›á>>Àç?È›á>>Àç?