/* Preloaded into a process, it notes what the process writes to files in one folder, and can break one write.
 *
 * NOTED_IN is the folder, NOTES the file of the notes, BREAK what happens to the BREAK_AT-th write there: "eio" (it fails),
 * "short" (half of it is written, then the disk is full), "sync" (the next fsync fails).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int notes = -2, count = 0, full = 0, unsynced = 0;
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);

static const char *watched(int fd, char *path) {
    char link[64];
    const char *folder = getenv("NOTED_IN");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, 4095);
    if (!folder || size <= 0) return 0;
    path[size] = 0;
    if (strncmp(path, folder, strlen(folder)) || strstr(path, "-shm")) return 0;
    return path + strlen(folder) + 1;
}

static void note(char kind, const char *name, uint64_t offset, const void *data, uint32_t size) {
    uint32_t length = strlen(name);
    if (!real_pwrite) real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    if (notes == -2) notes = open(getenv("NOTES"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ssize_t (*plain)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    plain(notes, &kind, 1); plain(notes, &length, 4); plain(notes, name, length);
    plain(notes, &offset, 8); plain(notes, &size, 4); plain(notes, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset) {
    char path[4096];
    if (!real_pwrite) real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
    const char *name = watched(fd, path), *fault = getenv("BREAK");
    if (!name) return real_pwrite(fd, data, size, offset);
    if (full) { full = 0; errno = ENOSPC; return -1; }
    if (++count == atoi(getenv("BREAK_AT") ? getenv("BREAK_AT") : "0") && fault) {
        if (!strcmp(fault, "eio")) { errno = EIO; return -1; }
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
    int done = ((int (*)(int))dlsym(RTLD_NEXT, call))(fd);
    if (name && !done) note('s', name, 0, "", 0);
    return done;
}
int fsync(int fd) { return sync_of(fd, "fsync"); }
int fdatasync(int fd) { return sync_of(fd, "fdatasync"); }

int ftruncate64(int fd, off64_t size) {
    char path[4096];
    const char *name = watched(fd, path);
    int done = ((int (*)(int, off64_t))dlsym(RTLD_NEXT, "ftruncate64"))(fd, size);
    if (name && !done) note('t', name, size, "", 0);
    return done;
}
int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int unlink(const char *path) {
    const char *folder = getenv("NOTED_IN");
    int done = ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
    if (folder && !done && !strncmp(path, folder, strlen(folder)) && !strstr(path, "-shm"))
        note('u', path + strlen(folder) + 1, 0, "", 0);
    return done;
}
