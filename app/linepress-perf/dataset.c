/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "dataset.h"
#include "input.h"
#include "message.h"

/* Columns of manifest.tsv that matter. */
#define COLUMN_PATH 0
#define COLUMN_TYPE 1
#define COLUMN_SPLIT 7
#define COLUMNS 8

/* Takes over the bytes. */
static int
add(struct dataset *data, enum lp_type type, enum dataset_split split, uint8_t *bytes, size_t len)
{
	struct tensors *set = &data->set[type][split];
	struct tensor *more = realloc(set->tensor, (set->count + 1) * sizeof(*more));

	if (more == NULL) {
		free(bytes);
		return complain("out of memory");
	}
	set->tensor = more;
	more[set->count++] = (struct tensor){ .bytes = bytes, .len = len };
	return 0;
}

int
dataset_add_file(struct dataset *data, const char *path, enum lp_type type)
{
	size_t len;
	uint8_t *bytes = input_read(path, lp_type_bytes(type), &len);

	if (bytes == NULL)
		return -1;
	const size_t half = len / 2 / ARGS_PACKET_UNIT * ARGS_PACKET_UNIT;
	uint8_t *second = malloc(len - half);

	if (second == NULL) {
		free(bytes);
		return complain("out of memory");
	}
	memcpy(second, bytes + half, len - half);
	if (add(data, type, DATASET_PROFILE, bytes, half) < 0) {
		free(second);
		return -1;
	}
	return add(data, type, DATASET_EVAL, second, len - half);
}

static int
add_corpus_file(struct dataset *data, const char *dir, const char *name, enum lp_type type,
		enum dataset_split split)
{
	char path[PATH_MAX];
	size_t len;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return complain("%s/%s: %s", dir, name, strerror(ENAMETOOLONG));
	uint8_t *bytes = input_read(path, lp_type_bytes(type), &len);

	return bytes == NULL ? -1 : add(data, type, split, bytes, len);
}

/* Types that no codebook knows are passed over: the corpus may hold more than we code. */
static int
add_manifest_line(struct dataset *data, const char *dir, char *line)
{
	char *column[COLUMNS], *rest = line;
	int n = 0;

	while (n < COLUMNS && rest != NULL)
		column[n++] = strsep(&rest, "\t\n");
	if (n < COLUMNS)
		return complain("%s/manifest.tsv: \"%s\": %d columns, expected at least %d", dir,
				line, n, COLUMNS);
	const int type = lp_type_from_name(column[COLUMN_TYPE]);
	const bool profile = strcmp(column[COLUMN_SPLIT], "profile") == 0;

	if (type < 0)
		return 0;
	if (!profile && strcmp(column[COLUMN_SPLIT], "eval") != 0)
		return complain("%s/manifest.tsv: %s: split \"%s\" is unknown, allowed are profile "
				"and eval",
				dir, column[COLUMN_PATH], column[COLUMN_SPLIT]);
	return add_corpus_file(data, dir, column[COLUMN_PATH], (enum lp_type)type,
			profile ? DATASET_PROFILE : DATASET_EVAL);
}

int
dataset_add_corpus(struct dataset *data, const char *dir)
{
	char path[PATH_MAX], *line = NULL;
	size_t room = 0;
	int ret = 0;

	if (snprintf(path, sizeof(path), "%s/manifest.tsv", dir) >= (int)sizeof(path))
		return complain("%s: %s", dir, strerror(ENAMETOOLONG));
	FILE *manifest = fopen(path, "re");

	if (manifest == NULL)
		return complain("%s: %s", path, strerror(errno));
	/* The first line names the columns. */
	if (getline(&line, &room, manifest) < 0)
		ret = complain("%s: empty", path);
	while (ret == 0 && getline(&line, &room, manifest) >= 0)
		ret = add_manifest_line(data, dir, line);
	free(line);
	fclose(manifest);
	return ret;
}

static int
add_named_file(struct dataset *data, const char *dir, const char *name)
{
	char path[PATH_MAX], word[32];
	const size_t len = strcspn(name, "-");

	if (!input_ends_with(name, ".bin") || name[len] == '\0' || len >= sizeof(word))
		return 0;
	memcpy(word, name, len);
	word[len] = '\0';
	const int type = lp_type_from_name(word);

	if (type < 0)
		return 0;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return complain("%s/%s: %s", dir, name, strerror(ENAMETOOLONG));
	return dataset_add_file(data, path, (enum lp_type)type);
}

int
dataset_add_named(struct dataset *data, const char *dir)
{
	struct dirent **entry;
	const int count = scandir(dir, &entry, NULL, alphasort);
	int ret = 0;

	if (count < 0)
		return complain("%s: %s; give --input or --corpus", dir, strerror(errno));
	for (int i = 0; i < count; i++) {
		if (ret == 0)
			ret = add_named_file(data, dir, entry[i]->d_name);
		free(entry[i]);
	}
	free(entry);
	return ret;
}

void
dataset_free(struct dataset *data)
{
	for (int type = 0; type < LP_TYPE_COUNT; type++) {
		for (int split = 0; split < DATASET_SPLITS; split++) {
			struct tensors *set = &data->set[type][split];

			for (size_t i = 0; i < set->count; i++)
				free(set->tensor[i].bytes);
			free(set->tensor);
		}
	}
	memset(data, 0, sizeof(*data));
}

bool
dataset_has(const struct dataset *data, enum lp_type type)
{
	return data->set[type][DATASET_PROFILE].count > 0 &&
			data->set[type][DATASET_EVAL].count > 0;
}

size_t
dataset_shortest(const struct dataset *data, enum lp_type type)
{
	size_t shortest = SIZE_MAX;

	for (int split = 0; split < DATASET_SPLITS; split++) {
		const struct tensors *set = &data->set[type][split];

		for (size_t i = 0; i < set->count; i++)
			if (set->tensor[i].len < shortest)
				shortest = set->tensor[i].len;
	}
	return shortest;
}

int
dataset_cut(const struct dataset *data, enum lp_type type, enum dataset_split split,
		size_t packet_bytes, size_t count, struct packets *packets)
{
	const struct tensors *set = &data->set[type][split];
	const size_t each = (count + set->count - 1) / set->count;

	packets->bytes = malloc(count * packet_bytes);
	if (packets->bytes == NULL)
		return complain("out of memory");
	packets->count = count;
	packets->packet_bytes = packet_bytes;
	packets->type = type;
	for (size_t i = 0; i < count; i++) {
		const struct tensor *tensor = &set->tensor[i % set->count];
		const size_t place = i / set->count;

		const size_t room = (tensor->len - packet_bytes) / ARGS_PACKET_UNIT;
		const size_t off = each < 2 ? 0 : room * place / (each - 1) * ARGS_PACKET_UNIT;

		memcpy(packets->bytes + i * packet_bytes, tensor->bytes + off, packet_bytes);
	}
	return 0;
}
