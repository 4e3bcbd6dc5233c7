/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * ISA-L's deflate with a table made once from the profile. The header of a block repeats that
 * table; both ends hold it, so it is cut off, and the decoder is primed with it once. That is
 * the use of ISA-L that is most like ours.
 */

#include <stdlib.h>
#include <string.h>

#include <isa-l/igzip_lib.h>

#include "peer.h"
#include "workset.h"

/* First byte of a body: is the header of the block cut off? */
enum { BODY_WHOLE, BODY_CUT };

struct isal {
	struct isal_hufftables tables;
	struct isal_zstream deflate;
	struct inflate_state primed; /* has read the header with our tables */
	struct inflate_state inflate;
	size_t room;
	uint8_t block[]; /* of `room` bytes: a packet with its header */
};

static bool
make_tables(struct isal *s, const struct packets *profile)
{
	struct isal_huff_histogram *histogram = calloc(1, sizeof(*histogram));

	if (histogram == NULL)
		return false;
	for (size_t i = 0; i < profile->count; i++)
		isal_update_histogram(profile->bytes + i * profile->packet_bytes,
				(int)profile->packet_bytes, histogram);
	/* Every byte and the end of a block need a code. */
	for (size_t i = 0; i <= 256; i++)
		histogram->lit_len_histogram[i]++;
	const bool made = isal_create_hufftables(&s->tables, histogram) == 0;

	free(histogram);
	return made;
}

static bool
prime(struct isal *s)
{
	uint8_t header[sizeof(s->tables.deflate_hdr) + 1] = { 0 }, nothing[1];

	memcpy(header, s->tables.deflate_hdr, sizeof(s->tables.deflate_hdr));
	isal_inflate_init(&s->primed);
	s->primed.next_in = header;
	s->primed.avail_in = s->tables.deflate_hdr_count + 1;
	s->primed.next_out = nothing;
	s->primed.avail_out = 0;
	isal_inflate(&s->primed);
	return s->primed.block_state == ISAL_BLOCK_CODED;
}

static void *
create(const struct packets *profile, const char **reason)
{
	const size_t room = workset_coded_room(profile->packet_bytes);
	struct isal *s = calloc(1, sizeof(*s) + room);

	if (s == NULL)
		return NULL;
	s->room = room;
	if (make_tables(s, profile) && prime(s))
		return s;
	*reason = "no table: ISA-L can make none from the profile";
	free(s);
	return NULL;
}

static size_t
encode(void *state, const uint8_t *src, size_t len, uint8_t *dst, size_t cap)
{
	struct isal *s = state;
	const size_t header = s->tables.deflate_hdr_count;

	isal_deflate_stateless_init(&s->deflate);
	s->deflate.end_of_stream = 1;
	s->deflate.flush = NO_FLUSH;
	s->deflate.hufftables = &s->tables;
	s->deflate.next_in = (uint8_t *)(uintptr_t)src;
	s->deflate.avail_in = (uint32_t)len;
	s->deflate.next_out = s->block;
	s->deflate.avail_out = (uint32_t)s->room;
	if (isal_deflate_stateless(&s->deflate) != COMP_OK)
		return 0;
	/* It may have made a stored block. */
	const size_t block_len = s->deflate.total_out;
	const bool cut = block_len > header && memcmp(s->block, s->tables.deflate_hdr, header) == 0;
	const size_t skip = cut ? header : 0;

	if (1 + block_len - skip > cap)
		return 0;
	dst[0] = cut ? BODY_CUT : BODY_WHOLE;
	memcpy(dst + 1, s->block + skip, block_len - skip);
	return 1 + block_len - skip;
}

static bool
decode_whole(struct isal *s, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len)
{
	isal_inflate_init(&s->inflate);
	s->inflate.next_in = (uint8_t *)(uintptr_t)src;
	s->inflate.avail_in = (uint32_t)src_len;
	s->inflate.next_out = dst;
	s->inflate.avail_out = (uint32_t)len;
	return isal_inflate_stateless(&s->inflate) == ISAL_DECOMP_OK && s->inflate.total_out == len;
}

/* Puts the decoder right behind the header without copying its tables: 60 KiB a packet. */
static bool
decode_cut(struct isal *s, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len)
{
	const unsigned int extra_bits = s->tables.deflate_hdr_extra_bits;
	struct inflate_state *in = &s->primed;

	in->block_state = ISAL_BLOCK_CODED;
	in->bfinal = 1;
	in->read_in = 0;
	in->read_in_length = 0;
	if (extra_bits > 0 && src_len > 0) {
		in->read_in = *src++ >> extra_bits;
		in->read_in_length = 8 - (int)extra_bits;
		src_len--;
	}
	in->next_in = (uint8_t *)(uintptr_t)src;
	in->avail_in = (uint32_t)src_len;
	in->next_out = dst;
	in->avail_out = (uint32_t)len;
	in->total_out = 0;
	in->tmp_in_size = 0;
	/* As if the window had been handed out: nothing before the packet is referred to. */
	in->tmp_out_valid = 2 * ISAL_DEF_HIST_SIZE;
	in->tmp_out_processed = 2 * ISAL_DEF_HIST_SIZE;
	in->write_overflow_lits = 0;
	in->write_overflow_len = 0;
	in->copy_overflow_length = 0;
	in->copy_overflow_distance = 0;
	return isal_inflate(in) == ISAL_DECOMP_OK && in->next_out == dst + len;
}

static bool
decode(void *state, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len)
{
	if (src[0] == BODY_CUT)
		return decode_cut(state, src + 1, src_len - 1, dst, len);
	return decode_whole(state, src + 1, src_len - 1, dst, len);
}

const struct peer peer_isal_static = {
	.name = "isal-static",
	.create = create,
	.encode = encode,
	.decode = decode,
	.release = free,
};
