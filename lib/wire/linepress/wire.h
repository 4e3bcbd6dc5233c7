/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_WIRE_H
#define LINEPRESS_WIRE_H

/**
 * @file
 * linepress wire format: which bytes of a frame may be coded, and how a coded frame looks.
 *
 * A coded frame keeps Ethernet, VLAN tags, IP, UDP/TCP and the RoCE headers where they are.
 * The *region* (the payload up to the end of the IP packet, without the ICRC) is replaced by
 * a shim and a body. A frame that is not coded is not changed at all.
 *
 * ```
 *  0  magic 0x9DC7 (16) | version = 1 (4) | type (4) | flags (8)
 *  4  book id (8)       | layout (8)                 | orig_len (16)
 *  8  original L4 checksum (16)                      | tag (16)
 * 12  check (32), only if LP_SHIM_F_CHECK: the shim has 12 or 16 bytes
 * ```
 *
 * All functions work on the *head* of a frame: its first LP_HEAD_MAX bytes, or all of it if
 * it is shorter, in one piece. None reads or writes outside the head it is given. There is no
 * state, no I/O, no allocation; all are safe from any thread.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Bytes of a frame that must be in one piece: 4 VLAN tags, IPv6, TCP with all options (the
 * longest: 130 bytes) and a shim (16).
 */
#define LP_HEAD_MAX 160

/**
 * VLAN tags of frames that are coded; parsed are frames with two more, which switches on the line
 * may push.
 */
#define LP_VLAN_TAGS_CODED 2
#define LP_VLAN_TAGS_PARSED 4

/**
 * Longest frame, in bytes without FCS, that is never eligible: a shorter one may have been padded
 * to this by whoever sent it. Counted are an Ethernet header and the IP packet, not VLAN tags and
 * trailer, which may come and go on the line.
 */
#define LP_FRAME_PADDED 60

/**
 * Version of the rules by which lp_frame_parse() decides which frames have a region and where it
 * begins. Boxes with different versions do not code.
 */
#define LP_PARSER_VERSION 1

/** Transport protocols that carry a region. */
enum lp_l4 {
	LP_L4_TCP,
	LP_L4_UDP,
	LP_L4_ROCE, /**< RoCEv2: UDP port 4791, the region ends before the ICRC */
};

/** Why a frame has no region to code. Each has a name, see lp_ineligible_name(). */
enum lp_ineligible {
	LP_ELIGIBLE = 0,
	LP_INELIGIBLE_SHORT_FRAME,    /**< headers do not fit in the frame, or LP_FRAME_PADDED */
	LP_INELIGIBLE_ETHERTYPE,      /**< neither IPv4 nor IPv6 */
	LP_INELIGIBLE_VLAN_DEPTH,     /**< too many VLAN tags */
	LP_INELIGIBLE_IP_HEADER,      /**< version or header length wrong */
	LP_INELIGIBLE_IP_LENGTH,      /**< IP length beyond the frame, zero or below its headers */
	LP_INELIGIBLE_IP_CHECKSUM,    /**< IPv4 header checksum wrong */
	LP_INELIGIBLE_IP_OPTIONS,     /**< IPv4 options */
	LP_INELIGIBLE_IP_FRAGMENT,    /**< any IPv4 fragment */
	LP_INELIGIBLE_IPV6_EXTENSION, /**< IPv6 extension header, fragments among them */
	LP_INELIGIBLE_L4_PROTOCOL,    /**< neither TCP nor UDP */
	LP_INELIGIBLE_L4_HEADER,      /**< TCP data offset or UDP length wrong */
	LP_INELIGIBLE_TCP_FLAGS,      /**< SYN, FIN, RST or URG */
	LP_INELIGIBLE_UET,	      /**< Ultra Ethernet, UDP port 4793 */
	LP_INELIGIBLE_ROCE_OPCODE,    /**< RoCE opcode that carries no tensor bytes */
	LP_INELIGIBLE_ROCE_HEADER,    /**< RoCE headers, padding and ICRC exceed the UDP length */
	LP_INELIGIBLE_NO_PAYLOAD,     /**< region of zero bytes: acknowledgements, credits */
	LP_INELIGIBLE_COUNT,
};

