/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the linepress authors
 */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "child_cpu.h"
#include "measure.h"
#include "message.h"

#define LOOK_MS 10	 /* between two looks at a program */
#define CPU_LOOK_S 0.05	 /* between two looks at its CPU time */
#define END_TIMEOUT_S 5	 /* from SIGINT to SIGKILL */
#define CANNOT_EXEC 127	 /* as the shell has it */
#define OUTPUT_MAX 65536 /* what is searched for a text */

/* ---- arguments ---- */

void
child_command_add(struct child_command *command, const char *format, ...)
{
	va_list ap;

	if (command->failed || command->count == CHILD_ARGS_MAX) {
		command->failed = true;
		return;
	}
	va_start(ap, format);
	command->failed = vasprintf(&command->arg[command->count], format, ap) < 0;
	va_end(ap);
	if (command->failed)
		command->arg[command->count] = NULL;
	else
		command->count++;
}

void
child_command_free(struct child_command *command)
{
	for (int i = 0; i < command->count; i++)
		free(command->arg[i]);
	memset(command, 0, sizeof(*command));
}

/* ---- finding ---- */

static bool
is_program(char path[PATH_MAX], const char *dir, size_t dir_len, const char *name)
{
	const int len = snprintf(path, PATH_MAX, "%.*s/%s", (int)dir_len, dir, name);

	return len < PATH_MAX && access(path, X_OK) == 0;
}

static bool
find_beside(const char *name, char path[PATH_MAX])
{
	static const char here[] = "/linepress-perf"; /* directory of this program when built */
	char program[PATH_MAX], of_build[PATH_MAX];
	const ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (len < 0)
		return false;
	program[len] = '\0';
	size_t dir_len = (size_t)(strrchr(program, '/') - program);

	if (is_program(path, program, dir_len, name))
		return true;
	if (dir_len < strlen(here) ||
			strncmp(program + dir_len - strlen(here), here, strlen(here)) != 0)
		return false;
	snprintf(of_build, sizeof(of_build), "%s/%s", name, name);
	return is_program(path, program, dir_len - strlen(here), of_build);
}

bool
child_find(const char *name, char path[PATH_MAX])
{
	const char *dir = getenv("PATH");

	if (find_beside(name, path))
		return true;
	while (dir != NULL && *dir != '\0') {
		const size_t len = strcspn(dir, ":");

		if (len > 0 && is_program(path, dir, len, name))
			return true;
		dir += len + (dir[len] == ':');
	}
	return false;
}

/* ---- running ---- */

/* In the new process. It must not outlive us, nor inherit how we treat signals. */
static void
become(const struct child *child, const struct child_command *command, const char *dir, int input,
		pid_t parent)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
	const int output = open(child->output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	const int errors = open(child->errors, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], SIG_DFL);
	if (output < 0 || errors < 0 || input < 0 || dup2(input, STDIN_FILENO) < 0 ||
			dup2(output, STDOUT_FILENO) < 0 || dup2(errors, STDERR_FILENO) < 0 ||
			prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ||
			setenv("RUNTIME_DIRECTORY", dir, 1) < 0)
		_exit(CANNOT_EXEC);
	execv(command->arg[0], command->arg);
	dprintf(STDERR_FILENO, "%s\n", strerror(errno));
	_exit(CANNOT_EXEC);
}

