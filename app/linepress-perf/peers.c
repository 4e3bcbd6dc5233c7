/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <stdio.h>

#include "codec.h"
#include "message.h"
#include "peer.h"

static size_t
copy_encode(void *state, const uint8_t *src, size_t len, uint8_t *dst, size_t cap)
{
	(void)state;
	(void)cap;
	memcpy(dst, src, len);
	return len;
}

static bool
copy_decode(void *state, const uint8_t *src, size_t src_len, uint8_t *dst, size_t len)
{
	(void)state;
	memcpy(dst, src, src_len);
	return src_len == len;
}

static const struct peer peer_memcpy = {
	.name = "memcpy",
	.encode = copy_encode,
	.decode = copy_decode,
};

#ifdef LP_PERF_HUF0
#define HUF0(peer) (&(peer))
#else
#define HUF0(peer) NULL
#endif
#ifdef LP_PERF_ZSTD
#define ZSTD(peer) (&(peer))
#else
#define ZSTD(peer) NULL
#endif
#ifdef LP_PERF_ISAL
#define ISAL(peer) (&(peer))
#else
#define ISAL(peer) NULL
#endif
#ifdef LP_PERF_LZ4
#define LZ4(peer) (&(peer))
#else
#define LZ4(peer) NULL
#endif
#ifdef LP_PERF_LIBDEFLATE
#define LIBDEFLATE(peer) (&(peer))
#else
#define LIBDEFLATE(peer) NULL
#endif

const struct peer_entry peer_table[] = {
	{ "memcpy", &peer_memcpy },
	{ "huf0-fixed-4x", HUF0(peer_huf0_fixed) },
	{ "huf0-fixed-4x-aligned", HUF0(peer_huf0_aligned) },
	{ "huf0-three-stage", HUF0(peer_huf0_three_stage) },
	{ "isal-static", ISAL(peer_isal_static) },
	{ "lz4", LZ4(peer_lz4) },
	{ "zstd-1", ZSTD(peer_zstd_1) },
	{ "zstd--1", ZSTD(peer_zstd_fast_1) },
	{ "libdeflate-1", LIBDEFLATE(peer_libdeflate_1) },
};

const size_t peer_count = sizeof(peer_table) / sizeof(peer_table[0]);

static void
encode_burst(const struct codec *codec, struct packet *packets, size_t count)
{
	const size_t len = codec->packet_bytes;
	const size_t room = workset_coded_room(len);

	for (size_t i = 0; i < count; i++) {
		const size_t coded = codec->peer->encode(
				codec->state, packets[i].raw, len, packets[i].coded, room);

		if (coded > 0 && coded < len)
			packets[i].coded_len = (uint32_t)coded;
		else
			packet_store(&packets[i], len);
	}
}

static bool
decode_burst(const struct codec *codec, struct packet *packets, size_t count)
{
	const size_t len = codec->packet_bytes;
	bool good = true;

	for (size_t i = 0; i < count; i++) {
		if (packets[i].coded_len == len)
			memcpy(packets[i].back, packets[i].coded, len);
		else
			good &= codec->peer->decode(codec->state, packets[i].coded,
					packets[i].coded_len, packets[i].back, len);
	}
	return good;
}

static void
note(struct codecs *codecs, const struct peer *peer, const char *reason)
{
	struct left_out *left_out = &codecs->left_out[codecs->nb_left_out++];

	left_out->peer = peer;
	snprintf(left_out->reason, sizeof(left_out->reason), "%s", reason);
}

void
peers_leave_out(struct codecs *codecs, size_t i, const char *reason)
{
	struct codec *codec = &codecs->codec[i];

	note(codecs, codec->peer, reason);
	if (codec->release != NULL)
		codec->release(codec->state);
	codecs->count--;
	memmove(codec, codec + 1, (codecs->count - i) * sizeof(*codec));
}

int
peers_add(struct codecs *codecs, const struct packets *profile)
{
	for (size_t k = 0; k < peer_count; k++) {
		const struct peer *peer = peer_table[k].peer;
		const char *reason = "out of memory";
		void *state = NULL;

		if (peer == NULL || (peer->fits != NULL && !peer->fits(profile->type)))
			continue;
		if (codecs->count == CODEC_MAX)
			return complain("too many codebooks");
		if (peer->create != NULL && (state = peer->create(profile, &reason)) == NULL) {
			note(codecs, peer, reason);
			continue;
		}
		struct codec *codec = &codecs->codec[codecs->count++];

		*codec = (struct codec){
			.header_bytes = peer->header_bytes,
			.packet_bytes = profile->packet_bytes,
			.encode = encode_burst,
			.decode = decode_burst,
			.release = peer->release,
			.peer = peer,
			.state = state,
		};
		snprintf(codec->name, sizeof(codec->name), "%s", peer->name);
	}
	return 0;
}
