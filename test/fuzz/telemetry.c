/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

/*
 * Parameters of each telemetry command, through the socket: each question has one answer in JSON,
 * and none but a number in range, where there may be one, is taken for a parameter.
 */

#include <limits.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <jansson.h>
#include <rte_eal.h>

#include "appliance.h"
#include "fuzz.h"
#include "telemetry.h"

#define ANSWER_MAX (16 * 1024 + 1)
#define QUESTION_MAX 1000 /* librte_telemetry reads 1023 bytes at a time */
#define ID_MAX 65535

static const struct {
	const char *name;
	bool takes_id;
} commands[] = {
	{ "info", false },
	{ "stats", false },
	{ "drops", false },
	{ "codebooks", true },
	{ "rules", true },
	{ "latency", false },
	{ "peer", true },
	{ "drift", true },
	{ "lcore", true },
};

static int client;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	static char answer[ANSWER_MAX];

	(void)argc;
	(void)argv;
	FUZZ_CHECK(telemetry_open(fuzz_appliance()) == 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/dpdk_telemetry.v2",
			rte_eal_get_runtime_dir());
	client = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	FUZZ_CHECK(client >= 0);
	FUZZ_CHECK(connect(client, (const struct sockaddr *)&address, sizeof(address)) == 0);
	FUZZ_CHECK(recv(client, answer, sizeof(answer), 0) > 0);
	return 0;
}

/* The rule, written down a second time. */
static bool
is_id(const char *text)
{
	unsigned long value = 0;

	for (const char *p = text; *p != '\0'; p++) {
		if (*p < '0' || *p > '9')
			return false;
		if (value <= ID_MAX)
			value = 10 * value + (unsigned long)(*p - '0');
	}
	return *text != '\0' && value <= ID_MAX;
}

/* Returns the answer, without the name of the command around it. */
static json_t *
ask(const char *question, const char *name)
{
	static char answer[ANSWER_MAX];
	json_error_t error;

	FUZZ_CHECK(send(client, question, strlen(question), 0) == (ssize_t)strlen(question));
	const ssize_t n = recv(client, answer, sizeof(answer), 0);

	FUZZ_CHECK(n > 0);
	json_t *all = json_loadb(answer, (size_t)n, 0, &error);

	FUZZ_CHECK(json_is_object(all) && json_object_size(all) == 1);
	json_t *inner = json_incref(json_object_get(all, name));

	FUZZ_CHECK(inner != NULL);
	json_decref(all);
	return inner;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char question[QUESTION_MAX], name[64], parameter[QUESTION_MAX - sizeof(name)];

	if (size == 0 || size >= sizeof(parameter))
		return 0;
	const size_t k = data[0] % RTE_DIM(commands);

	memcpy(parameter, data + 1, size - 1);
	parameter[size - 1] = '\0';
	snprintf(name, sizeof(name), "/linepress/%s", commands[k].name);
	snprintf(question, sizeof(question), "%s,%s", name, parameter);

	json_t *answer = ask(question, name);

	if (parameter[0] == '\0')
		FUZZ_CHECK(json_is_object(answer) || json_is_array(answer));
	else if (!commands[k].takes_id || !is_id(parameter))
		FUZZ_CHECK(json_is_null(answer));
	else
		FUZZ_CHECK(json_is_null(answer) || json_is_object(answer));
	json_decref(answer);
	return 0;
}
