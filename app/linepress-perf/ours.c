/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Our codecs: a row for each kernel and book. */

#include <stdio.h>
#include <stdlib.h>

#include "books.h"
#include "codec.h"
#include "message.h"

/* Number of the book and length of the region; a base is part of the body. */
#define HEADER_BYTES 3

/* What was decided for a packet; without a book it travels as it is. */
struct choice {
	const struct lp_codebook *cb;
	struct lp_params params;
};

struct ours {
	const struct lp_bookset *books; /* to choose from while coding */
	struct choice *choice;		/* of each packet of the working set */
};

static void
encode_burst(const struct codec *codec, struct packet *packets, size_t count)
{
	const struct ours *ours = codec->state;
	const size_t len = codec->packet_bytes;
	struct lp_encode_job job[CODEC_BURST];
	unsigned int n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct choice *choice = &ours->choice[packets[i].index];

		if (choice->cb != NULL)
			job[n++] = (struct lp_encode_job){
				.cb = choice->cb,
				.params = choice->params,
				.src = packets[i].raw,
				.len = len,
				.dst = packets[i].coded,
				.dst_cap = len - 1,
			};
	}
	lp_encode_burst(job, n);
	n = 0;
	for (size_t i = 0; i < count; i++) {
		const bool tried = ours->choice[packets[i].index].cb != NULL;
		const int body_len = tried ? job[n++].result : 0;

		if (body_len > 0)
			packets[i].coded_len = (uint32_t)body_len;
		else
			packet_store(&packets[i], len);
	}
}

static void
choose_and_encode_burst(const struct codec *codec, struct packet *packets, size_t count)
{
	const struct ours *ours = codec->state;
	size_t estimate;

	for (size_t i = 0; i < count; i++) {
		struct choice *choice = &ours->choice[packets[i].index];
		const uint8_t id = lp_bookset_choose(ours->books, packets[i].raw,
				codec->packet_bytes, codec->packet_bytes, &choice->params,
				&estimate);

		choice->cb = ours->books->book[id];
	}
	encode_burst(codec, packets, count);
}

static bool
decode_burst(const struct codec *codec, struct packet *packets, size_t count)
{
	const struct ours *ours = codec->state;
	const size_t len = codec->packet_bytes;
	struct lp_decode_job job[CODEC_BURST];
	unsigned int n = 0;
	bool good = true;

	for (size_t i = 0; i < count; i++) {
		const struct choice *choice = &ours->choice[packets[i].index];

		if (packets[i].coded_len == len)
			memcpy(packets[i].back, packets[i].coded, len);
		else
			job[n++] = (struct lp_decode_job){
				.cb = choice->cb,
				.phase = choice->params.phase,
				.body = packets[i].coded,
				.body_len = packets[i].coded_len,
				.dst = packets[i].back,
				.len = len,
			};
	}
	lp_decode_burst(job, n);
	for (unsigned int k = 0; k < n; k++)
		good &= job[k].result == 0;
	return good;
}

static void
release(void *state)
{
	struct ours *ours = state;

	free(ours->choice);
	free(ours);
}

static struct codec *
add(struct codecs *codecs, const char *name, const char *kernel, const char *book,
		const struct workset *set)
{
	struct ours *ours = calloc(1, sizeof(*ours));

	if (ours != NULL)
		ours->choice = calloc(set->count, sizeof(*ours->choice));
	if (codecs->count == CODEC_MAX || ours == NULL || ours->choice == NULL) {
		if (ours != NULL)
			release(ours);
		complain(codecs->count == CODEC_MAX ? "too many codebooks" : "out of memory");
		return NULL;
	}
	struct codec *codec = &codecs->codec[codecs->count++];

	*codec = (struct codec){
		.header_bytes = HEADER_BYTES,
		.packet_bytes = set->packet_bytes,
		.encode = encode_burst,
		.decode = decode_burst,
		.release = release,
		.state = ours,
	};
	snprintf(codec->name, sizeof(codec->name), "linepress-%s", name);
	snprintf(codec->kernel, sizeof(codec->kernel), "%s", kernel);
	snprintf(codec->book, sizeof(codec->book), "%s", book);
	return codec;
}

/* The best of some books for each packet. */
static void
choose(const struct codec *codec, struct lp_codebook *const *books, size_t nb_books,
		const struct workset *set)
{
	const struct ours *ours = codec->state;

	for (size_t i = 0; i < set->count; i++) {
		struct lp_sample sample;
		size_t best = set->packet_bytes;

		lp_sample_init(&sample, set->packet[i].raw, set->packet_bytes);
		for (size_t k = 0; k < nb_books; k++) {
			struct lp_params params;
			const size_t bytes = lp_codebook_choose(books[k], &sample, best, &params);

			if (bytes >= best)
				continue;
			best = bytes;
			ours->choice[i] = (struct choice){ .cb = books[k], .params = params };
		}
	}
}

