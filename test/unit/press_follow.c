/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* A flow whose tensor goes on while its scale varies. */

#include <string.h>

#include "choice.h"
#include "choice_count.h"
#include "codec_help.h"
#include "rules_help.h"

#define REGION 4000
#define ELEMENTS (REGION / 2)
#define FRAMES 200
#define TRIALS 20
#define EXPONENT 0x7f80
#define EXPONENT_ONE 0x80

int __real_lp_encode(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap);
int __wrap_lp_encode(const struct lp_codebook *cb, const struct lp_params *params,
		const uint8_t *src, size_t len, uint8_t *dst, size_t dst_cap);

static unsigned int encodings;
static uint16_t tensor[ELEMENTS];
static struct test_frame frame, wire, other, back;

int
__wrap_lp_encode(const struct lp_codebook *cb, const struct lp_params *params, const uint8_t *src,
		size_t len, uint8_t *dst, size_t dst_cap)
{
	encodings++;
	return __real_lp_encode(cb, params, src, len, dst, dst_cap);
}

/* Elements of the tensor, in turn, multiplied by two to the power of eighths / 8. */
static void
fill_scaled(int eighths)
{
	uint8_t *const elements = frame.data + frame.at.region_off;
	const unsigned int turn = test_random_in(0, ELEMENTS - 1);

	for (unsigned int k = 0; k < ELEMENTS; k++) {
		/* one octave for as many elements as are over, in no order that a sample meets */
		const int octaves = (eighths + (int)(k * 5 % 8)) >> 3;
		uint16_t element = tensor[(k + turn) % ELEMENTS];

		if ((element & EXPONENT) != 0)
			element = (uint16_t)(element + octaves * EXPONENT_ONE);
		memcpy(elements + 2 * k, &element, sizeof(element));
	}
	frame_fix_l4_cksum(&frame);
}

/* Bytes by which frames are longer than coded by a press that remembers nothing. */
static long
excess(struct lp_press *press)
{
	struct lp_press *fresh = press_make(press_conf());
	const unsigned int before = encodings;

	CU_ASSERT_FATAL(compress_frame(fresh, &frame, &other));
	encodings = before;
	CU_ASSERT_FATAL(compress_frame(press, &frame, &wire));
	CU_ASSERT_FATAL(restore_frame(fresh, &wire, &back));
	CU_ASSERT(frame_equal(&frame, &back));
	lp_press_free(fresh);
	return (long)wire.len - (long)other.len;
}

/* Let the press know a tensor of whole elements. */
static void
start(struct lp_press *press)
{
	const struct frame_spec spec = { .ip_version = 4, .l4 = LP_L4_UDP, .region_len = REGION };
	struct lp_shim shim;

	do {
		frame_tensor(&frame, &spec, TENSOR_BF16);
		for (unsigned int k = 0; k < 2; k++)
			excess(press);
		CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_SEALED);
	} while (shim.phase != 0);
	memcpy(tensor, frame.data + frame.at.region_off, REGION);
	choices_alike = choices_in_full = encodings = 0;
}

/* An eighth of an octave a frame, for 12 octaves there and back. */
static void
scale_that_drifts_is_followed(void)
{
	struct lp_press *press = press_make(press_conf());
	long sum = 0;

	start(press);
	for (int k = 0; k < FRAMES; k++) {
		fill_scaled(k < FRAMES / 2 ? k : FRAMES - k);
		sum += excess(press);
	}
	CU_ASSERT(sum < FRAMES * REGION / 200);
	CU_ASSERT(choices_alike <= FRAMES / 20);
	CU_ASSERT(choices_in_full <= FRAMES + FRAMES / 20);
	CU_ASSERT(encodings <= FRAMES + FRAMES / 20);
	lp_press_free(press);
}

/* No neighbour helps: it must be chosen anew, and before the region is encoded in vain. */
static void
scale_that_jumps_is_found_before_it_is_coded(void)
{
	struct lp_press *press = press_make(press_conf());
	long sum = 0;

	start(press);
	for (int k = 0; k < FRAMES; k++) {
		fill_scaled(k / 4 % 2 == 0 ? 0 : 8 * 12);
		sum += excess(press);
	}
	CU_ASSERT(sum < FRAMES * REGION / 200);
	CU_ASSERT(choices_alike >= FRAMES / 8);
	CU_ASSERT(encodings <= FRAMES + FRAMES / 20);
	lp_press_free(press);
}

/* Elements of a type, at a scale of their own. */
static void
fill_gaussian(enum lp_type type)
{
	data_region(type, DATA_GAUSS, 0, frame.data + frame.at.region_off, REGION);
	frame_fix_l4_cksum(&frame);
}

/*
 * Under the book for fp16, elements of bf16 have bodies of about the length that those of fp16
 * have, at some scales with another base.
 */
static void
another_type_of_that_length_is_found(void)
{
	for (unsigned int trial = 0; trial < TRIALS; trial++) {
		struct lp_press *press = press_make(press_conf());
		struct lp_shim shim;
		long sum = 0;

		start(press);
		for (unsigned int k = 0; k < 4; k++) {
			fill_gaussian(LP_TYPE_FP16);
			excess(press);
		}
		for (unsigned int k = 0; k < LP_CHOICE_FRAMES; k++) {
			fill_gaussian(LP_TYPE_BF16);
			sum += excess(press);
		}
		CU_ASSERT(sum < LP_CHOICE_FRAMES * REGION / 100);
		CU_ASSERT_FATAL(frame_shim(&wire, &shim) == LP_OPEN_SEALED);
		CU_ASSERT(lp_codebook_type(bench.books->book[shim.book_id]) == LP_TYPE_BF16);
		lp_press_free(press);
	}
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(scale_that_drifts_is_followed),
		TEST(scale_that_jumps_is_found_before_it_is_coded),
		TEST(another_type_of_that_length_is_found),
		CU_TEST_INFO_NULL,
	};

	return press_main(argc, argv, "press_follow", tests);
}
