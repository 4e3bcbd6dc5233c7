/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Host to line. */

#include <rte_ether.h>

#include "linepress/flow.h"
#include "press.h"
#include "rules.h"

/* A gain below this part of the region is not worth encoding it a second time. */
#define PROMISE_PART 256

/* Room in front of the body: headers and shim. */
static inline uint32_t
body_offset(const struct lp_work *work, uint8_t flags)
{
	return work->frame.region_off + (uint32_t)lp_shim_len(flags);
}

/* Count what travels for an eligible region. */
static inline void
count_line_bytes(struct lp_press *press, const struct lp_work *work, uint32_t line_bytes)
{
	if (work->rule == NULL)
		return;
	lp_count(&press->stats[LP_DIR_COMPRESS].region_line_bytes, line_bytes);
	lp_count(&work->rule->line_bytes, line_bytes);
}

static struct rte_mbuf *
send_sealed(struct lp_press *press, struct lp_work *work, struct rte_mbuf *sealed)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];

	lp_count(&stats->tx_pkts, 1);
	lp_count(&stats->tx_bytes, sealed->pkt_len);
	rte_pktmbuf_free(work->mbuf);
	return sealed;
}

/* Wrap a frame that the far box might take for a coded one. */
static struct rte_mbuf *
escape(struct lp_press *press, struct lp_work *work)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];
	const struct lp_frame *frame = &work->frame;
	struct lp_shim shim = {
		.type = LP_SHIM_STORED,
		.flags = lp_shim_flags(work->head, frame),
	};
	const uint32_t off = body_offset(work, shim.flags);
	const uint32_t room = work->mbuf->pkt_len + (uint32_t)lp_shim_len(shim.flags);
	const uint32_t ip_end = off + frame->region_len + frame->icrc_len - frame->l3_off;
	struct lp_output out;

	if (ip_end > UINT16_MAX || room > press->conf.max_frame ||
			room > LP_LINEAR_MAX - LP_SHIM_MAX || !lp_frame_sealable(work->head, frame))
		return lp_drop(stats, work->mbuf, LP_DROP_ESCAPE);
	if (!lp_output_init(&out, press, work->mbuf, room))
		return lp_drop(stats, work->mbuf, LP_DROP_NO_MBUF);

	const uint8_t *region = lp_work_bytes(
			work, frame->region_off, frame->region_len, press->region);

	if ((shim.flags & LP_SHIM_F_CHECK) != 0)
		shim.check = lp_region_check(region, frame->region_len, 0);
	memcpy(out.bytes, work->head, frame->region_off);
	memcpy(out.bytes + off, region, frame->region_len);

	const uint32_t len = lp_output_tail(&out, work, off + frame->region_len);

	lp_frame_seal(out.bytes, frame, &shim, &press->conf.key, 0, out.bytes + off,
			frame->region_len);

	struct rte_mbuf *sealed = lp_output_finish(&out, press, len);

	if (sealed == NULL)
		return lp_drop(stats, work->mbuf, LP_DROP_NO_MBUF);
	lp_count(&stats->stored_pkts, 1);
	count_line_bytes(press, work, off - frame->region_off + frame->region_len);
	return send_sealed(press, work, sealed);
}

/*
 * Forward an eligible frame as it is, unless it looks like a coded one. Whether its tag is right
 * does not matter: the far box may hold other books than we do.
 */
static struct rte_mbuf *
pass_eligible(struct lp_press *press, struct lp_work *work, unsigned int reason)
{
	struct lp_shim shim;

	if (work->rule != NULL)
		lp_count(&press->stats[LP_DIR_COMPRESS].uncoded_pkts, 1);
	if (lp_frame_open(work->head, &work->frame, &press->conf.key, press->conf.books->digest,
			    &shim) != LP_OPEN_RAW)
		return escape(press, work);
	count_line_bytes(press, work, work->frame.region_len);
	return lp_pass(&press->stats[LP_DIR_COMPRESS], work->mbuf, reason);
}

/* Would the far box take a frame that is coded up to `end` for one that was padded? */
static bool
is_padded(const struct lp_work *work, uint32_t end)
{
	return RTE_ETHER_HDR_LEN + end - work->frame.l3_off + work->frame.icrc_len <=
			LP_FRAME_PADDED;
}

/* Longest body that saves enough, in bytes; 0 if none can. */
static uint32_t
body_limit(const struct lp_press *press, const struct lp_work *work, uint8_t flags)
{
	const uint32_t overhead = (uint32_t)lp_shim_len(flags) + press->conf.min_saving;

	return work->frame.region_len > overhead ? work->frame.region_len - overhead : 0;
}

