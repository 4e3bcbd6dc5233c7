/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#ifndef LINEPRESS_CODEC_H
#define LINEPRESS_CODEC_H

/**
 * @file
 * linepress codec: tensor bytes in, fewer bytes out, with a fixed codebook.
 *
 * A codebook is built beforehand from tensors like those to come and is held by
 * both ends, so nothing is counted, built or sent per packet: the single stage of
 * "Single-Stage Huffman Encoder for ML Compression" (arXiv 2601.10673). Per region
 * the encoder decides only which book, which phase and which base.
 *
 * The library keeps no state, writes no log and allocates nothing except in the
 * functions that load a codebook. A loaded codebook is read-only: any number of
 * threads may encode and decode with it at once.
 *
 * Words: a *region* is the run of bytes to code; an *element* is one number of the
 * tensor; the *phase* tells how many bytes into an element the region starts; a
 * *symbol* is what the code codes (the exponent field or a byte); the *base* is
 * subtracted from every symbol, modulo its range, so that one book fits tensors of
 * any scale; the *body* is the coded region.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Longest region that can be coded, in bytes. */
#define LP_REGION_MAX 65535

/** Bytes of a codebook's digest (SHA-256). */
#define LP_DIGEST_LEN 32

/** Longest codebook name, in characters. */
#define LP_NAME_MAX 47

/** Element types. All are little endian. */
enum lp_type {
	LP_TYPE_BF16,  /**< sign, 8 exponent bits, 7 mantissa bits */
	LP_TYPE_FP16,  /**< IEEE 754 half: 1, 5, 10 */
	LP_TYPE_FP32,  /**< IEEE 754 single: 1, 8, 23 */
	LP_TYPE_E4M3,  /**< OCP 8-bit float: 1, 4, 3 */
	LP_TYPE_E5M2,  /**< OCP 8-bit float: 1, 5, 2 */
	LP_TYPE_INT8,  /**< signed integer */
	LP_TYPE_BYTES, /**< anything else */
	LP_TYPE_COUNT,
};

/** Kinds of code. */
enum lp_kind {
	/**
	 * Symbols ranked by frequency; group number in unary, rank within the group in
	 * binary; stored level by level. Start-step-stop codes: Fiala and Greene, "Data
	 * compression with finite windows", 1989.
	 */
	LP_KIND_GROUPED,
	/** Canonical Huffman code of at most 11 bits, one LSB-first bit stream. */
	LP_KIND_HUFFMAN,
	/**
	 * The number of an area, of fixed width, then the place of the symbol in the area; stored
	 * as two streams. Generalises the Dual and Quad Length Codes of arXiv 2602.17849.
	 */
	LP_KIND_AREA,
	LP_KIND_COUNT,
};

/** What the code codes. */
enum lp_symbol {
	LP_SYMBOL_EXPONENT, /**< the exponent field minus the base; the other bits travel raw */
	LP_SYMBOL_BYTE,	    /**< every byte as it is, no base, no phase */
	LP_SYMBOL_ROTATED,  /**< every byte rotated left by one (sign last) minus the base */
	LP_SYMBOL_COUNT,
};

/** A loaded codebook. */
struct lp_codebook;

/** Where and why a codebook was refused. */
struct lp_error {
	unsigned int line; /**< line of the text, from 1; 0 if no line is to blame */
	char text[256];	   /**< cause with the value and the allowed range */
};

/** Description of a codebook. */
struct lp_codebook_info {
	char name[LP_NAME_MAX + 1];    /**< name, for reports */
	uint8_t id;		       /**< number asked for on the wire, 0 if none */
	enum lp_type type;	       /**< element type it was built for */
	enum lp_kind kind;	       /**< kind of code */
	enum lp_symbol symbol;	       /**< what it codes */
	uint8_t element_bytes;	       /**< bytes of an element; 1 if the phase is irrelevant */
	uint16_t codes;		       /**< symbols with a code of their own */
	uint8_t longest_code_bits;     /**< longest code, without an escaped symbol */
	double profile_entropy;	       /**< bits a symbol of the profile, 0 if unknown */
	double profile_code_bits;      /**< coded bits a symbol of the profile, 0 if unknown */
	double profile_saved_percent;  /**< share of its bytes that coding saves, 0 if unknown */
	uint64_t profile_symbols;      /**< symbols of the profile, 0 if unknown */
	uint8_t digest[LP_DIGEST_LEN]; /**< SHA-256 of the canonical serialisation */
};

