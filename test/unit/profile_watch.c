/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Alarms of drift: when they are raised, when they end, and what is suggested then. */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/Basic.h>

#include "linepress/bookset.h"
#include "linepress/watch.h"
#include "profile_help.h"

#define REGION_BYTES 4096
#define SHORTEST_GAIN 48
#define TENSOR_BYTES 32768
#define MIXED_REGIONS 3000
/* A window that is under way, and two in a row that decide. */
#define DECISION (3 * LP_WATCH_REGIONS)
#define RARE 9000

static struct lp_bookset *books;
static uint8_t src[REGION_BYTES];

/* Code a region as a press would, and watch. */
static void
watch_region(struct lp_watch *watch, const struct lp_bookset *set, const uint8_t *bytes, size_t len)
{
	static uint8_t body[2 * REGION_BYTES];
	struct lp_params params = { 0 };
	size_t estimate;
	uint8_t id = lp_bookset_choose(set, bytes, len, len - SHORTEST_GAIN, &params, &estimate);
	int body_len = 0;

	if (id != 0)
		body_len = lp_encode(set->book[id], &params, bytes, len, body, len - SHORTEST_GAIN);
	if (body_len <= 0)
		id = 0;
	const struct lp_watch_region region = {
		.id = id,
		.cb = set->book[id],
		.phase = params.phase,
		.src = bytes,
		.len = len,
		.body_len = id == 0 ? 0 : (size_t)body_len,
	};

	CU_ASSERT_EQUAL(lp_watch_add(watch, &region), 0);
}

static void
watch_data(struct lp_watch *watch, const struct lp_bookset *set, enum lp_type type,
		enum data_class data, unsigned int regions)
{
	for (unsigned int k = 0; k < regions; k++) {
		data_region(type, data, test_random_in(0, 3) % (unsigned int)lp_type_bytes(type),
				src, REGION_BYTES);
		watch_region(watch, set, src, REGION_BYTES);
	}
}

/* Numbers of bf16 between 1 and 2, positive or not: a single exponent, which takes a book 2 bits.
 */
static void
watch_narrow(struct lp_watch *watch, const struct lp_bookset *set, unsigned int regions)
{
	for (unsigned int k = 0; k < regions; k++) {
		for (unsigned int i = 0; i < REGION_BYTES; i += 2) {
			src[i] = (uint8_t)(0x80 | test_random());
			src[i + 1] = (uint8_t)(0x3f | (test_random() & 0x80));
		}
		watch_region(watch, set, src, REGION_BYTES);
	}
}

static struct lp_watch *
begin(void)
{
	struct lp_watch *watch = lp_watch_create();

	CU_ASSERT_FATAL(watch != NULL);
	return watch;
}

static bool
has_news(struct lp_watch *watch, uint8_t id, enum lp_type type, bool is_alarm)
{
	struct lp_watch_report r;

	return lp_watch_news(watch, &r) && r.id == id && r.type == type && r.is_alarm == is_alarm;
}

static bool
is_calm(struct lp_watch *watch)
{
	struct lp_watch_report r;

	if (!lp_watch_news(watch, &r))
		return lp_watch_alarms(watch) == 0;
	printf("\n  %s of %s: alarm %d, loss %.2f %%\n", r.name, lp_type_name(r.type), r.is_alarm,
			r.loss_percent);
	return false;
}

/* ---- data that fits ---- */

static void
later_steps_of_the_model_raise_no_alarm(void)
{
	static const char *const name[] = { "bf16-emb-weight", "bf16-ffn1-act", "bf16-ffn1-wgrad",
		"fp16-ffn1-act", "fp32-ffn1-act", "e4m3-attn-act", "e5m2-attn-act",
		"int8-attn-act" };
	static uint8_t tensor[sizeof(name) / sizeof(*name)][TENSOR_BYTES];
	const unsigned int tensors = sizeof(name) / sizeof(*name);
	struct lp_watch *watch = begin();
	struct lp_watch_report r;
	unsigned int judged = 0;

	for (unsigned int k = 0; k < tensors; k++) {
		char path[256];

		snprintf(path, sizeof(path), LP_TEST_DATA "/tensors/%s.bin", name[k]);
		FILE *f = fopen(path, "rb");

		CU_ASSERT_FATAL(f != NULL && fread(tensor[k], 1, TENSOR_BYTES, f) == TENSOR_BYTES);
		fclose(f);
	}
	for (unsigned int k = 0; k < MIXED_REGIONS; k++) {
		const unsigned int len = test_random_in(512, REGION_BYTES);

		watch_region(watch, books,
				tensor[k % tensors] + test_random_in(0, TENSOR_BYTES - len), len);
		CU_ASSERT(is_calm(watch));
	}
	for (unsigned int i = 0; lp_watch_report(watch, i, &r); i++) {
		judged += r.windows > 0;
		CU_ASSERT(r.loss_percent < LP_WATCH_THRESHOLD);
		CU_ASSERT(r.windows == 0 || r.loss_percent > 0);
		CU_ASSERT(r.windows == 0 || r.entropy > 1);
		CU_ASSERT_EQUAL(r.alarms, 0);
	}
	CU_ASSERT(judged >= 4);
	lp_watch_free(watch);
}

