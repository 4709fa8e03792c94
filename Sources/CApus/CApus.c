#include "apus.h"
