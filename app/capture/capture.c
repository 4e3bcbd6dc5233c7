/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pcap/pcap.h>

#include "capture.h"

#define ARENA_START_BYTES (1 << 20)
#define INDEX_START_FRAMES 1024
#define MIB (1024 * 1024)

/* A capture being read. */
struct loader {
	pcap_t *pcap;
	struct capture *cap;
	size_t arena_bytes;  /* allocated */
	size_t index_frames; /* allocated */
	uint64_t number;     /* of the frame being read */
	bool skip_truncated;
	struct capture_error *error;
};

static int
refuse(struct capture_error *error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(error->text, sizeof(error->text), format, ap);
	va_end(ap);
	return -1;
}

/* Memory that can be had without swapping; "unlimited" if the kernel does not tell. */
static uint64_t
memory_available(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	uint64_t kib = UINT64_MAX / 1024;
	char line[128];

	if (f == NULL)
		return UINT64_MAX;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) == 1)
			break;
	fclose(f);
	return kib * 1024;
}

/*
 * Linux grants memory it does not have and kills the process later, so a large request is
 * compared with what is there.
 */
static void *
grow(void *mem, size_t bytes, struct capture_error *error)
{
	const uint64_t available = bytes < ARENA_START_BYTES * 16 ? UINT64_MAX : memory_available();
	void *more = bytes > available ? NULL : realloc(mem, bytes);

	if (more != NULL)
		return more;
	if (bytes > available)
		refuse(error,
				"needs %zu MiB of memory at once, %" PRIu64 " MiB are available; "
				"split the capture",
				bytes / MIB, available / MIB);
	else
		refuse(error,
				"needs %zu MiB of memory at once, which were not granted; "
				"split the capture",
				bytes / MIB);
	return NULL;
}

static int
reserve(struct loader *ld, size_t len)
{
	const size_t need = ld->cap->bytes + len;
	size_t want;
	void *mem;

	if (need > ld->arena_bytes) {
		want = ld->arena_bytes * 2 > need ? ld->arena_bytes * 2 : need;
		mem = grow(ld->cap->arena, want, ld->error);
		if (mem == NULL)
			return -1;
		ld->cap->arena = mem;
		ld->arena_bytes = want;
	}
	if (ld->cap->count == ld->index_frames) {
		want = ld->index_frames * 2;
		mem = grow(ld->cap->frames, want * sizeof(*ld->cap->frames), ld->error);
		if (mem == NULL)
			return -1;
		ld->cap->frames = mem;
		ld->index_frames = want;
	}
	return 0;
}

/* Reserve what a file of this size can hold, so that the arena is seldom copied. */
static int
reserve_first(struct loader *ld, FILE *file)
{
	struct stat st;

	ld->arena_bytes = ARENA_START_BYTES;
	if (fstat(fileno(file), &st) == 0 && S_ISREG(st.st_mode) && st.st_size > ARENA_START_BYTES)
		ld->arena_bytes = st.st_size;
	ld->index_frames = INDEX_START_FRAMES;
	ld->cap->arena = grow(NULL, ld->arena_bytes, ld->error);
	if (ld->cap->arena == NULL)
		return -1;
	ld->cap->frames = grow(NULL, ld->index_frames * sizeof(*ld->cap->frames), ld->error);
	return ld->cap->frames == NULL ? -1 : 0;
}

static int
store(struct loader *ld, const struct pcap_pkthdr *hdr, const u_char *data)
{
	struct capture *cap = ld->cap;

	if (reserve(ld, hdr->caplen) < 0)
		return -1;
	cap->frames[cap->count++] = (struct capture_frame){
		.offset = cap->bytes,
		.number = ld->number,
		.sec = hdr->ts.tv_sec,
		.nsec = hdr->ts.tv_usec, /* the file was opened for nanoseconds */
		.len = hdr->caplen,
	};
	memcpy(cap->arena + cap->bytes, data, hdr->caplen);
	cap->bytes += hdr->caplen;
	if (hdr->caplen > cap->longest)
		cap->longest = hdr->caplen;
	return 0;
}