/* How a region is to be coded. */
struct coding {
	const struct lp_bookset *books;
	const struct lp_book_mask *usable; /* of these books */
	struct lp_choice_key key;
	struct lp_choice_place *place; /* what is remembered of the flow */
	struct lp_choice choice;
	enum lp_choice_known known; /* what of the choice was taken from there */
	const uint8_t *region;
	uint32_t off;	/* of the body in the coded frame */
	uint32_t limit; /* longest body that saves enough, in bytes */
	struct lp_shim shim;
};

/* Bytes that the body is expected to have; the limit if no book is expected to save enough. */
static size_t
choose_in_full(const struct lp_work *work, struct coding *c)
{
	size_t estimate;

	c->known = LP_CHOICE_OPEN;
	c->choice.book = lp_bookset_choose_usable(c->books, c->usable, c->region,
			work->frame.region_len, c->limit, &c->choice.params, &estimate);
	return estimate;
}

/*
 * The same, if the tensor of the frames before goes on. `body_len` is that of a body coded with the
 * choice before, 0 if there is none.
 */
static size_t
choose_like_before(const struct lp_work *work, struct coding *c, uint32_t body_len)
{
	const struct lp_choice before = c->choice;
	size_t estimate;

	if (before.book == 0)
		return choose_in_full(work, c);
	c->known = LP_CHOICE_TYPE;
	c->choice.book = lp_bookset_choose_like(c->books, c->usable, before.book,
			before.params.phase, c->region, work->frame.region_len, c->limit,
			&c->choice.params, &estimate);

	const size_t least = body_len > 0 && body_len < estimate ? body_len : estimate;

	if (c->choice.book != 0 && lp_choice_goes_on(c->place, least, work->frame.region_len))
		return estimate;
	return choose_in_full(work, c);
}

static void
learn(const struct lp_work *work, const struct coding *c, uint32_t body_len)
{
	lp_choice_learn(c->place, c->books, &c->key, c->known, &c->choice, body_len,
			work->frame.region_len);
}

/* Choose the book; false if none of `books` that are usable is expected to save enough. */
static bool
choose(struct lp_press *press, const struct lp_work *work, const struct lp_bookset *books,
		const struct lp_book_mask *usable, struct coding *c)
{
	const struct lp_frame *frame = &work->frame;
	const ptrdiff_t rule = work->rule - press->rules_stats.rule;

	c->books = books;
	c->usable = usable;
	c->shim = (struct lp_shim){
		.type = LP_SHIM_CODED,
		.flags = lp_shim_flags(work->head, frame),
	};
	c->region = lp_work_bytes(work, frame->region_off, frame->region_len, press->region);
	c->limit = body_limit(press, work, c->shim.flags);
	c->off = body_offset(work, c->shim.flags);
	c->key = lp_choice_key(work->head, frame, (uint32_t)rule);
	c->place = lp_choice_find(press->choices, &c->key);
	c->known = lp_choice_recall(
			c->place, books, &c->key, c->region, frame->region_len, &c->choice);
	if (c->known == LP_CHOICE_OPEN)
		choose_in_full(work, c);
	else if (c->known == LP_CHOICE_TYPE)
		choose_like_before(work, c, 0);
	if (c->known != LP_CHOICE_ALL && c->choice.book == 0)
		learn(work, c, 0);
	return c->choice.book != 0;
}

/* Bytes of the body, 0 if of no use. */
static uint32_t
encode_as_chosen(const struct lp_work *work, const struct coding *c, uint8_t *frame_bytes)
{
	const int body_len = lp_encode(c->books->book[c->choice.book], &c->choice.params, c->region,
			work->frame.region_len, frame_bytes + c->off, c->limit);

	return body_len <= 0 || is_padded(work, c->off + (uint32_t)body_len) ? 0
									     : (uint32_t)body_len;
}

/*
 * A choice taken for granted turns out to be doubtful: make it again, and encode again if that
 * promises more than the error of an estimate.
 */
static uint32_t
encode_again(const struct lp_work *work, struct coding *c, uint8_t *frame_bytes, uint32_t body_len)
{
	const struct lp_choice granted = c->choice;
	const size_t promised = choose_like_before(work, c, body_len) +
			work->frame.region_len / PROMISE_PART;

	if (c->choice.book != 0 && (body_len == 0 || promised < body_len))
		return encode_as_chosen(work, c, frame_bytes);
	if (body_len > 0)
		c->choice = granted;
	return body_len;
}

/* Encode the region behind room for headers and shim; bytes of the body, 0 if of no use. */
static uint32_t
encode(const struct lp_work *work, struct coding *c, uint8_t *frame_bytes)
{
	uint32_t body_len = encode_as_chosen(work, c, frame_bytes);

	if (c->known == LP_CHOICE_ALL &&
			!lp_choice_fits(c->place, body_len, work->frame.region_len))
		body_len = encode_again(work, c, frame_bytes, body_len);
	if (c->known != LP_CHOICE_ALL)
		learn(work, c, body_len);
	return body_len;
}

