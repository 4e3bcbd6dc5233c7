/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_HELLO_H
#define LINEPRESS_HELLO_H

/**
 * @file
 * linepress hello: what the two boxes of a pair tell each other, in a frame of their own.
 *
 * ```
 *  0  destination 03:4c:50:00:00:01, source (line port), VLAN tags if the line pushes some,
 *     EtherType 0x88B5 (IEEE 802 local experimental 1), then in network byte order:
 *  0  magic "LPHO" (32)   | version = 2 (8) | shim version (8) | length (16)
 *  8  parser version (16) | state (8) | coding (8) | interval, ms (16) | host MTU (16)
 * 16  box id (64)
 * 24  nonce (64)
 * 32  echo: nonce (64)
 * 40  seq (32)            | echo: seq (32)
 * 48  frames coded (64)
 * 56  frames decoded (64)
 * 64  frames that failed (64)
 * 72  digest of all books (64)
 * 80  installed books (256 bits; that of book i is bit 7 - i % 8 of byte i / 8)
 * 112 failures so far (32) | failures listed, n (8) | zero (24)
 * 120 coded frames that have arrived, by group of flows (16 x 32)
 * 184 n times, oldest first: flow hash (32) | book (8) | zero (24)
 *     for each installed book, by number: first half of its digest (32)
 *     MAC (64): SipHash-1-3 with the key of the pair, from the destination on, without VLAN tags
 * ```
 *
 * The destination is a locally administered group address. Bridges flood it like any unknown
 * multicast; those of 01:80:C2:00:00:0x they would keep to themselves, and what looks like IP
 * multicast (01:00:5E, 33:33) they may only send to those who have joined. No host listens to it,
 * and no bridge learns it.
 *
 * `length` counts from the magic to the end of the MAC. What follows is padding or a trailer that
 * some device on the line has added; it is ignored. Magic, version, length and the place of the
 * MAC are the same in all versions, so a box knows a hello of its peer whatever the version.
 *
 * Hosts may use the same EtherType. A frame is a hello only if its MAC is right; all others are
 * frames of hosts, and are to be forwarded untouched. So is a hello with a wrong MAC: hosts ignore
 * it. A host cannot make a right MAC; a hello with one that comes from a host was recorded, and
 * ends at the box as well.
 *
 * All functions are safe from any thread; there is no state, no I/O, no allocation.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "linepress/book_mask.h"
#include "linepress/wire.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Destination of all hellos, as an initialiser. */
#define LP_HELLO_DESTINATION                       \
	{                                          \
		0x03, 0x4c, 0x50, 0x00, 0x00, 0x01 \
	}

#define LP_HELLO_ETHER_TYPE 0x88b5 /**< IEEE 802 local experimental EtherType 1 */
#define LP_HELLO_VERSION 2	   /**< version of the layout above */

#define LP_HELLO_INTERVAL_MIN 10   /**< shortest interval, ms */
#define LP_HELLO_INTERVAL_MAX 1000 /**< longest interval, ms */
#define LP_HELLO_MTU_MIN 68	   /**< smallest host MTU, bytes: that of IPv4 */

/**
 * Groups of flows that are counted by themselves, to see whether the frames of some do not arrive:
 * a group has the flows whose lp_frame_flow() has its number in the 4 highest bits.
 */
#define LP_FLOW_GROUPS 16

/** Group of a flow. */
static inline unsigned int
lp_flow_group(uint32_t flow)
{
	return flow >> 28;
}

/** Failures in one hello. */
#define LP_HELLO_FAILURES 16

/** Bytes of the shortest hello: no failures, no books. */
#define LP_HELLO_MIN 206

/** Bytes of the longest hello: fits an MTU of 1500. */
#define LP_HELLO_MAX (LP_HELLO_MIN + LP_HELLO_FAILURES * 8 + (LP_BOOK_IDS - 1) * 4)

/** What a box says of itself. */
enum lp_hello_state {
	LP_HELLO_INIT,	 /**< starting: cannot restore frames yet */
	LP_HELLO_READY,	 /**< restores frames */
	LP_HELLO_DRAIN,	 /**< restores frames, but will soon stop to: do not code any more */
	LP_HELLO_BYPASS, /**< forwards frames as they are in both directions */
	LP_HELLO_STATE_COUNT,
};

/** A frame that a box could not restore. */
struct lp_hello_failure {
	uint32_t flow; /**< lp_flow_hash() */
	uint8_t book;  /**< number of the book; 1-255 */
};