int
child_start(struct child *child, const struct child_command *command, const char *dir,
		bool has_input)
{
	const pid_t parent = getpid();
	int ends[2] = { -1, -1 };

	if (command->failed)
		return complain("out of memory for the arguments of a program");
	const char *slash = strrchr(command->arg[0], '/');

	child->name = slash != NULL ? slash + 1 : command->arg[0];
	snprintf(child->output, sizeof(child->output), "%s/output", dir);
	snprintf(child->errors, sizeof(child->errors), "%s/errors", dir);
	if (has_input && pipe2(ends, O_CLOEXEC) < 0)
		return complain("%s: %s", child->name, strerror(errno));
	if (!has_input)
		ends[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	fflush(NULL);
	child->pid = fork();
	if (child->pid == 0)
		become(child, command, dir, ends[0], parent);
	if (child->pid < 0)
		complain("%s: %s", child->name, strerror(errno));
	if (ends[0] >= 0)
		close(ends[0]);
	child->input = ends[1];
	if (child->pid > 0)
		return 0;
	child->pid = 0;
	return -1;
}

int
child_say(const struct child *child, const char *line)
{
	const size_t len = strlen(line);

	if (write(child->input, line, len) == (ssize_t)len)
		return 0;
	return complain("%s: takes no command: %s", child->name, strerror(errno));
}

/* The last line that says something, without its end. */
static void
last_error(const struct child *child, char *text, size_t room)
{
	FILE *f = fopen(child->errors, "re");
	char line[1024];

	text[0] = '\0';
	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] != '\0')
			snprintf(text, room, "%s", line);
	}
	if (f != NULL)
		fclose(f);
}

static int
judge(const struct child *child, int status)
{
	char text[1024];

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (*child->stop)
		return complain("interrupted");
	last_error(child, text, sizeof(text));
	if (WIFSIGNALED(status))
		return complain("%s was killed by signal %d: %s", child->name, WTERMSIG(status),
				text);
	return complain("%s ended with status %d: %s", child->name, WEXITSTATUS(status), text);
}

/* Takes notice of its end; true if it has ended. */
static bool
has_ended(struct child *child, int *status)
{
	pid_t pid;

	do
		pid = waitpid(child->pid, status, WNOHANG);
	while (pid < 0 && errno == EINTR);
	if (pid == 0)
		return false;
	child->pid = 0;
	return true;
}

static void
pause_ms(int ms)
{
	const struct timespec pause = { .tv_nsec = ms * 1000000L };

	nanosleep(&pause, NULL); /* cut short by a signal */
}

/* 0: the time is over; 1: it has ended well; -1: it has not, or we are to end. */
static int
watch(struct child *child, double seconds)
{
	const double end = measure_now() + seconds;
	double looked = 0;
	int status;

	do {
		if (has_ended(child, &status))
			return judge(child, status) == 0 ? 1 : -1;
		if (*child->stop)
			return complain("interrupted");
		const double now = measure_now();

		if (now - looked >= CPU_LOOK_S) {
			child->cpu_share = child_cpu_share(child->pid, child->cpu_share);
			looked = now;
		}
		pause_ms(LOOK_MS);
	} while (measure_now() < end);
	return 0;
}

int
child_run_for(struct child *child, double seconds)
{
	const int ret = watch(child, seconds);

	return ret > 0 ? complain("%s ended too early", child->name) : ret;
}

static int
count_text(const struct child *child, const char *text)
{
	static char output[OUTPUT_MAX];
	FILE *f = fopen(child->output, "re");
	int count = 0;

	if (f == NULL)
		return 0;
	output[fread(output, 1, sizeof(output) - 1, f)] = '\0';
	fclose(f);
	for (const char *p = output; (p = strstr(p, text)) != NULL; p += strlen(text))
		count++;
	return count;
}

int
child_run_until(struct child *child, const char *text, int times, double timeout)
{
	const double end = measure_now() + timeout;

	while (count_text(child, text) < times) {
		if (measure_now() > end)
			return complain("%s: no answer in %.0f s", child->name, timeout);
		if (child_run_for(child, 0) < 0)
			return -1;
	}
	return 0;
}

int
child_wait(struct child *child, double timeout)
{
	const int ret = watch(child, timeout);

	if (ret == 0)
		complain("%s: has not ended after %.0f s", child->name, timeout);
	child_end(child);
	return ret > 0 ? 0 : -1;
}

void
child_end(struct child *child)
{
	const double end = measure_now() + END_TIMEOUT_S;
	int status;

	if (child->input >= 0)
		close(child->input);
	child->input = -1;
	if (child->pid == 0)
		return;
	kill(child->pid, SIGINT);
	while (!has_ended(child, &status)) {
		if (measure_now() > end)
			kill(child->pid, SIGKILL);
		pause_ms(LOOK_MS);
	}
}
