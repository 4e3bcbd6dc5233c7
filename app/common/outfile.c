/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "outfile.h"

struct outfile {
	FILE *stream;
	char path[PATH_MAX];	       /* final name, symbolic links resolved */
	char temporary[PATH_MAX + 32]; /* empty if written directly */
	mode_t mode;		       /* of the file to be replaced, or 0 */
};

/* A link stays a link: replace what it points to. One that points nowhere is replaced itself. */
static void
choose_names(struct outfile *out, const char *path)
{
	struct stat st;
	const int exists = stat(path, &st) == 0;

	out->mode = exists ? st.st_mode & 0777 : 0;
	if (!exists || realpath(path, out->path) == NULL)
		snprintf(out->path, sizeof(out->path), "%s", path);
	if (exists && !S_ISREG(st.st_mode))
		return;
	snprintf(out->temporary, sizeof(out->temporary), "%s.%d.tmp", out->path, (int)getpid());
}

struct outfile *
outfile_open(const char *path)
{
	struct outfile *out = calloc(1, sizeof(*out));
	int fd;

	if (out == NULL || strlen(path) >= sizeof(out->path)) {
		complain("%s: %s", path, strerror(out == NULL ? ENOMEM : ENAMETOOLONG));
		free(out);
		return NULL;
	}
	choose_names(out, path);
	if (out->temporary[0] != '\0')
		fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	else
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && out->mode != 0 && out->temporary[0] != '\0' && fchmod(fd, out->mode) < 0) {
		close(fd);
		unlink(out->temporary);
		fd = -1;
	}
	out->stream = fd < 0 ? NULL : fdopen(fd, "wb");
	if (out->stream == NULL) {
		complain("%s: cannot be written: %s", path, strerror(errno));
		free(out);
		return NULL;
	}
	return out;
}

FILE *
outfile_stream(struct outfile *out)
{
	return out->stream;
}

int
outfile_seal(struct outfile *out)
{
	/* An earlier write may have failed without anybody looking, so errno may be stale. */
	const int failed_before = ferror(out->stream);
	int failed = fflush(out->stream) != 0 ? errno : 0;

	if (failed == 0 && failed_before)
		failed = EIO;
	if (fclose(out->stream) != 0 && failed == 0)
		failed = errno;
	out->stream = NULL;
	if (failed != 0)
		return complain("%s: cannot be written: %s", out->path, strerror(failed));
	return 0;
}

int
outfile_commit(struct outfile *out)
{
	int ret = out->stream != NULL ? outfile_seal(out) : 0;

	if (ret == 0 && out->temporary[0] != '\0' && rename(out->temporary, out->path) != 0)
		ret = complain("%s: cannot be written: %s", out->path, strerror(errno));
	if (ret == 0)
		out->temporary[0] = '\0';
	outfile_abort(out);
	return ret;
}

void
outfile_abort(struct outfile *out)
{
	if (out == NULL)
		return;
	if (out->stream != NULL)
		fclose(out->stream);
	if (out->temporary[0] != '\0')
		unlink(out->temporary);
	free(out);
}