static void
noise_and_single_windows_raise_no_alarm(void)
{
	struct lp_watch *watch = begin();
	struct lp_watch_report r;

	watch_data(watch, books, LP_TYPE_BF16, DATA_NOISE, 600);
	CU_ASSERT_EQUAL(lp_watch_noise(watch), 600);
	for (unsigned int k = 0; k < 5; k++) {
		watch_narrow(watch, books, LP_WATCH_REGIONS);
		watch_data(watch, books, LP_TYPE_BF16, DATA_GAUSS, LP_WATCH_REGIONS);
	}
	CU_ASSERT(is_calm(watch));
	CU_ASSERT(lp_watch_report(watch, 0, &r) && r.windows == 10 && r.alarms == 0);
	lp_watch_free(watch);
}

/* ---- data that does not ---- */

static void
alarm_is_raised_and_ends_with_what_does_not_fit(void)
{
	struct lp_watch *watch = begin();
	struct lp_watch_report r;

	for (unsigned int k = 1; k <= 2; k++) {
		watch_data(watch, books, LP_TYPE_BF16, DATA_GAUSS, DECISION);
		CU_ASSERT(is_calm(watch));
		watch_narrow(watch, books, DECISION);
		CU_ASSERT(has_news(watch, 1, LP_TYPE_BF16, true));
		CU_ASSERT(lp_watch_report(watch, 0, &r) && r.alarms == k && r.is_alarm);
		/* 2 bits are spent where there is nothing to tell, of 16. */
		CU_ASSERT(fabs(r.loss_percent - 100.0 * 2 / 16) < 0.5);
		CU_ASSERT(r.entropy < 0.01 && fabs(r.code_bits - 2) < 0.1);
		CU_ASSERT(fabs(r.divergence - 2) < 0.1);
		watch_narrow(watch, books, DECISION);
		CU_ASSERT(!lp_watch_news(watch, &r));
		watch_data(watch, books, LP_TYPE_BF16, DATA_GAUSS, DECISION);
		CU_ASSERT(has_news(watch, 1, LP_TYPE_BF16, false));
	}
	lp_watch_set_threshold(watch, 20);
	watch_narrow(watch, books, DECISION);
	CU_ASSERT(is_calm(watch));
	lp_watch_free(watch);
}

/* Losses of 12.5 %, which are below the threshold, but not below half of it, and then are. */
static void
alarm_goes_on_until_losses_are_below_half_of_the_threshold(void)
{
	struct lp_watch *watch = begin();

	watch_narrow(watch, books, DECISION);
	CU_ASSERT(has_news(watch, 1, LP_TYPE_BF16, true));
	lp_watch_set_threshold(watch, 24);
	watch_narrow(watch, books, 2 * DECISION);
	CU_ASSERT_EQUAL(lp_watch_alarms(watch), 1);
	lp_watch_set_threshold(watch, 27);
	watch_narrow(watch, books, DECISION);
	CU_ASSERT(has_news(watch, 1, LP_TYPE_BF16, false));
	lp_watch_free(watch);
}