/** A hello in host order. */
struct lp_hello {
	uint8_t shim_version;	 /**< LP_SHIM_VERSION of the sender */
	uint8_t state;		 /**< enum lp_hello_state */
	bool coding;		 /**< sender codes frames now; only if READY */
	uint8_t nb_failures;	 /**< entries of failure[] */
	uint16_t parser_version; /**< LP_PARSER_VERSION of the sender */
	uint16_t interval_ms;	 /**< time to its next hello, at most */
	uint16_t host_mtu;	 /**< longest IP packet, without VLAN tags, that it can restore */
	uint32_t seq;		 /**< rises from hello to hello, modulo 2^32 */
	uint32_t echo_seq;	 /**< of the last hello that the sender has got; 0 if none */
	uint32_t failure_total;	 /**< failures put on the list since start, modulo 2^32 */
	uint64_t box_id;	 /**< number of the line port, not 0: its MAC address will do */
	uint64_t nonce;		 /**< random number of the sender's start, not 0 */
	uint64_t echo_nonce;	 /**< of the last hello that the sender has got; 0 if none */
	uint64_t coded;		 /**< frames coded since start */
	uint64_t decoded;	 /**< coded frames restored since start */
	uint64_t failed;	 /**< coded frames that could not be restored since start */
	uint64_t books_digest;	 /**< lp_hello_books_digest() of the installed books */
	/** Books that the sender can decode and will be able to for a while. */
	struct lp_book_mask installed;
	/** Coded frames that have arrived, restored or not, by group of flows, modulo 2^32. */
	uint32_t arrived[LP_FLOW_GROUPS];
	/** Failures, oldest first; the newest is number `failure_total`. */
	struct lp_hello_failure failure[LP_HELLO_FAILURES];
	/** By number, lp_hello_book_digest() of each installed book. */
	uint32_t book_digest[LP_BOOK_IDS];
};

/** What is wrong with a frame as a hello. Each has a name, see lp_hello_verdict_name(). */
enum lp_hello_verdict {
	LP_HELLO_OK = 0,
	LP_HELLO_FOREIGN,     /**< other destination, EtherType or magic */
	LP_HELLO_LENGTH,      /**< length beyond the frame, or not that of a hello */
	LP_HELLO_MAC,	      /**< not made with this key */
	LP_HELLO_BAD_VERSION, /**< from here on: the peer's, but not of use */
	LP_HELLO_BAD_LAYOUT,  /**< length and lists do not go together, or zero bits are not zero */
	LP_HELLO_BAD_ID,      /**< box id or nonce 0, or half an echo */
	LP_HELLO_BAD_STATE,   /**< unknown state, or coding in a state that excludes it */
	LP_HELLO_BAD_INTERVAL, /**< out of range */
	LP_HELLO_BAD_MTU,      /**< out of range */
	LP_HELLO_BAD_BOOK,     /**< book 0 */
	LP_HELLO_BAD_FAILURES, /**< more than there were or than there is room for */
	LP_HELLO_VERDICT_COUNT,
};

/** Name of a verdict for counters and reports, e.g. "bad_state"; NULL if out of range. */
const char *lp_hello_verdict_name(unsigned int verdict);

/** Name of a state, e.g. "ready"; NULL if out of range. */
const char *lp_hello_state_name(unsigned int state);

/**
 * Does a frame with this verdict come from the peer? Then it ends here, whether it is of use or
 * not; all others are to be forwarded untouched.
 */
static inline bool
lp_hello_is_ours(enum lp_hello_verdict verdict)
{
	return verdict == LP_HELLO_OK || verdict >= LP_HELLO_BAD_VERSION;
}

/**
 * Could this be a hello, by its destination? For the data path: cheap, and false for nearly all
 * frames.
 *
 * @param head
 *   First bytes of a frame, 6 or more.
 */
static inline bool
lp_hello_is_likely(const uint8_t *head)
{
	static const uint8_t destination[] = LP_HELLO_DESTINATION;

	for (size_t k = 0; k < sizeof(destination); k++)
		if (head[k] != destination[k])
			return false;
	return true;
}

/** Digest of a book as a hello has it, from lp_codebook_digest64(). */
static inline uint32_t
lp_hello_book_digest(uint64_t digest)
{
	return (uint32_t)(digest >> 32);
}

/**
 * Digest of a set of books: SipHash-1-3 with the key of the pair over (number, digest) of each, by
 * number.
 *
 * @param digest
 *   lp_codebook_digest64() by book number, LP_BOOK_IDS entries, 0 where there is no book.
 */
uint64_t lp_hello_books_digest(const struct lp_key *key, const uint64_t *digest);

/**
 * Check the fields of a hello, as lp_hello_read() and lp_hello_write() do.
 *
 * @return
 *   LP_HELLO_OK or one of LP_HELLO_BAD_*.
 */
enum lp_hello_verdict lp_hello_check(const struct lp_hello *hello);

/**
 * Write a hello.
 *
 * @param hello
 *   What to say; `book_digest[]` of books that are not installed is ignored.
 * @param key
 *   Key of the pair.
 * @param source
 *   MAC address of the line port, 6 bytes.
 * @param frame
 *   Receives the frame, without VLAN tags and FCS.
 * @param room
 *   Bytes at `frame`; LP_HELLO_MAX is always enough.
 * @return
 *   - Bytes of the frame
 *   - -EINVAL: lp_hello_check() fails
 *   - -ENOSPC: not enough room
 */
int lp_hello_write(const struct lp_hello *hello, const struct lp_key *key, const uint8_t *source,
		uint8_t *frame, size_t room);

/**
 * Read a hello.
 *
 * @param frame
 *   A frame, in one piece.
 * @param len
 *   Its bytes, without FCS.
 * @param key
 *   Key of the pair.
 * @param hello
 *   Filled if LP_HELLO_OK is returned, undefined otherwise.
 * @return
 *   LP_HELLO_OK or the reason why not; see lp_hello_is_ours() for what to do with the frame.
 */
enum lp_hello_verdict lp_hello_read(
		const uint8_t *frame, size_t len, const struct lp_key *key, struct lp_hello *hello);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_HELLO_H */
