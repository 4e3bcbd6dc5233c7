/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcap/pcap.h>

#include "message.h"
#include "outfile.h"
#include "pcap_out.h"

#define SNAPLEN 262144 /* what tcpdump writes for "all" */

struct pcap_out {
	pcap_t *pcap;
	pcap_dumper_t *dumper;
	struct outfile *file;
	char *path;
};

/*
 * libpcap closes the stream it was given together with the dumper, so it gets a second
 * descriptor of the file.
 */
static pcap_dumper_t *
open_dumper(pcap_t *pcap, struct outfile *file)
{
	const int fd = dup(fileno(outfile_stream(file)));
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "wb");

	return stream == NULL ? NULL : pcap_dump_fopen(pcap, stream);
}

struct pcap_out *
pcap_out_open(const char *path)
{
	struct pcap_out *out = calloc(1, sizeof(*out));

	if (out == NULL)
		return NULL;
	out->file = outfile_open(path);
	if (out->file == NULL) {
		free(out);
		return NULL;
	}
	out->path = strdup(path);
	out->pcap = pcap_open_dead_with_tstamp_precision(
			DLT_EN10MB, SNAPLEN, PCAP_TSTAMP_PRECISION_NANO);
	if (out->path != NULL && out->pcap != NULL)
		out->dumper = open_dumper(out->pcap, out->file);
	if (out->dumper == NULL) {
		complain("%s: cannot be written: %s", path, strerror(errno));
		pcap_out_abort(out);
		return NULL;
	}
	return out;
}

int
pcap_out_write(struct pcap_out *out, const struct capture_frame *origin, const uint8_t *data,
		uint32_t len)
{
	const struct pcap_pkthdr hdr = {
		.ts = { .tv_sec = origin->sec, .tv_usec = origin->nsec },
		.caplen = len,
		.len = len,
	};

	errno = 0;
	pcap_dump((u_char *)out->dumper, &hdr, data);
	if (ferror(pcap_dump_file(out->dumper)))
		return complain("%s: cannot be written: %s", out->path, strerror(errno));
	return 0;
}

int
pcap_out_seal(struct pcap_out *out)
{
	const int failed = pcap_dump_flush(out->dumper) != 0 ? errno : 0;

	pcap_dump_close(out->dumper);
	out->dumper = NULL;
	if (failed != 0)
		return complain("%s: cannot be written: %s", out->path, strerror(failed));
	return outfile_seal(out->file);
}

static void
release(struct pcap_out *out)
{
	if (out->dumper != NULL)
		pcap_dump_close(out->dumper);
	if (out->pcap != NULL)
		pcap_close(out->pcap);
	free(out->path);
	free(out);
}

int
pcap_out_commit(struct pcap_out *out)
{
	struct outfile *file = out->file;

	if (out->dumper != NULL && pcap_out_seal(out) < 0) {
		pcap_out_abort(out);
		return -1;
	}
	release(out);
	return outfile_commit(file);
}

void
pcap_out_abort(struct pcap_out *out)
{
	if (out == NULL)
		return;
	outfile_abort(out->file);
	release(out);
}
