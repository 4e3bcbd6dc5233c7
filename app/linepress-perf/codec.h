/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_PERF_CODEC_H
#define LINEPRESS_PERF_CODEC_H

/** @file Codecs under measurement: ours and others, all seen alike. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linepress/bookset.h"

#include "dataset.h"
#include "workset.h"

/** Packets that are coded at once, as the appliance does. */
#define CODEC_BURST 32

/** Most codecs measured side by side. */
#define CODEC_MAX 64

struct codec;

/** Code a burst: fill `coded` and `coded_len` of each packet. */
typedef void codec_encode_fn(const struct codec *codec, struct packet *packets, size_t count);

/** Decode a burst into `back`; false if a body was refused. */
typedef bool codec_decode_fn(const struct codec *codec, struct packet *packets, size_t count);

/** A codec, ready for the packets of one working set. */
struct codec {
	char name[32];
	char kernel[16];	      /**< of ours; empty for others */
	char book[LP_NAME_MAX + 1];   /**< of ours; empty for others */
	unsigned int header_bytes;    /**< that a packet needs besides the body, see peer.h */
	size_t packet_bytes;	      /**< bytes of each packet */
	codec_encode_fn *encode;      /**< a burst */
	codec_decode_fn *decode;      /**< a burst */
	void (*release)(void *state); /**< frees the state */
	const struct peer *peer;      /**< of another's codec */
	void *state;
};

/** Why a codec of others is not among those measured. */
struct left_out {
	const struct peer *peer;
	char reason[160];
};

/** Codecs side by side. */
struct codecs {
	struct codec codec[CODEC_MAX];
	size_t count;
	struct left_out left_out[CODEC_MAX];
	size_t nb_left_out;
};

/** Our books with one kernel each. */
struct kernels {
	const char *name[8];
	struct lp_bookset *books[8];
	size_t count;
};

/**
 * Load books once for each kernel that this processor can run.
 *
 * @param only
 *   Name of the only kernel wanted, or NULL for all.
 * @return
 *   0, or -1 having said why.
 */
int kernels_load(struct kernels *kernels, const char *dir, const char *only);

/** Release the books. */
void kernels_free(struct kernels *kernels);

/** Add our codecs for packets of a type. 0, or -1 having said why. */
int ours_add(struct codecs *codecs, const struct kernels *kernels, enum lp_type type,
		const struct workset *set);

/** Add the other codecs of this build, as far as they can be set up. 0, or -1 having said why. */
int peers_add(struct codecs *codecs, const struct packets *profile);

/** Remove a codec of others; those behind it move up. */
void peers_leave_out(struct codecs *codecs, size_t i, const char *reason);

/** Release all codecs. */
void codecs_free(struct codecs *codecs);

/** A packet that no codec makes shorter travels as it is. */
static inline void
packet_store(struct packet *packet, size_t len)
{
	memcpy(packet->coded, packet->raw, len);
	packet->coded_len = (uint32_t)len;
}

#endif /* LINEPRESS_PERF_CODEC_H */
