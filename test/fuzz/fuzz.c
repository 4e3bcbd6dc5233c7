/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "eal.h"
#include "fuzz.h"

const struct lp_key fuzz_key = { { 0x0706050403020100, 0x0f0e0d0c0b0a0908 } };

static void
need(bool condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(EXIT_FAILURE);
}

struct fuzz_edge
fuzz_edge_map(size_t len)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t inside = (len + page - 1) / page * page;
	uint8_t *p = mmap(NULL, inside + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	need(p != MAP_FAILED && mprotect(p + inside, page, PROT_NONE) == 0, "guarded memory");
	return (struct fuzz_edge){ p + inside };
}

uint8_t *
fuzz_edge_put(const struct fuzz_edge *edge, const void *bytes, size_t len)
{
	uint8_t *p = edge->end - len;

	if (len > 0)
		memcpy(p, bytes, len);
	return p;
}

const char *
fuzz_file(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		need(fd >= 0 && fchmod(fd, 0600) == 0, "file in memory");
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	need(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size, path);
	return path;
}

static bool
is_type(const uint8_t *p, uint16_t type)
{
	return (p[0] << 8 | p[1]) == type;
}

void
fuzz_fix_ip_cksum(uint8_t *frame, size_t len)
{
	size_t off = 12;
	uint32_t sum = 0;

	while (off + 6 < len && (is_type(frame + off, 0x8100) || is_type(frame + off, 0x88a8)))
		off += 4;
	if (off + 22 > len || !is_type(frame + off, 0x0800))
		return;
	uint8_t *const ip = frame + off + 2;

	ip[10] = ip[11] = 0;
	for (unsigned int k = 0; k < 20; k += 2)
		sum += (uint32_t)ip[k] << 8 | ip[k + 1];
	sum = (sum & 0xffff) + (sum >> 16);
	sum = ~(sum + (sum >> 16)) & 0xffff;
	ip[10] = (uint8_t)(sum >> 8);
	ip[11] = (uint8_t)sum;
}

void
fuzz_eal_start(void)
{
	char name[] = "fuzz";
	char *argv[] = { name, NULL };

	if (eal_start(1, argv) < 0)
		exit(EXIT_FAILURE);
	atexit(eal_stop);
}

struct lp_bookset *
fuzz_books(void)
{
	struct lp_error error = { 0 };
	struct lp_bookset *books = lp_bookset_load(LP_CODEBOOK_DIR, &error);

	if (books == NULL) {
		fprintf(stderr, "%s\n", error.text);
		exit(EXIT_FAILURE);
	}
	return books;
}