static void
alarm_is_raised_for_what_no_book_codes(void)
{
	static const uint8_t of_int8[] = { 8, 9, 10, 11 };
	struct lp_bookset *few = lp_bookset_subset(books, of_int8, sizeof(of_int8));
	struct lp_watch *watch = begin();
	struct lp_watch_report r = { .id = 1 };

	CU_ASSERT_FATAL(few != NULL);
	watch_data(watch, few, LP_TYPE_INT8, DATA_GAUSS, DECISION);
	CU_ASSERT(is_calm(watch));
	watch_data(watch, few, LP_TYPE_BF16, DATA_GAUSS, DECISION);
	CU_ASSERT(has_news(watch, 0, LP_TYPE_BF16, true));
	for (unsigned int i = 0; r.id != 0 && lp_watch_report(watch, i, &r); i++)
		;
	CU_ASSERT(r.id == 0 && r.loss_percent > 25 && r.all.regions == DECISION);
	CU_ASSERT_EQUAL(r.all.bytes, r.all.body_bytes);
	watch_data(watch, few, LP_TYPE_INT8, DATA_GAUSS, RARE);
	CU_ASSERT(has_news(watch, 0, LP_TYPE_BF16, false));
	CU_ASSERT(is_calm(watch));
	lp_watch_free(watch);
	lp_bookset_free(few);
}

static void
another_book_under_a_number_starts_anew(void)
{
	struct lp_error error;
	struct lp_bookset *without = lp_bookset_without(books, 1);
	struct lp_codebook *other = lp_codebook_load(
			LP_CODEBOOK_DIR "/fast/bf16-grouped.book", &error);
	struct lp_bookset *with = without == NULL ? NULL
						  : lp_bookset_extend(without, other, 1, &error);
	struct lp_watch *watch = begin();
	struct lp_watch_report r;

	CU_ASSERT_FATAL(with != NULL);
	watch_narrow(watch, books, DECISION);
	CU_ASSERT(lp_watch_report(watch, 0, &r) && r.alarms == 1);
	watch_data(watch, with, LP_TYPE_BF16, DATA_GAUSS, 1);
	CU_ASSERT(lp_watch_report(watch, 0, &r) && r.alarms == 0 && r.all.regions == 1);
	lp_watch_free(watch);
	lp_codebook_free(other);
	lp_bookset_free(with);
	lp_bookset_free(without);
}

/* ---- profiles and books made of them ---- */

static void
what_is_kept_is_bounded_and_fair(void)
{
	const unsigned int regions = 3 * LP_WATCH_KEPT;
	struct lp_watch *watch = begin();
	const struct lp_profile *kept;

	/* One in three has a byte that no other has. */
	for (unsigned int k = 0; k < regions; k++) {
		data_region(LP_TYPE_INT8, DATA_GAUSS, 0, src, 256);
		for (unsigned int i = 0; i < 256; i++)
			src[i] = k % 3 == 0 ? 0x55 : src[i] & 0x0f;
		watch_region(watch, books, src, 256);
	}
	struct lp_watch_sum sum = { 0 };
	size_t shards = 0;

	for (int type = 0; type < LP_TYPE_COUNT; type++) {
		const struct lp_watch_sum of = lp_watch_type(watch, (enum lp_type)type);

		sum.regions += of.regions;
		kept = lp_profiles_stored(
				lp_watch_profiles(watch), (enum lp_type)type, LP_SYMBOL_BYTE);
		if (kept != NULL) {
			shards += lp_profile_shards(kept);
			CU_ASSERT(lp_profile_shards(kept) < LP_WATCH_KEPT);
			CU_ASSERT(of.regions < LP_WATCH_KEPT ||
					lp_profile_shards(kept) >= LP_WATCH_KEPT / 2);
		}
	}
	CU_ASSERT_EQUAL(sum.regions, regions);
	CU_ASSERT(shards >= LP_WATCH_KEPT / 2);
	lp_watch_free(watch);
}

