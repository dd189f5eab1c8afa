/* A library for LD_PRELOAD: from the moment when the file named by FAIL_SYNC_IF exists, every sync of a log of changes
   (a file whose name ends in "-wal") fails as on a broken disk. All other syncs work. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fails(int fd)
{
    static const char end[] = "-wal";
    const char *condition = getenv("FAIL_SYNC_IF");
    char link[64], path[4096];
    ssize_t length;

    if (condition == NULL || access(condition, F_OK) != 0)
        return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path);
    return length >= 4 && memcmp(path + length - 4, end, 4) == 0;
}

static int sync_by(long call, int fd)
{
    if (fails(fd)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(call, fd);
}

int fsync(int fd)
{
    return sync_by(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return sync_by(SYS_fdatasync, fd);
}
