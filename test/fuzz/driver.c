/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Runs a fuzz target without libFuzzer: first on each file of a corpus, then on changed copies of
 * them, the same ones for the same seed. The options are those that libFuzzer has.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"

#define INPUT_MAX 65536
#define FILES_MAX 1024
#define CHANGES_MAX 6

struct input {
	size_t size;
	uint8_t *data;
};

static struct input corpus[FILES_MAX];
static unsigned int files;

static uint8_t scratch[INPUT_MAX];
static struct input current;
static uint64_t rng_state = 1, runs = 0, executed;

/* Random numbers: splitmix64. */

static uint64_t
any(void)
{
	uint64_t z = rng_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* A number below. */
static size_t
below(size_t limit)
{
	return limit == 0 ? 0 : (size_t)(any() % limit);
}

/* The input that ended the program. */

static void
keep_input(int signal_number)
{
	static const char kept[] = "input kept in ./crash-input\n";
	const int fd = open("crash-input", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	/* Should it fail, the seed is still there to find the input with. */
	if (fd >= 0 && write(fd, current.data, current.size) == (ssize_t)current.size &&
			write(STDERR_FILENO, kept, sizeof(kept) - 1) < 0)
		_exit(EXIT_FAILURE);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void
run(const struct input *input)
{
	current = *input;
	executed++;
	LLVMFuzzerTestOneInput(input->data, input->size);
}

/* Corpus. */

static void
corpus_add(const char *path)
{
	FILE *f = fopen(path, "rbe");

	if (f == NULL || files == FILES_MAX) {
		fprintf(stderr, "%s: %s\n", path, f == NULL ? strerror(errno) : "too many files");
		exit(EXIT_FAILURE);
	}
	corpus[files].size = fread(scratch, 1, sizeof(scratch), f);
	corpus[files].data = malloc(corpus[files].size + 1);
	if (corpus[files].data == NULL)
		abort();
	memcpy(corpus[files].data, scratch, corpus[files].size);
	files++;
	fclose(f);
}

/* In the order of names: the same on all file systems. */
static void
corpus_add_all(const char *path)
{
	struct dirent **entries;
	struct stat st;

	if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
		corpus_add(path);
		return;
	}
	const int n = scandir(path, &entries, NULL, alphasort);

	if (n < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		exit(EXIT_FAILURE);
	}
	for (int k = 0; k < n; k++) {
		char *file;

		if (entries[k]->d_name[0] != '.') {
			if (asprintf(&file, "%s/%s", path, entries[k]->d_name) < 0)
				abort();
			corpus_add(file);
			free(file);
		}
		free(entries[k]);
	}
	free(entries);
}

/* Changes. */

static void
insert(struct input *in, size_t at, const uint8_t *bytes, size_t n)
{
	if (n > INPUT_MAX - in->size)
		n = INPUT_MAX - in->size;
	memmove(in->data + at + n, in->data + at, in->size - at);
	memcpy(in->data + at, bytes, n);
	in->size += n;
}

static void
insert_part_of(struct input *in, const struct input *from)
{
	uint8_t part[256];
	const size_t start = below(from->size);
	size_t n = 1 + below(sizeof(part));

	if (n > from->size - start)
		n = from->size - start;
	memcpy(part, from->data + start, n);
	insert(in, below(in->size + 1), part, n);
}

static void
remove_part(struct input *in)
{
	const size_t at = below(in->size);
	const size_t n = 1 + below(any() % 2 ? 4 : in->size - at);

	if (n > in->size - at)
		return;
	memmove(in->data + at, in->data + at + n, in->size - at - n);
	in->size -= n;
}

static void
overwrite(struct input *in, const struct input *from)
{
	const size_t at = below(in->size), start = below(from->size);
	size_t n = 1 + below(64);

	if (n > in->size - at)
		n = in->size - at;
	if (n > from->size - start)
		n = from->size - start;
	memmove(in->data + at, from->data + start, n);
}

static void
change(struct input *in)
{
	static const uint8_t edge[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', ' ', '0', '9' };
	const struct input *other = &corpus[below(files)];
	const size_t at = below(any() % 4 ? in->size : in->size < 64 ? in->size : 64);
	uint8_t bytes[8];

	switch (in->size == 0 ? 6 : any() % 9) {
	case 0:
	case 1:
		in->data[at] ^= (uint8_t)(1u << below(8));
		break;
	case 2:
		in->data[at] = (uint8_t)any();
		break;
	case 3:
		in->data[at] = edge[below(sizeof(edge))];
		break;
	case 4:
		in->data[at] = (uint8_t)(in->data[at] + 1 - 2 * below(2));
		break;
	case 5:
		remove_part(in);
		break;
	case 6:
		for (size_t k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)any();
		insert(in, below(in->size + 1), bytes, 1 + below(sizeof(bytes)));
		break;
	case 7:
		insert_part_of(in, other);
		break;
	default:
		overwrite(in, other);
	}
}

static void
run_changed(void)
{
	const struct input *from = &corpus[below(files)];
	struct input in = { from->size, scratch };

	memcpy(scratch, from->data, from->size);
	for (size_t n = 1 + below(CHANGES_MAX); n > 0; n--)
		change(&in);
	run(&in);
}

/* The number of an option such as -runs=N; false if it is another. */
static bool
take_number(const char *arg, const char *name, uint64_t *number)
{
	const size_t len = strlen(name);
	char *end;

	if (strncmp(arg, name, len) != 0)
		return false;
	errno = 0;
	*number = strtoull(arg + len, &end, 10);
	if (errno == 0 && end != arg + len && *end == '\0')
		return true;
	fprintf(stderr, "%s: must be a number\n", arg);
	exit(EXIT_FAILURE);
}

int
main(int argc, char **argv)
{
	const int fatal[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
	struct timespec start, end;

	LLVMFuzzerInitialize(&argc, &argv);
	for (int k = 1; k < argc; k++)
		if (!take_number(argv[k], "-runs=", &runs) &&
				!take_number(argv[k], "-seed=", &rng_state))
			corpus_add_all(argv[k]);
	if (files == 0) {
		fprintf(stderr, "usage: %s [-runs=N] [-seed=N] CORPUS...\n", argv[0]);
		return EXIT_FAILURE;
	}
	for (size_t k = 0; k < sizeof(fatal) / sizeof(fatal[0]); k++)
		signal(fatal[k], keep_input);
	fprintf(stderr, "seed %" PRIu64 "\n", rng_state);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (unsigned int k = 0; k < files; k++)
		run(&corpus[k]);
	while (executed < runs)
		run_changed();
	clock_gettime(CLOCK_MONOTONIC, &end);
	fprintf(stderr, "%" PRIu64 " executions, %u files, %.1f s\n", executed, files,
			(double)(end.tv_sec - start.tv_sec) +
					(double)(end.tv_nsec - start.tv_nsec) / 1e9);
	for (unsigned int k = 0; k < files; k++)
		free(corpus[k].data);
	return EXIT_SUCCESS;
}