static void
basis_is_what_does_not_fit(void)
{
	const struct lp_fit_limits limits = { .levels = 7, .codes = 16 };
	struct lp_watch *watch = begin();
	struct lp_watch_basis basis;
	char text[LP_FIT_TEXT_MAX];

	CU_ASSERT_EQUAL(lp_watch_basis(watch, -1, &basis), -ENOENT);
	watch_data(watch, books, LP_TYPE_BF16, DATA_GAUSS, DECISION);
	CU_ASSERT_EQUAL(lp_watch_basis(watch, -1, &basis), -ENOENT);
	CU_ASSERT_EQUAL(lp_watch_basis(watch, LP_TYPE_INT8, &basis), -ENOENT);
	CU_ASSERT_EQUAL_FATAL(lp_watch_basis(watch, LP_TYPE_BF16, &basis), 0);
	CU_ASSERT(!basis.is_alarm && basis.regions == DECISION);
	lp_profile_free(basis.profile);
	watch_data(watch, books, LP_TYPE_BF16, DATA_GAUSS, DECISION);
	CU_ASSERT_EQUAL_FATAL(lp_watch_basis(watch, LP_TYPE_BF16, &basis), 0);
	CU_ASSERT(basis.regions <= LP_WATCH_FITTED && basis.regions >= LP_WATCH_FITTED / 2);
	lp_profile_free(basis.profile);
	watch_narrow(watch, books, DECISION);
	CU_ASSERT_EQUAL_FATAL(lp_watch_basis(watch, -1, &basis), 0);
	CU_ASSERT_EQUAL(basis.type, LP_TYPE_BF16);
	CU_ASSERT(basis.is_alarm && basis.regions == DECISION);
	CU_ASSERT(fabs(basis.saved_percent - 100.0 * 6 / 16) < 0.5);
	CU_ASSERT_EQUAL(lp_fit_grouped(basis.profile, &limits, text), 0);

	struct lp_codebook *cb = book_of(LP_TYPE_BF16, LP_KIND_GROUPED, text);

	CU_ASSERT_FATAL(cb != NULL);
	const struct lp_codebook *const fitted[] = { cb };

	CU_ASSERT(lp_profile_saved_percent(
				  basis.profile, lp_profile_code_bits(basis.profile, fitted, 1)) >
			basis.saved_percent + 4);
	lp_codebook_free(cb);
	lp_profile_free(basis.profile);
	lp_watch_free(watch);
}

static void
divergence_from_a_book_is_its_excess_if_its_code_is_complete(void)
{
	struct lp_profile *gauss = profile_of(LP_TYPE_BF16, LP_SYMBOL_EXPONENT, DATA_GAUSS, 20);
	struct lp_profile *wide = profile_of(LP_TYPE_BF16, LP_SYMBOL_EXPONENT, DATA_SCALES, 20);
	struct lp_profile *bytes = profile_of(LP_TYPE_BF16, LP_SYMBOL_BYTE, DATA_GAUSS, 20);
	const struct lp_codebook *const book[] = { books->book[1] };
	struct lp_profile_summary s;

	lp_profile_summarize(gauss, &s);
	CU_ASSERT(fabs(lp_profile_book_divergence(gauss, book[0]) -
				  (lp_profile_code_bits(gauss, book, 1) - s.aligned)) < 0.02);
	CU_ASSERT(lp_profile_book_divergence(gauss, book[0]) > 0);
	CU_ASSERT(lp_profile_book_divergence(wide, book[0]) >
			lp_profile_book_divergence(gauss, book[0]));
	CU_ASSERT(lp_profile_book_divergence(bytes, book[0]) < 0);
	CU_ASSERT(lp_profile_book_divergence(gauss, books->book[3]) < 0);
	lp_profile_free(gauss);
	lp_profile_free(wide);
	lp_profile_free(bytes);
}

static void
lengths_out_of_range_are_refused(void)
{
	struct lp_watch *watch = begin();
	struct lp_watch_region region = { .src = src };

	for (unsigned int k = 0; k < 3; k++) {
		region.len = k == 0 ? 0 : k == 1 ? 7 : LP_REGION_MAX + 1;
		CU_ASSERT_EQUAL(lp_watch_add(watch, &region), -EINVAL);
	}
	lp_watch_free(watch);
}

int
main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		TEST(later_steps_of_the_model_raise_no_alarm),
		TEST(noise_and_single_windows_raise_no_alarm),
		TEST(alarm_is_raised_and_ends_with_what_does_not_fit),
		TEST(alarm_goes_on_until_losses_are_below_half_of_the_threshold),
		TEST(alarm_is_raised_for_what_no_book_codes),
		TEST(another_book_under_a_number_starts_anew),
		TEST(what_is_kept_is_bounded_and_fair),
		TEST(basis_is_what_does_not_fit),
		TEST(divergence_from_a_book_is_its_excess_if_its_code_is_complete),
		TEST(lengths_out_of_range_are_refused),
		CU_TEST_INFO_NULL,
	};

	books = lp_bookset_load(LP_CODEBOOK_DIR, NULL);
	if (books == NULL)
		return EXIT_FAILURE;
	test_seed(argc, argv);
	const int status = test_run("profile_watch", tests);

	lp_bookset_free(books);
	return status;
}