/** Where things are in a frame, offsets in bytes from its start. */
struct lp_frame {
	uint16_t l3_off;     /**< IP header */
	uint16_t l4_off;     /**< TCP or UDP header */
	uint16_t region_off; /**< first byte of the region */
	uint16_t region_len; /**< bytes of the region, > 0 */
	uint8_t vlan_tags;   /**< VLAN tags */
	uint8_t ip_version;  /**< 4 or 6 */
	uint8_t l4;	     /**< enum lp_l4 */
	uint8_t icrc_len;    /**< bytes of ICRC after the region: 4 or 0 */
};

/**
 * Find the region of a frame.
 *
 * Bounded by the IP and UDP lengths, never by the length of the frame: bytes after the IP
 * packet are a trailer that travels along.
 *
 * @param head
 *   First bytes of the frame, min(frame_len, LP_HEAD_MAX) of them.
 * @param frame_len
 *   Length of the whole frame without FCS.
 * @param frame
 *   Filled if the frame is eligible.
 * @return
 *   LP_ELIGIBLE or the reason why not.
 */
enum lp_ineligible lp_frame_parse(const uint8_t *head, size_t frame_len, struct lp_frame *frame);

/**
 * A number that is the same for all frames of a flow, coded or not, on all boxes: CRC-32C of the
 * addresses, and of ports or, of RoCE, the destination queue pair.
 *
 * @param head
 *   First bytes of the frame.
 * @param frame
 *   What lp_frame_parse() has found.
 */
uint32_t lp_frame_flow(const uint8_t *head, const struct lp_frame *frame);

/** Name of a reason for counters and reports, e.g. "ip_fragment"; NULL if out of range. */
const char *lp_ineligible_name(enum lp_ineligible reason);

/** Shim types. */
enum lp_shim_type {
	LP_SHIM_CODED = 1,  /**< the body is the coded region */
	LP_SHIM_STORED = 2, /**< the body is the region; escapes a frame that looks coded */
};

#define LP_SHIM_MAGIC 0x9DC7 /**< first two bytes */
#define LP_SHIM_VERSION 1    /**< version of the shim's layout */
#define LP_SHIM_MIN 12	     /**< bytes of a shim without check */
#define LP_SHIM_MAX 16	     /**< bytes of a shim with check */

/** A coded frame is at least this much shorter than the original, so that its escape fits. */
#define LP_SHIM_SAVING_MIN 16

#define LP_SHIM_F_CKSUM 0x80 /**< L4 checksum on the wire is wrong on purpose */
#define LP_SHIM_F_ICRC 0x40  /**< 4 bytes of ICRC follow the body */
#define LP_SHIM_F_CHECK 0x10 /**< the shim has a check word */

/** A shim in host order. */
struct lp_shim {
	uint8_t type;	      /**< enum lp_shim_type */
	uint8_t flags;	      /**< LP_SHIM_F_* */
	uint8_t book_id;      /**< number of the codebook; 0 if STORED */
	uint8_t element_log2; /**< log2 of the element size in bytes, 0-2 */
	uint8_t phase;	      /**< phase of the region, below the element size */
	uint16_t orig_len;    /**< bytes of the original region */
	uint16_t orig_cksum;  /**< original L4 checksum, as a number in host order */
	uint32_t check;	      /**< lp_region_check() of the original region */
};

/** Key of a pair of boxes, for the tag. Both boxes hold the same. */
struct lp_key {
	uint64_t k[2];
};

/** Bytes of a shim with these flags: 12 or 16. */
static inline size_t
lp_shim_len(uint8_t flags)
{
	return (flags & LP_SHIM_F_CHECK) ? LP_SHIM_MAX : LP_SHIM_MIN;
}

/**
 * Flags of the shim that goes into a frame: F_CKSUM for TCP, for UDP, and for RoCE with a UDP
 * checksum; F_ICRC for RoCE; F_CHECK for TCP and UDP. RoCE needs no check: the ICRC is an
 * end-to-end CRC-32 of headers and payload that the receiving adapter verifies.
 */
uint8_t lp_shim_flags(const uint8_t *head, const struct lp_frame *frame);

