/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/* Host to line. */

#include "linepress/flow.h"
#include "coding.h"
#include "press.h"
#include "rules.h"

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
	const uint32_t off = lp_coding_offset(work, shim.flags);
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

/* Let one region in so many be profiled, with the length of its body, 0 if that is of no use. */
static inline void
sample(struct lp_press *press, const struct lp_work *work, const struct lp_coding *c,
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
comes_back(struct lp_press *press, const struct lp_work *work, const struct lp_coding *c,
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
coded_line_bytes(const struct lp_work *work, const struct lp_coding *c, uint32_t body_len)
{
	return c->off - work->frame.region_off + body_len;
}

static void
count_coded(struct lp_press *press, const struct lp_work *work, const struct lp_coding *c,
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
seal(struct lp_press *press, struct lp_work *work, struct lp_coding *c, uint32_t body_len,
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
	struct lp_coding coding;
	struct lp_output out;

	if (refusal != 0)
		return pass_eligible(press, work, refusal);
	if (!lp_frame_sealable(work->head, &work->frame))
		return pass_eligible(press, work, LP_PASS_IP_CHECKSUM_FFFF);
	if (!lp_coding_choose(press, work, books, &press->usable, &coding)) {
		sample(press, work, &coding, 0);
		return pass_eligible(press, work, LP_PASS_NO_GAIN);
	}
	if (!lp_output_init(&out, press, work->mbuf, work->mbuf->pkt_len))
		return pass_eligible(press, work, LP_PASS_NO_MBUF);

	const uint32_t body_len = lp_coding_encode(work, &coding, out.bytes);

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
	struct lp_coding coding;
	uint32_t body_len = 0;

	if (lp_frame_sealable(work->head, &work->frame) &&
			lp_coding_choose(press, work, books, &books->numbers, &coding))
		body_len = lp_coding_encode(work, &coding, press->linear);
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