/* Let one region in so many be profiled, with the length of its body, 0 if that is of no use. */
static inline void
sample(struct lp_press *press, const struct lp_work *work, const struct coding *c,
		uint32_t body_len)
{
	if (!lp_sample_is_due(press))
		return;

	const struct lp_choice choice = body_len > 0 ? c->choice : (struct lp_choice){ 0 };
	const struct lp_press_sample what = {
		.book = choice.book,
		.params = choice.params,
		.len = work->frame.region_len,
		.body_len = (uint16_t)body_len,
		.digest = press->conf.books->digest[choice.book],
	};

	lp_sample_take(press, &what, c->region);
}

/* One in so many. */
static inline bool
is_to_be_checked(struct lp_press *press)
{
	if (press->conf.check_every == 0 || ++press->unchecked < press->conf.check_every)
		return false;
	press->unchecked = 0;
	return true;
}

/* Does the far box get the region back from the body? */
static bool
comes_back(struct lp_press *press, const struct lp_work *work, const struct coding *c,
		const uint8_t *body, uint32_t body_len)
{
	const uint16_t len = work->frame.region_len;

	lp_count(&press->stats[LP_DIR_COMPRESS].verified_pkts, 1);
	return lp_decode(c->books->book[c->choice.book], c->choice.params.phase, body, body_len,
			       press->echo, len) == 0 &&
			memcmp(press->echo, c->region, len) == 0;
}

/* Bytes that travel for a region: shim and body. */
static uint32_t
coded_line_bytes(const struct lp_work *work, const struct coding *c, uint32_t body_len)
{
	return c->off - work->frame.region_off + body_len;
}

static void
count_coded(struct lp_press *press, const struct lp_work *work, const struct coding *c,
		uint32_t line_bytes)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];
	struct lp_book_stats *book = &stats->book[c->shim.book_id];

	lp_count(&stats->coded_pkts, 1);
	lp_count(&stats->group_pkts[lp_flow_group(c->key.flow)], 1);
	lp_count(&work->rule->coded_pkts, 1);
	lp_count(&stats->ratio_pkts[line_bytes * LP_RATIO_CLASSES / work->frame.region_len], 1);
	count_line_bytes(press, work, line_bytes);
	lp_count(&book->pkts, 1);
	lp_count(&book->region_bytes, work->frame.region_len);
	lp_count(&book->line_bytes, line_bytes);
}

/* Put the rest of a coded frame around its body. */
static struct rte_mbuf *
seal(struct lp_press *press, struct lp_work *work, struct coding *c, uint32_t body_len,
		struct lp_output *out)
{
	const struct lp_frame *frame = &work->frame;
	const uint8_t book = c->choice.book;
	const uint64_t digest = c->books->digest[book];

	c->shim.book_id = book;
	c->shim.phase = c->choice.params.phase;
	c->shim.element_log2 = (uint8_t)lp_codebook_element_log2(c->books->book[book]);
	if ((c->shim.flags & LP_SHIM_F_CHECK) != 0)
		c->shim.check = lp_region_check(c->region, frame->region_len, digest);
	memcpy(out->bytes, work->head, frame->region_off);

	const uint32_t len = lp_output_tail(out, work, c->off + body_len);

	lp_frame_seal(out->bytes, frame, &c->shim, &press->conf.key, digest, out->bytes + c->off,
			body_len);
	return lp_output_finish(out, press, len);
}

void
lp_compress_forget_choices(struct lp_press *press)
{
	memset(press->choices, 0, sizeof(press->choices));
}

void
lp_compress_look_at_gate(struct lp_press *press)
{
	const struct lp_gate *gate = press->conf.gate;
	const struct lp_book_mask before = press->usable;

	if (gate == NULL)
		press->usable = press->conf.books->numbers;
	else if (lp_gate_has_ended(gate))
		press->usable = (struct lp_book_mask){ 0 };
	else
		press->usable = lp_gate_books(gate);
	if (!lp_book_mask_equal(&before, &press->usable))
		lp_compress_forget_choices(press);
	press->peer_max_frame = gate != NULL ? lp_gate_max_frame(gate) : 0;
	press->raw_groups = gate != NULL ? lp_gate_groups(gate) : 0;
	press->has_raw_flows = gate != NULL && lp_gate_has_flows(gate);
}