/* Books of a type and kind. */
static size_t
books_of(const struct lp_bookset *set, enum lp_type type, enum lp_kind kind,
		struct lp_codebook *books[LP_BOOK_IDS], struct lp_codebook_info *info)
{
	size_t count = 0;

	for (unsigned int k = 0; k < set->count; k++) {
		struct lp_codebook *cb = set->book[set->id[k]];
		struct lp_codebook_info this;

		lp_codebook_describe(cb, &this);
		if (this.type != type || this.kind != kind)
			continue;
		*info = this;
		books[count++] = cb;
	}
	return count;
}

static int
add_grouped(struct codecs *codecs, const char *kernel, const struct lp_bookset *set,
		enum lp_type type, const struct workset *work)
{
	struct lp_codebook *books[LP_BOOK_IDS];
	struct lp_codebook_info info;
	const size_t count = books_of(set, type, LP_KIND_GROUPED, books, &info);

	for (size_t k = 0; k < count; k++) {
		lp_codebook_describe(books[k], &info);

		const struct codec *codec = add(codecs, "grouped", kernel, info.name, work);

		if (codec == NULL)
			return -1;
		choose(codec, &books[k], 1, work);
	}
	return 0;
}

/* Books of these kinds come in sets: each packet takes the best. */
static int
add_mixed(struct codecs *codecs, const char *kernel, const struct lp_bookset *set,
		enum lp_type type, enum lp_kind kind, const struct workset *work)
{
	struct lp_codebook *books[LP_BOOK_IDS];
	struct lp_codebook_info info;
	const size_t count = books_of(set, type, kind, books, &info);

	if (count == 0)
		return 0;
	const struct codec *codec = add(
			codecs, lp_kind_name(kind), kernel, count == 1 ? info.name : "mixed", work);

	if (codec == NULL)
		return -1;
	choose(codec, books, count, work);
	return 0;
}

/* Named after the kind that most packets take. */
static int
add_choosing(struct codecs *codecs, const char *kernel, const struct lp_bookset *set,
		const struct workset *work)
{
	size_t taken[LP_KIND_COUNT] = { 0 };
	size_t estimate;

	for (size_t i = 0; i < work->count; i++) {
		struct lp_codebook_info info;
		struct lp_params params;
		const uint8_t id = lp_bookset_choose(set, work->packet[i].raw, work->packet_bytes,
				work->packet_bytes, &params, &estimate);

		if (id == 0)
			continue;
		lp_codebook_describe(set->book[id], &info);
		taken[info.kind]++;
	}
	enum lp_kind most = LP_KIND_GROUPED;
	char name[32];

	for (enum lp_kind kind = LP_KIND_GROUPED; kind < LP_KIND_COUNT; kind++)
		if (taken[kind] > taken[most])
			most = kind;
	snprintf(name, sizeof(name), "%s+choose", lp_kind_name(most));
	struct codec *codec = add(codecs, name, kernel, "any", work);

	if (codec == NULL)
		return -1;
	((struct ours *)codec->state)->books = set;
	codec->encode = choose_and_encode_burst;
	return 0;
}

int
ours_add(struct codecs *codecs, const struct kernels *kernels, enum lp_type type,
		const struct workset *set)
{
	for (size_t k = 0; k < kernels->count; k++) {
		const struct lp_bookset *books = kernels->books[k];
		const char *name = kernels->name[k];

		if (add_grouped(codecs, name, books, type, set) < 0 ||
				add_mixed(codecs, name, books, type, LP_KIND_HUFFMAN, set) < 0 ||
				add_mixed(codecs, name, books, type, LP_KIND_AREA, set) < 0 ||
				add_choosing(codecs, name, books, set) < 0)
			return -1;
	}
	return 0;
}

int
kernels_load(struct kernels *kernels, const char *dir, const char *only)
{
	const size_t room = sizeof(kernels->name) / sizeof(kernels->name[0]);
	struct lp_error error;
	const char *name;

	memset(kernels, 0, sizeof(*kernels));
	/* Tells a bad book or name from a kernel that this processor lacks. */
	struct lp_bookset *books = books_load(dir, only, &error);

	if (books == NULL)
		return complain("%s", error.text);
	lp_bookset_free(books);
	for (unsigned int k = 0; kernels->count < room && (name = lp_kernel_name(k)) != NULL; k++) {
		if (only != NULL && strcmp(only, name) != 0)
			continue;
		books = books_load(dir, name, &error);
		if (books == NULL)
			continue;
		kernels->name[kernels->count] = name;
		kernels->books[kernels->count++] = books;
	}
	return 0;
}

void
kernels_free(struct kernels *kernels)
{
	for (size_t k = 0; k < kernels->count; k++)
		lp_bookset_free(kernels->books[k]);
}

void
codecs_free(struct codecs *codecs)
{
	for (size_t i = 0; i < codecs->count; i++)
		if (codecs->codec[i].release != NULL)
			codecs->codec[i].release(codecs->codec[i].state);
	codecs->count = 0;
}
