// What every program begins with.
