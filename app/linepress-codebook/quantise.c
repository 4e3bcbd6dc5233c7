/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <math.h>
#include <string.h>

#include <rte_byteorder.h>

#include "quantise.h"

#define LARGEST 127
#define SCALE_BYTES 4
#define HALF_MANTISSA_BITS 10
#define HALF_BIAS 15
#define HALF_SPECIAL 31 /* exponent of infinities and NaN */

static double
half_value(uint16_t h)
{
	const int exponent = h >> HALF_MANTISSA_BITS & 31;
	const int mantissa = h & ((1 << HALF_MANTISSA_BITS) - 1);
	double value = exponent == 0 ? ldexp(mantissa, 1 - HALF_BIAS - HALF_MANTISSA_BITS)
				     : ldexp(mantissa + (1 << HALF_MANTISSA_BITS),
						       exponent - HALF_BIAS - HALF_MANTISSA_BITS);

	if (exponent == HALF_SPECIAL)
		value = NAN;
	return h >> 15 != 0 ? -value : value;
}

static double
element_value(enum lp_type type, const uint8_t *src)
{
	uint32_t bits = 0;
	float value;

	if (type == LP_TYPE_FP16)
		return half_value((uint16_t)(src[0] | src[1] << 8));
	/* A bf16 is the upper half of an fp32. */
	memcpy((uint8_t *)&bits + (type == LP_TYPE_BF16 ? 2 : 0), src, lp_type_bytes(type));
	bits = rte_le_to_cpu_32(bits);
	memcpy(&value, &bits, sizeof(value));
	return (double)value;
}

size_t
quantise(enum lp_type type, const uint8_t *src, size_t len, double *signal, double *noise)
{
	const size_t bytes = lp_type_bytes(type);
	double largest = 0;

	if (bytes == 1)
		return len;
	for (size_t i = 0; i + bytes <= len; i += bytes) {
		const double size = fabs(element_value(type, src + i));

		if (isfinite(size) && size > largest)
			largest = size;
	}
	const double step = largest / LARGEST;

	for (size_t i = 0; i + bytes <= len; i += bytes) {
		const double value = element_value(type, src + i);

		if (!isfinite(value) || largest == 0)
			continue;
		const double error = value - step * round(value / step);

		*signal += value * value;
		*noise += error * error;
	}
	return len / bytes + SCALE_BYTES;
}
