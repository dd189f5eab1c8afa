/* A library for LD_PRELOAD: a disk that fails, and that loses what was not synced when the power is cut.

   FAIL_SYNC_IF    the syncs fail while this file exists
   FAIL_SYNC_OF    those of files whose names end so; by default "-wal"
   FAIL_SYNC_BY    those of the threads of this name; by default all
   FAIL_SYNC_ONCE  if set, the first one that fails removes the file
   LIE_IF          while this file exists, syncs do nothing and succeed
   FULL_IF         while this file exists, the disk has no space for a longer tidebin.db, and none for the ballast
   NO_REWRITE_IF   while this file exists, it has none for other bytes in the log either, as where each write is a copy
   DISK            a folder that gets what the disk has of tidebin.db and its log: the ranges that were written, once a
                   sync of the file has succeeded. A sync that fails forgets them, as Linux marks the pages as written.
                   NAME.dirty has those of a file, so that another process goes on with them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

struct range {
    off_t from;
    size_t length;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int exists(const char *variable)
{
    const char *path = getenv(variable);
    return path != NULL && access(path, F_OK) == 0;
}

static int ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length >= tail && strcmp(path + length - tail, end) == 0;
}

/* Writes the path of an open file, and returns whether there is one. */
static int path_of(int fd, char path[4096])
{
    char link[64];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, 4095);
    path[length < 0 ? 0 : length] = 0;
    return length > 0;
}

/* Opens the file of the disk with the name of this path and this end. Returns -1 if the disk does not have it. */
static int on_disk(const char *path, const char *end, int flags)
{
    char copy[8192];
    const char *disk = getenv("DISK"), *name = strrchr(path, '/');

    if (disk == NULL || name == NULL || !(ends_with(path, "/tidebin.db") || ends_with(path, "/tidebin.db-wal")))
        return -1;
    snprintf(copy, sizeof copy, "%s%s%s", disk, name, end);
    return open(copy, flags | O_CREAT, 0600);
}

static void note_write(int fd, off_t from, size_t length)
{
    char path[4096];
    struct range range = {from, length};
    int dirty = path_of(fd, path) ? on_disk(path, ".dirty", O_WRONLY | O_APPEND) : -1;

    if (dirty < 0)
        return;
    if (write(dirty, &range, sizeof range) != sizeof range)
        abort();
    close(dirty);
}

/* Forgets the ranges that were written. If they reach the disk, they are copied to it first. */
static void clean(int fd, const char *path, int reaches_disk)
{
    static char bytes[1 << 16];
    struct range range;
    struct stat file;
    int dirty = on_disk(path, ".dirty", O_RDWR), disk = on_disk(path, "", O_WRONLY);

    if (dirty < 0 || disk < 0)
        return;
    while (reaches_disk && read(dirty, &range, sizeof range) == sizeof range) {
        while (range.length > 0) {
            size_t most = range.length < sizeof bytes ? range.length : sizeof bytes;
            ssize_t count = pread(fd, bytes, most, range.from);
            if (count <= 0)
                break; /* the file was truncated since */
            if (syscall(SYS_pwrite64, disk, bytes, count, range.from) != count)
                abort();
            range.from += count;
            range.length -= count;
        }
    }
    if (reaches_disk && (fstat(fd, &file) != 0 || syscall(SYS_ftruncate, disk, file.st_size) != 0))
        abort();
    if (syscall(SYS_ftruncate, dirty, (off_t)0) != 0)
        abort();
    close(dirty);
    close(disk);
}

static int fails(const char *path)
{
    const char *end = getenv("FAIL_SYNC_OF"), *thread = getenv("FAIL_SYNC_BY");
    char name[16] = "";

    prctl(PR_GET_NAME, name);
    if (!ends_with(path, end ? end : "-wal") || (thread && strcmp(thread, name) != 0))
        return 0;
    if (getenv("FAIL_SYNC_ONCE"))
        return getenv("FAIL_SYNC_IF") && unlink(getenv("FAIL_SYNC_IF")) == 0;
    return exists("FAIL_SYNC_IF");
}

static int sync_by(long call, int fd)
{
    char path[4096];
    int result = 0, is_failure, is_lie;

    if (!path_of(fd, path))
        return (int)syscall(call, fd);
    pthread_mutex_lock(&lock);
    is_failure = fails(path);
    is_lie = exists("LIE_IF");
    if (!is_failure && !is_lie)
        result = (int)syscall(call, fd);
    clean(fd, path, !is_failure && !is_lie);
    pthread_mutex_unlock(&lock);
    if (is_failure) {
        errno = EIO;
        return -1;
    }
    return result;
}

int fsync(int fd)
{
    return sync_by(SYS_fsync, fd);
}

int fdatasync(int fd)
{
    return sync_by(SYS_fdatasync, fd);
}

/* Returns whether a write of this length at this place has no space. */
static int has_no_space(int fd, size_t length, off_t from)
{
    char path[4096];
    struct stat file;

    if (!path_of(fd, path) || fstat(fd, &file) != 0)
        return 0;
    if (ends_with(path, "/tidebin.db-wal"))
        return from < file.st_size && exists("NO_REWRITE_IF");
    if (ends_with(path, "/tidebin.db"))
        return from + (off_t)length > file.st_size && exists("FULL_IF");
    return (ends_with(path, "/ballast") || ends_with(path, "/ballast.probe")) && exists("FULL_IF");
}

ssize_t write(int fd, const void *bytes, size_t length)
{
    if (has_no_space(fd, length, 0)) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_write, fd, bytes, length);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t from)
{
    ssize_t written;

    if (has_no_space(fd, length, from)) {
        errno = ENOSPC;
        return -1;
    }
    pthread_mutex_lock(&lock);
    note_write(fd, from, length);
    written = syscall(SYS_pwrite64, fd, bytes, length, from);
    pthread_mutex_unlock(&lock);
    return written;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t from)
{
    return pwrite64(fd, bytes, length, from);
}

/* A file that is removed is gone from the disk too. */
int unlink(const char *path)
{
    const char *disk = getenv("DISK"), *name = strrchr(path, '/');
    char copy[8192];

    if (disk != NULL && name != NULL && ends_with(path, "/tidebin.db-wal")) {
        snprintf(copy, sizeof copy, "%s%s", disk, name);
        syscall(SYS_unlinkat, AT_FDCWD, copy, 0);
        strcat(copy, ".dirty");
        syscall(SYS_unlinkat, AT_FDCWD, copy, 0);
    }
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