static int
take(struct loader *ld, const struct pcap_pkthdr *hdr, const u_char *data)
{
	if (hdr->caplen > hdr->len)
		return refuse(ld->error,
				"frame %" PRIu64 ": has %u bytes in the file, "
				"more than its length of %u",
				ld->number, hdr->caplen, hdr->len);
	if (hdr->caplen < hdr->len && ld->skip_truncated) {
		ld->cap->skipped++;
		return 0;
	}
	if (hdr->caplen < hdr->len)
		return refuse(ld->error,
				"frame %" PRIu64 ": truncated, only %u of its %u bytes "
				"were captured (linepress-replay --skip-truncated leaves "
				"such frames out)",
				ld->number, hdr->caplen, hdr->len);
	if (hdr->len > CAPTURE_FRAME_MAX)
		return refuse(ld->error,
				"frame %" PRIu64 ": %u bytes, more than the %u that a "
				"frame can have",
				ld->number, hdr->len, CAPTURE_FRAME_MAX);
	return store(ld, hdr, data);
}

static int
read_frames(struct loader *ld)
{
	struct pcap_pkthdr *hdr;
	const u_char *data;
	int ret;

	for (ld->number = 1; (ret = pcap_next_ex(ld->pcap, &hdr, &data)) == 1; ld->number++)
		if (take(ld, hdr, data) < 0)
			return -1;
	if (ret != PCAP_ERROR_BREAK) /* which stands for the end of the file */
		return refuse(ld->error, "frame %" PRIu64 ": %s", ld->number,
				pcap_geterr(ld->pcap));
	if (ld->cap->count == 0 && ld->cap->skipped > 0)
		return refuse(ld->error, "has no whole frame, all %zu are truncated",
				ld->cap->skipped);
	if (ld->cap->count == 0)
		return refuse(ld->error, "has no frames");
	return 0;
}

static int
check_link_type(pcap_t *pcap, struct capture_error *error)
{
	const int link = pcap_datalink(pcap);
	const char *name = pcap_datalink_val_to_name(link);

	if (link == DLT_EN10MB)
		return 0;
	return refuse(error, "link type is %s (%d), only Ethernet (EN10MB) is accepted",
			name == NULL ? "unknown" : name, link);
}

/* pcap_open_offline() starts some messages with the path and some not: open it here. */
static pcap_t *
open_file(const char *path, FILE **file, struct capture_error *error)
{
	char text[PCAP_ERRBUF_SIZE];
	pcap_t *pcap;

	*file = fopen(path, "rb");
	if (*file == NULL) {
		refuse(error, "%s", strerror(errno));
		return NULL;
	}
	pcap = pcap_fopen_offline_with_tstamp_precision(*file, PCAP_TSTAMP_PRECISION_NANO, text);
	if (pcap == NULL) {
		refuse(error, "%s", text);
		fclose(*file);
	}
	return pcap;
}

struct capture *
capture_load(const char *path, bool skip_truncated, struct capture_error *error)
{
	struct loader ld = { .skip_truncated = skip_truncated, .error = error };
	FILE *file;

	ld.pcap = open_file(path, &file, error);
	if (ld.pcap == NULL)
		return NULL;
	ld.cap = calloc(1, sizeof(*ld.cap));
	if (ld.cap == NULL)
		refuse(error, "out of memory");
	if (ld.cap == NULL || check_link_type(ld.pcap, error) < 0 || reserve_first(&ld, file) < 0 ||
			read_frames(&ld) < 0) {
		capture_free(ld.cap);
		ld.cap = NULL;
	}
	pcap_close(ld.pcap);
	return ld.cap;
}

void
capture_free(struct capture *cap)
{
	if (cap == NULL)
		return;
	free(cap->arena);
	free(cap->frames);
	free(cap);
}
