/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <rte_byteorder.h>

#include "key_file.h"

#define KEY_DIGITS 32
#define KEY_FILE_MAX 64 /* digits and white space after them, in bytes */

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool
key_parse(const char *text, size_t len, struct lp_key *key)
{
	uint8_t bytes[KEY_DIGITS / 2];

	while (len > 0 && isspace((unsigned char)text[len - 1]))
		len--;
	if (len != KEY_DIGITS)
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		const int high = hex_digit(text[2 * i]);
		const int low = hex_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	memcpy(key->k, bytes, sizeof(bytes));
	key->k[0] = rte_le_to_cpu_64(key->k[0]);
	key->k[1] = rte_le_to_cpu_64(key->k[1]);
	explicit_bzero(bytes, sizeof(bytes));
	return true;
}

static int
refuse(char *error, int cause, const char *text)
{
	snprintf(error, KEY_FILE_ERROR_MAX, "%s", text);
	return -cause;
}

static int
check_access(int fd, char *error)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return refuse(error, errno, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return refuse(error, EINVAL, "not a regular file");
	if ((st.st_mode & (S_IRWXG | S_IRWXO)) == 0)
		return 0;
	snprintf(error, KEY_FILE_ERROR_MAX,
			"mode %04o gives access to group or others: must be 0600 or 0400",
			(unsigned int)(st.st_mode & 07777));
	return -EACCES;
}

int
key_file_read(const char *path, struct lp_key *key, char *error)
{
	char text[KEY_FILE_MAX + 1];
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return refuse(error, errno, strerror(errno));
	int ret = check_access(fd, error);

	if (ret == 0) {
		const ssize_t len = read(fd, text, sizeof(text));

		if (len < 0)
			ret = refuse(error, errno, strerror(errno));
		else if (len > KEY_FILE_MAX || !key_parse(text, (size_t)len, key))
			ret = refuse(error, EINVAL, "must hold exactly 32 hexadecimal digits");
		explicit_bzero(text, sizeof(text));
	}
	close(fd);
	return ret;
}
