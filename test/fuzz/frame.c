/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* The parser of frames, and sealing what it finds eligible. */

#include <errno.h>
#include <string.h>

#include "fuzz.h"

#define FRAME_MAX 65536

static struct fuzz_edge head_edge;
static uint64_t digest[LP_BOOK_IDS];

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	head_edge = fuzz_edge_map(FRAME_MAX);
	for (unsigned int id = 1; id < LP_BOOK_IDS; id += 2)
		digest[id] = id * UINT64_C(0x9e3779b97f4a7c15);
	return 0;
}

static void
check_places(const struct lp_frame *f, size_t len)
{
	FUZZ_CHECK(f->region_len > 0 && f->vlan_tags <= LP_VLAN_TAGS_PARSED);
	FUZZ_CHECK((size_t)f->region_off + f->region_len + f->icrc_len <= len);
	FUZZ_CHECK(f->l3_off < f->l4_off && f->l4_off < f->region_off);
	FUZZ_CHECK(f->region_off + LP_SHIM_MAX <= LP_HEAD_MAX);
	FUZZ_CHECK(f->ip_version == 4 || f->ip_version == 6);
	FUZZ_CHECK(f->icrc_len == (f->l4 == LP_L4_ROCE ? 4 : 0));
}

/* Escape it as a box would; the far box must find the same and give the headers back. */
static void
check_escape(const uint8_t *frame, const struct lp_frame *at, size_t len)
{
	static uint8_t wire[FRAME_MAX + LP_SHIM_MAX], head[FRAME_MAX + LP_SHIM_MAX];
	struct lp_shim shim = { .type = LP_SHIM_STORED, .flags = lp_shim_flags(frame, at) };
	const size_t shim_len = lp_shim_len(shim.flags);
	struct lp_frame found;
	struct lp_shim opened;

	if (!lp_frame_sealable(frame, at) ||
			at->region_off - at->l3_off + at->region_len + at->icrc_len + shim_len >
					UINT16_MAX)
		return;
	memcpy(wire, frame, at->region_off);
	memcpy(wire + at->region_off + shim_len, frame + at->region_off, len - at->region_off);
	lp_frame_seal(wire, at, &shim, &fuzz_key, 0, wire + at->region_off + shim_len,
			at->region_len);
	FUZZ_CHECK(lp_frame_parse(wire, len + shim_len, &found) == LP_ELIGIBLE);
	FUZZ_CHECK(found.region_len == at->region_len + shim_len);
	FUZZ_CHECK(lp_frame_open(wire, &found, &fuzz_key, digest, &opened) == LP_OPEN_SEALED);
	memcpy(head, wire, found.region_off);
	FUZZ_CHECK(lp_frame_unseal(head, &found, &opened) == 0);
	FUZZ_CHECK(memcmp(head, frame, at->region_off) == 0);
}

static void
parse(const uint8_t *data, size_t size)
{
	static uint8_t unsealed[LP_HEAD_MAX];
	const size_t head_len = size < LP_HEAD_MAX ? size : LP_HEAD_MAX;
	struct lp_frame at;
	struct lp_shim shim;

	const uint8_t *head = fuzz_edge_put(&head_edge, data, head_len);
	const enum lp_ineligible reason = lp_frame_parse(head, size, &at);

	FUZZ_CHECK(reason < LP_INELIGIBLE_COUNT);
	if (reason != LP_ELIGIBLE)
		return;
	check_places(&at, size);
	if (lp_frame_open(head, &at, &fuzz_key, digest, &shim) != LP_OPEN_RAW) {
		FUZZ_CHECK(shim.type == LP_SHIM_CODED || shim.type == LP_SHIM_STORED);
		FUZZ_CHECK(shim.phase >> shim.element_log2 == 0 && shim.element_log2 <= 2);
		FUZZ_CHECK(lp_shim_len(shim.flags) < at.region_len);
		memcpy(unsealed, head, at.region_off);
		const int ret = lp_frame_unseal(unsealed, &at, &shim);

		FUZZ_CHECK(ret == 0 || ret == -EMSGSIZE);
	}
	check_escape(data, &at, size);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t frame[FRAME_MAX];

	if (size > FRAME_MAX)
		return 0;
	parse(data, size);
	memcpy(frame, data, size);
	fuzz_fix_ip_cksum(frame, size);
	parse(frame, size);
	return 0;
}