/**
 * Load a codebook from memory.
 *
 * The text is refused whole if anything in it is unknown, missing, repeated, out of
 * range or leaves a symbol without a code.
 *
 * @param text
 *   The text; need not be terminated.
 * @param text_len
 *   Its length in bytes.
 * @param error
 *   Filled on failure; may be NULL.
 * @return
 *   The codebook, to be released with lp_codebook_free(), or NULL.
 */
struct lp_codebook *lp_codebook_parse(const char *text, size_t text_len, struct lp_error *error);

/**
 * Load a codebook from a file. As lp_codebook_parse(), also refusing files that
 * cannot be read or are longer than 1 MiB.
 */
struct lp_codebook *lp_codebook_load(const char *path, struct lp_error *error);

/**
 * Release a codebook; NULL is allowed. No thread may be using it, save those that use a set which
 * it was added to, see lp_bookset_extend().
 */
void lp_codebook_free(struct lp_codebook *cb);

/** Describe a codebook. */
void lp_codebook_describe(const struct lp_codebook *cb, struct lp_codebook_info *info);

/**
 * The first 8 bytes of the digest as a big-endian number: what the wire format mixes
 * into its tag and check, without copying the whole description.
 */
uint64_t lp_codebook_digest64(const struct lp_codebook *cb);

/** Element type of the tensors that a codebook was made for. */
enum lp_type lp_codebook_type(const struct lp_codebook *cb);

/** Base-2 logarithm of the element size in bytes, 0 to 2, as the wire format has it. */
unsigned int lp_codebook_element_log2(const struct lp_codebook *cb);

/** Name of an element type as written in codebooks, e.g. "bf16"; NULL if out of range. */
const char *lp_type_name(enum lp_type type);

/** Name of a kind, e.g. "grouped"; NULL if out of range. */
const char *lp_kind_name(enum lp_kind kind);

/** Name of a symbol, e.g. "exponent"; NULL if out of range. */
const char *lp_symbol_name(enum lp_symbol symbol);

/** Element type of a name, or -EINVAL. */
int lp_type_from_name(const char *name);

/** Kind of a name, or -EINVAL. */
int lp_kind_from_name(const char *name);

/** Bytes of an element of a type: 1, 2 or 4. */
size_t lp_type_bytes(enum lp_type type);

/**
 * Name of a kernel, an implementation of the codes for one class of processor:
 * "avx512", "avx2", "portable".
 *
 * @param index
 *   From 0, fastest first.
 * @return
 *   The name, or NULL past the last kernel of this build.
 */
const char *lp_kernel_name(unsigned int index);

/**
 * Can this processor run a kernel?
 *
 * A book that uses another kernel behind it, as lp_codebook_kernel() tells, and was not told to,
 * found that it fails its self-test.
 *
 * @param index
 *   As that of lp_kernel_name(); false past the last.
 */
bool lp_kernel_is_usable(unsigned int index);

/**
 * Name of the kernel a book uses. A loaded book uses the fastest that this processor has and that
 * passed a self-test: on a sample it gave the same bytes as the portable one.
 */
const char *lp_codebook_kernel(const struct lp_codebook *cb);

/**
 * Make a book use a kernel. Other threads may be using it meanwhile, as all kernels give the same
 * bytes.
 *
 * @return
 *   - 0
 *   - -EINVAL: no such kernel in this build
 *   - -ENOTSUP: this processor cannot run it, or it failed its self-test
 */
int lp_codebook_use_kernel(struct lp_codebook *cb, const char *name);

/** What lp_codebook_choose() decided for one region. */
struct lp_params {
	uint8_t phase; /**< bytes of the first element that precede the region, 0-3 */
	uint8_t base;  /**< subtracted from each symbol */
};

/** Ways of looking at bytes as symbols; internal, sizes struct lp_sample. */
#define LP_SAMPLE_VIEWS 12

/** Symbols looked at in each view of a sample, at most. */
#define LP_SAMPLE_SYMBOLS 256

/**
 * A sample of one region, shared by all candidate books so that each view of the
 * bytes is taken once. Members are internal; use lp_sample_init().
 */
struct lp_sample {
	const uint8_t *src;
	size_t len;
	uint8_t taken[LP_SAMPLE_VIEWS];	      /* runs of each view */
	uint8_t symbol[LP_SAMPLE_VIEWS][256]; /* exponents, or counts of bytes */
};

/**
 * Start a sample of a region. Cheap: symbols are taken when a book first asks.
 *
 * @param sample
 *   Memory of the caller.
 * @param src
 *   The region; must stay until the last lp_codebook_choose().
 * @param len
 *   Its length in bytes.
 */
void lp_sample_init(struct lp_sample *sample, const uint8_t *src, size_t len);