/* Does the peer allow this frame to be coded? If not, why: an enum lp_pass; else 0. */
static unsigned int
peer_refusal(const struct lp_press *press, const struct lp_work *work,
		const struct lp_bookset *books)
{
	if (press->conf.gate == NULL)
		return 0;
	if (lp_book_mask_is_empty(&press->usable))
		return LP_PASS_NO_PEER;
	if (!lp_book_mask_overlap(&press->usable, &books->numbers))
		return LP_PASS_PEER_BOOK;
	if (press->peer_max_frame != 0 && work->mbuf->pkt_len > press->peer_max_frame)
		return LP_PASS_LONG_FRAME;
	if (press->raw_groups != 0 && (press->raw_groups >> lp_work_group(work) & 1) != 0)
		return LP_PASS_PEER_GROUP;
	if (press->has_raw_flows && lp_gate_keeps_raw(press->conf.gate, lp_flow_hash(work->mbuf)))
		return LP_PASS_PEER_FLOW;
	return 0;
}

static struct rte_mbuf *
code(struct lp_press *press, struct lp_work *work, const struct lp_bookset *books)
{
	const unsigned int refusal = peer_refusal(press, work, books);
	struct coding coding;
	struct lp_output out;

	if (refusal != 0)
		return pass_eligible(press, work, refusal);
	if (!lp_frame_sealable(work->head, &work->frame))
		return pass_eligible(press, work, LP_PASS_IP_CHECKSUM_FFFF);
	if (!choose(press, work, books, &press->usable, &coding)) {
		sample(press, work, &coding, 0);
		return pass_eligible(press, work, LP_PASS_NO_GAIN);
	}
	if (!lp_output_init(&out, press, work->mbuf, work->mbuf->pkt_len))
		return pass_eligible(press, work, LP_PASS_NO_MBUF);

	const uint32_t body_len = encode(work, &coding, out.bytes);

	sample(press, work, &coding, body_len);
	if (body_len == 0) {
		rte_pktmbuf_free(out.mbuf);
		return pass_eligible(press, work, LP_PASS_NO_GAIN);
	}
	if (is_to_be_checked(press) &&
			!comes_back(press, work, &coding, out.bytes + coding.off, body_len)) {
		rte_pktmbuf_free(out.mbuf);
		return pass_eligible(press, work, LP_PASS_MISCODED);
	}

	struct rte_mbuf *sealed = seal(press, work, &coding, body_len, &out);

	if (sealed == NULL)
		return pass_eligible(press, work, LP_PASS_NO_MBUF);
	count_coded(press, work, &coding, coded_line_bytes(work, &coding, body_len));
	return send_sealed(press, work, sealed);
}

/* As code(), but only for the counters of the rule. */
static struct rte_mbuf *
dry_run(struct lp_press *press, struct lp_work *work, const struct lp_bookset *books)
{
	struct lp_rule_stats *rule = work->rule;
	const uint64_t before = rule->line_bytes;
	struct coding coding;
	uint32_t body_len = 0;

	if (lp_frame_sealable(work->head, &work->frame) &&
			choose(press, work, books, &books->numbers, &coding))
		body_len = encode(work, &coding, press->linear);
	if (body_len > 0) {
		lp_count(&rule->would_coded_pkts, 1);
		lp_count(&rule->would_line_bytes, coded_line_bytes(work, &coding, body_len));
		return pass_eligible(press, work, LP_PASS_DRY_RUN);
	}

	struct rte_mbuf *mbuf = pass_eligible(press, work, LP_PASS_DRY_RUN);

	lp_count(&rule->would_line_bytes, rule->line_bytes - before);
	return mbuf;
}

enum lp_ineligible
lp_compress_receive(struct lp_press *press, struct lp_work *work, struct rte_mbuf *mbuf)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];

	lp_count(&stats->rx_pkts, 1);
	lp_count(&stats->rx_bytes, mbuf->pkt_len);
	work->rule = NULL;
	return lp_work_init(work, mbuf);
}

static void
count_eligible(struct lp_press *press, struct lp_work *work, uint32_t rule)
{
	struct lp_press_stats *stats = &press->stats[LP_DIR_COMPRESS];

	work->rule = &press->rules_stats.rule[rule];
	lp_count(&work->rule->pkts, 1);
	lp_count(&work->rule->region_bytes, work->frame.region_len);
	lp_count(&stats->eligible_pkts, 1);
	lp_count(&stats->region_bytes, work->frame.region_len);
}

struct rte_mbuf *
lp_compress_parsed(struct lp_press *press, struct lp_work *work, uint32_t rule)
{
	static const struct rule_action code_all = { .type = RULE_BOOKS };
	const struct lp_rules *rules = press->conf.rules;
	const struct rule_action *action = rules == NULL ? &code_all : &rules->rule[rule].action;
	const struct lp_bookset *books = action->books == NULL ? press->conf.books : action->books;
	const unsigned int refusal = lp_compress_refusal(press, work);

	if (refusal != 0)
		return pass_eligible(press, work, refusal);
	count_eligible(press, work, rule);
	switch (action->type) {
	case RULE_PASS:
		return pass_eligible(press, work, LP_PASS_RULE);
	case RULE_DRY_RUN:
		return dry_run(press, work, books);
	default:
		return code(press, work, books);
	}
}