/**
 * Turn the head of an original frame into the head of its coded (or stored) form.
 *
 * Writes shim and tag, changes the IP and UDP lengths and the IPv4 header checksum (RFC 1624,
 * eqn 3), and replaces the L4 checksum by one that no host accepts, so that a coded frame
 * that misses the far box is never taken for data.
 *
 * @param head
 *   The original headers (`frame->region_off` bytes) with room for the shim behind them.
 * @param frame
 *   The original frame.
 * @param shim
 *   The shim; `flags` from lp_shim_flags(); `orig_len` and `orig_cksum` are set here.
 * @param key
 *   Key of the pair.
 * @param digest
 *   lp_codebook_digest64() of the book, 0 if STORED.
 * @param body
 *   The body, followed in memory by the `frame->icrc_len` bytes of ICRC.
 * @param body_len
 *   Its length; CODED: shim and body together at least LP_SHIM_SAVING_MIN bytes shorter than
 *   the region.
 */
void lp_frame_seal(uint8_t *head, const struct lp_frame *frame, struct lp_shim *shim,
		const struct lp_key *key, uint64_t digest, const uint8_t *body, size_t body_len);

/**
 * Can a frame be sealed and then opened with every byte as it was?
 *
 * No if its IPv4 header checksum is 0xFFFF, which is valid but never comes out of RFC 1624
 * arithmetic again. A caller passes such a frame untouched, unless lp_frame_open() finds a shim in
 * it: then it can only be dropped.
 */
int lp_frame_sealable(const uint8_t *head, const struct lp_frame *frame);

/** Outcome of lp_frame_open(). */
enum lp_open {
	LP_OPEN_RAW,	      /**< no shim: an ordinary frame */
	LP_OPEN_NO_CHECK,     /**< a shim without the check that TCP and UDP always have: forged */
	LP_OPEN_UNKNOWN_BOOK, /**< looks like a shim, of a book that is not installed */
	LP_OPEN_BAD_TAG,      /**< looks like a shim, but not one made with this key and book */
	LP_OPEN_SEALED,	      /**< a coded or stored frame */
};

/**
 * Decide whether a frame is a coded or stored one, and read its shim.
 *
 * The far box restores what is LP_OPEN_SEALED. The near box escapes (wraps as STORED) every
 * frame of a host that is not LP_OPEN_RAW: whether a shim is known and its tag right may look
 * different to the far box, which can hold other books. It depends on nothing but the frame,
 * the key and the digests.
 *
 * @param head
 *   Head of the frame.
 * @param frame
 *   Where things are, from lp_frame_parse().
 * @param key
 *   Key of the pair.
 * @param digest
 *   lp_codebook_digest64() by book number, LP_BOOK_IDS entries, 0 where there is no book.
 * @param shim
 *   Filled unless LP_OPEN_RAW is returned.
 */
enum lp_open lp_frame_open(const uint8_t *head, const struct lp_frame *frame,
		const struct lp_key *key, const uint64_t *digest, struct lp_shim *shim);

/**
 * Turn the head of a coded frame back into that of the original.
 *
 * Puts the lengths back, corrects the IPv4 header checksum by the difference, and copies the
 * original L4 checksum back; nothing is recomputed from decoded bytes. Changes made on the
 * line (TTL, DSCP, ECN) survive.
 *
 * @param head
 *   The coded frame's headers (`frame->region_off` bytes).
 * @param frame
 *   The coded frame.
 * @param shim
 *   Its shim.
 * @return
 *   - 0
 *   - -EMSGSIZE: the original would be longer than an IP packet can be; head unchanged
 */
int lp_frame_unseal(uint8_t *head, const struct lp_frame *frame, const struct lp_shim *shim);

/** Check word of an original region: CRC-32C, seeded with the book's digest. */
uint32_t lp_region_check(const uint8_t *region, size_t len, uint64_t digest);

/**
 * SipHash-1-3 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, with 1
 * compression and 3 finalisation rounds); the tag is its low 16 bits.
 */
uint64_t lp_siphash13(const struct lp_key *key, const uint8_t *data, size_t len);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_WIRE_H */
