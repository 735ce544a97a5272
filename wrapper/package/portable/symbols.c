// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What GCC 12's libraries, LLVM and libarchive of Debian 12 take from a C library newer than 2.28, made of
// what 2.28 has. Linked into each program of the portable tarball. Hidden, so that no library that a program
// loads sees them. Each says who wants it.
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define SUPPLIED __attribute__((visibility("hidden")))

// 2.36: libarchive.
SUPPLIED void arc4random_buf(void* bytes, size_t count) {
  char* next = bytes;
  while (count > 0) {
    const ssize_t got = getrandom(next, count, 0);
    if (got < 0 && errno != EINTR)
      abort(); // as the C library does: there is no other source
    if (got > 0) {
      next += got;
      count -= (size_t)got;
    }
  }
}

// 2.36: std::random_device, LLVM's Process.
SUPPLIED uint32_t arc4random(void) {
  uint32_t number = 0;
  arc4random_buf(&number, sizeof number);
  return number;
}

// 2.35: GCC's unwinder, for each frame of an exception. The structure is that of <dlfcn.h> of 2.35.
struct dl_find_object {
  unsigned long long flags;
  void* map_start;
  void* map_end;
  struct link_map* link_map;
  void* eh_frame;
#if defined(__i386__) || defined(__arm__)
#error "dl_find_object has more fields on this machine"
#endif
  unsigned long long reserved[7];
};

struct search {
  uintptr_t address;
  struct dl_find_object* result;
};

static int is_loaded_at(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  const struct search* search = data;
  uintptr_t start = UINTPTR_MAX;
  uintptr_t end = 0;
  const void* frames = NULL;
  int is_inside = 0;
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &object->dlpi_phdr[i];
    const uintptr_t first = object->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME)
      frames = (const void*)first;
    if (part->p_type != PT_LOAD)
      continue;
    is_inside |= search->address >= first && search->address < first + part->p_memsz;
    start = first < start ? first : start;
    end = first + part->p_memsz > end ? first + part->p_memsz : end;
  }
  if (!is_inside)
    return 0;
  if (frames == NULL)
    return -1;
  search->result->flags = 0;
  search->result->map_start = (void*)start;
  search->result->map_end = (void*)end;
  search->result->link_map = NULL; // the unwinder does not read it
  search->result->eh_frame = (void*)(uintptr_t)frames;
  return 1;
}

SUPPLIED int _dl_find_object(void* address, struct dl_find_object* result) {
  struct search search = {(uintptr_t)address, result};
  return dl_iterate_phdr(is_loaded_at, &search) == 1 ? 0 : -1;
}

// 2.33: LLVM's Process, for statistics that nothing here prints. The structure is that of <malloc.h> of 2.33.
struct mallinfo2 {
  size_t counts[10];
};

SUPPLIED struct mallinfo2 mallinfo2(void) {
  return (struct mallinfo2){{0}};
}

// 2.32: std::shared_ptr. Never true, so that it always counts atomically.
SUPPLIED char __libc_single_threaded = 0;

// 2.30: std::condition_variable::wait_for, which measures with the monotonic clock.
SUPPLIED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                    const struct timespec* until) {
  enum { second = 1000000000 };
  struct timespec then;
  struct timespec now;
  if (clock_gettime(clock, &then) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
    return EINVAL;
  now.tv_sec += until->tv_sec - then.tv_sec;
  now.tv_nsec += until->tv_nsec - then.tv_nsec;
  if (now.tv_nsec < 0) {
    now.tv_nsec += second;
    --now.tv_sec;
  } else if (now.tv_nsec >= second) {
    now.tv_nsec -= second;
    ++now.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &now);
}