/**
 * Find the phase and base with which a book codes a sampled region best.
 *
 * @param cb
 *   The book.
 * @param sample
 *   The sample; symbols are taken as needed.
 * @param limit
 *   Stop as soon as it is certain that the body would not be shorter than this many bytes;
 *   SIZE_MAX to see it through.
 * @param params
 *   Receives phase and base for lp_encode(), if the estimate is below the limit.
 * @return
 *   Estimated bytes of the body; if not below `limit`, merely some number that is not.
 */
size_t lp_codebook_choose(const struct lp_codebook *cb, struct lp_sample *sample, size_t limit,
		struct lp_params *params);

/**
 * Move the base of a grouped book, if a sample of the region tells that a neighbour codes it
 * clearly better. Faster than a choice, for regions of which all else is known: tensors go on, but
 * their scale varies.
 *
 * @param cb
 *   The book.
 * @param src
 *   The region.
 * @param len
 *   Its length in bytes.
 * @param params
 *   Phase and base that coded the region before; the base may be changed by one.
 * @return
 *   Estimated bytes of the body; 0 if nothing can be told, as the book is not grouped or the
 *   region too short to be sampled.
 */
size_t lp_codebook_adjust(const struct lp_codebook *cb, const uint8_t *src, size_t len,
		struct lp_params *params);

/**
 * Largest body that lp_encode() can produce for a region of `len` bytes when its
 * output is not limited.
 */
size_t lp_encode_bound(const struct lp_codebook *cb, size_t len);

/**
 * Encode one region.
 *
 * Every byte of `dst` up to `dst_cap` may be written, none after.
 *
 * @param cb
 *   The book.
 * @param params
 *   Phase (below the element size) and base.
 * @param src
 *   The region; must not overlap `dst`.
 * @param len
 *   Its length, 1 to LP_REGION_MAX.
 * @param dst
 *   Receives the body.
 * @param dst_cap
 *   Longest body worth having, in bytes: the limit of memory and of gain in one.
 * @return
 *   - bytes of the body
 *   - 0 if it would be longer than `dst_cap`: send the region as it is
 *   - -EINVAL: length or phase out of range
 */
int lp_encode(const struct lp_codebook *cb, const struct lp_params *params, const uint8_t *src,
		size_t len, uint8_t *dst, size_t dst_cap);

/**
 * Decode one body.
 *
 * Safe for any input: reads only the body and writes only `dst[0..len)`, whose
 * content is undefined after a failure. Success means that exactly `len` bytes were
 * produced, exactly the body was used and its padding bits are zero; whether they are
 * the *right* bytes only a checksum can tell.
 *
 * @param cb
 *   The book the body was coded with.
 * @param phase
 *   The phase it was coded with.
 * @param body
 *   The body; must not overlap `dst`.
 * @param body_len
 *   Its length in bytes.
 * @param dst
 *   Receives the region.
 * @param len
 *   Length of the original region, 1 to LP_REGION_MAX.
 * @return
 *   - 0: decoded
 *   - -EINVAL: length or phase out of range
 *   - -EBADMSG: the body is not one that lp_encode() can have made
 */
int lp_decode(const struct lp_codebook *cb, uint8_t phase, const uint8_t *body, size_t body_len,
		uint8_t *dst, size_t len);

/** A region to encode in a burst: the arguments of lp_encode(). */
struct lp_encode_job {
	const struct lp_codebook *cb;
	struct lp_params params;
	const uint8_t *src;
	size_t len;
	uint8_t *dst;
	size_t dst_cap;
	int result; /**< receives what lp_encode() would return */
};

/** A body to decode in a burst: the arguments of lp_decode(). */
struct lp_decode_job {
	const struct lp_codebook *cb;
	uint8_t phase;
	const uint8_t *body;
	size_t body_len;
	uint8_t *dst;
	size_t len;
	int result; /**< receives what lp_decode() would return */
};

/**
 * Encode many regions, as lp_encode() would one by one.
 *
 * @param jobs
 *   The regions, with any books; no `dst` may overlap a buffer of another job.
 * @param n
 *   How many.
 */
void lp_encode_burst(struct lp_encode_job *jobs, unsigned int n);

/**
 * Decode many bodies, as lp_decode() would one by one, but faster: a Huffman body can only be
 * decoded one symbol after the other, so several bodies are decoded side by side. Eight and more
 * Huffman bodies in a burst give full speed, whatever their books; the length may differ.
 *
 * @param jobs
 *   The bodies, with any books; no `dst` may overlap a buffer of another job.
 * @param n
 *   How many.
 */
void lp_decode_burst(struct lp_decode_job *jobs, unsigned int n);

#ifdef __cplusplus
}
#endif

#endif /* LINEPRESS_CODEC_H */
