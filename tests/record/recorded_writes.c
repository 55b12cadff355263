/* Preloaded into a process, it notes what the process does to files in one folder, and can break one write.
 *
 * NOTED_IN is the folder, NOTES the file of the notes. A note is one letter, the name of the file below the folder ("" for
 * the folder itself), a place and data: w writes, t cuts, s syncs, c creates, m makes a folder, u removes.
 * BREAK is what happens to the BREAK_AT-th write: "eio" (it fails), "short" (half of it is written, then the disk is full
 * for a moment), "full" (this write and all later ones fail, for the disk is full), "sync" (the next fsync fails).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

static int notes = -2, count = 0, full = 0, unsynced = 0;
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);

/* The name below the watched folder; 0 for all else. */
static const char *below(const char *path) {
    const char *folder = getenv("NOTED_IN");
    size_t length = folder ? strlen(folder) : 0;
    if (!folder || strncmp(path, folder, length) || strstr(path, "-shm")) return 0;
    return path[length] == '/' ? path + length + 1 : path[length] ? 0 : path + length;
}

static const char *watched(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, 4095);
    if (size <= 0) return 0;
    path[size] = 0;
    return below(path);
}

static void note(char kind, const char *name, uint64_t offset, const void *data, uint32_t size) {
    uint32_t length = strlen(name);
    if (notes == -2)
        notes = REAL("open64", int (*)(const char *, int, ...))(getenv("NOTES"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    struct iovec parts[] = {{&kind, 1}, {&length, 4}, {(void *)name, length}, {&offset, 8}, {&size, 4}, {(void *)data, size}};
    writev(notes, parts, 6);  /* one call, so that notes of several threads do not mix */
}

static int open_as(const char *call, const char *path, int flags, mode_t mode) {
    const char *name = below(path);
    int there = name && access(path, F_OK) == 0;
    int fd = REAL(call, int (*)(const char *, int, ...))(path, flags, mode);
    if (name && !there && fd >= 0 && (flags & O_CREAT)) note('c', name, 0, "", 0);
    return fd;
}
static mode_t mode_of(int flags, va_list more) { return flags & O_CREAT ? va_arg(more, mode_t) : 0; }
int open(const char *path, int flags, ...) {
    va_list more; va_start(more, flags); mode_t mode = mode_of(flags, more); va_end(more);
    return open_as("open", path, flags, mode);
}
int open64(const char *path, int flags, ...) {
    va_list more; va_start(more, flags); mode_t mode = mode_of(flags, more); va_end(more);
    return open_as("open64", path, flags, mode);
}

int mkdir(const char *path, mode_t mode) {
    int done = REAL("mkdir", int (*)(const char *, mode_t))(path, mode);
    if (below(path) && !done) note('m', below(path), 0, "", 0);
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    char path[4096];
    if (!real_pwrite) real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    const char *name = watched(fd, path), *fault = getenv("BREAK");
    if (!name) return real_pwrite(fd, data, size, offset);
    int counted = strcmp(name, "acks") != 0;
    if (full && counted) { full = full > 1 ? full : 0; errno = ENOSPC; return -1; }
    if (counted && ++count == atoi(getenv("BREAK_AT") ? getenv("BREAK_AT") : "0") && fault) {
        if (!strcmp(fault, "eio")) { errno = EIO; return -1; }
        if (!strcmp(fault, "full")) { full = 2; errno = ENOSPC; return -1; }
        if (!strcmp(fault, "sync")) unsynced = 1;
        if (!strcmp(fault, "short")) { full = 1; size = size / 2; }
    }
    ssize_t done = real_pwrite(fd, data, size, offset);
    if (done > 0) note('w', name, offset, data, done);
    return done;
}
ssize_t pwrite(int fd, const void *data, size_t size, off_t offset) { return pwrite64(fd, data, size, offset); }

static int sync_of(int fd, const char *call) {
    char path[4096];
    const char *name = watched(fd, path);
    if (name && unsynced) { unsynced = 0; errno = EIO; return -1; }
    int done = REAL(call, int (*)(int))(fd);
    if (name && !done) note('s', name, 0, "", 0);
    return done;
}
int fsync(int fd) { return sync_of(fd, "fsync"); }
int fdatasync(int fd) { return sync_of(fd, "fdatasync"); }

int ftruncate64(int fd, off64_t size) {
    char path[4096];
    const char *name = watched(fd, path);
    int done = REAL("ftruncate64", int (*)(int, off64_t))(fd, size);
    if (name && !done) note('t', name, size, "", 0);
    return done;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int unlink(const char *path) {
    int done = REAL("unlink", int (*)(const char *))(path);
    if (below(path) && !done) note('u', below(path), 0, "", 0);
    return done;
}
