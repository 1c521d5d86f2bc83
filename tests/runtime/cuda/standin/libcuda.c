/* What stands for NVIDIA's driver library, libcuda.so.1, where there is no GPU: NVIDIA's own Python package, cuda.bindings,
 * calls it. It refuses what the driver would refuse: calls before cuInit or without a context, handles of another kind or
 * another device, memory beyond an allocation, launches that no GPU takes.
 *
 * There are two devices. Their memory is this process's. What is enqueued is done at once; kernels are run by whoever
 * called standin_run_by, who gets the function's handle and the arguments of a launch.
 *
 * Types and numbers are those of NVIDIA's documentation of the driver API; its header, cuda.h, is not needed.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700
};
enum { DEVICES = 2, MOST_MEMORIES = 4096, ARGUMENTS = 6, USUAL_SHARED = 48 << 10, MOST_SHARED = 227 << 10 };
enum { LOG_BUFFER = 5, LOG_BUFFER_SIZE = 6, LOG_BYTES = 8192 };               /* CU_JIT_ERROR_... */
enum { EVENT_NO_TIMING = 2, ORDINAL = 9, PORTABLE = 1, PINNED = -1 };

typedef int Result;
typedef unsigned long long Address;
typedef enum { CONTEXT = 0xc0de1, STREAM, EVENT, MODULE, FUNCTION } Kind;

typedef struct {
    Kind kind;
    int device;
} Head; /* of all that handles point to */

typedef struct {
    Head head;
    int takes_time, is_recorded;
} Event;

typedef struct {
    char *address;
    size_t bytes;
    int device;
} Memory;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Memory memories[MOST_MEMORIES];
static Head contexts[DEVICES] = {{CONTEXT, 0}, {CONTEXT, 1}};
static Head defaults[DEVICES] = {{STREAM, 0}, {STREAM, 1}};
static __thread Head *context;
static int is_started;
static int (*run_kernel)(void *function, const int64_t *arguments);

void standin_run_by(int (*run)(void *, const int64_t *)) { run_kernel = run; }

#define REQUIRE(condition, otherwise)                                                                                  \
    if (!(condition)) return otherwise
#define STARTED REQUIRE(is_started, NOT_INITIALIZED)
#define IN_CONTEXT                                                                                                     \
    STARTED;                                                                                                           \
    REQUIRE(context, INVALID_CONTEXT)
#define HERE (context->device)

static int is(const void *handle, Kind kind) {
    return (uintptr_t)handle > 0xffff && ((const Head *)handle)->kind == kind;
}

static int is_here(const void *handle, Kind kind) { return is(handle, kind) && ((const Head *)handle)->device == HERE; }

static void *made(size_t bytes, Kind kind) {
    Head *found = calloc(1, bytes);
    *found = (Head){kind, HERE};
    return found;
}

static Head *stream_of(void *handle) {
    return !handle ? &defaults[HERE] : is_here(handle, STREAM) ? handle : NULL;
}

/* Starting, and devices. */

static Result cuInit(unsigned flags) {
    is_started = 1;
    return flags ? INVALID_VALUE : SUCCESS;
}

static Result cuDriverGetVersion(int *version) {
    *version = 13000;
    return SUCCESS;
}

static Result cuGetErrorString(Result result, const char **text) {
    *text = result ? "the stand-in refuses" : "no error";
    return SUCCESS;
}

static Result cuDeviceGetCount(int *count) {
    STARTED;
    *count = DEVICES;
    return SUCCESS;
}

static Result cuDeviceGet(int *device, int ordinal) {
    STARTED;
    REQUIRE(ordinal >= 0 && ordinal < DEVICES, INVALID_DEVICE);
    *device = ordinal;
    return SUCCESS;
}

static Result cuDeviceGetName(char *name, int bytes, int device) {
    STARTED;
    snprintf(name, bytes, "Stand-in %d", device);
    return SUCCESS;
}

static Result cuDeviceTotalMem(size_t *bytes, int device) {
    STARTED;
    REQUIRE(device >= 0 && device < DEVICES, INVALID_DEVICE);
    *bytes = (size_t)1 << 34;
    return SUCCESS;
}

static Result cuDeviceGetAttribute(int *value, int attribute, int device) {
    STARTED;
    REQUIRE(device >= 0 && device < DEVICES, INVALID_DEVICE);
    switch (attribute) { /* an H200's */
    case 75: *value = 9; break;
    case 76: *value = 0; break;
    case 16: *value = 132; break;
    case 39: *value = 2048; break;
    case 8: *value = USUAL_SHARED; break;
    case 97: *value = MOST_SHARED; break;
    case 82: *value = 65536; break;
    case 38: *value = 50 << 20; break;
    default: return INVALID_VALUE;
    }
    return SUCCESS;
}

static Result cuDevicePrimaryCtxRetain(void **found, int device) {
    STARTED;
    REQUIRE(device >= 0 && device < DEVICES, INVALID_DEVICE);
    *found = &contexts[device];
    return SUCCESS;
}

static Result cuCtxSetCurrent(void *handle) {
    STARTED;
    REQUIRE(!handle || is(handle, CONTEXT), INVALID_CONTEXT);
    context = handle;
    return SUCCESS;
}

static Result cuCtxSynchronize(void) {
    IN_CONTEXT;
    return SUCCESS;
}

/* Memory. */

static Result keep(char *address, size_t bytes, int device) {
    pthread_mutex_lock(&lock);
    int k = 0;
    while (k < MOST_MEMORIES && memories[k].address) k++;
    if (k < MOST_MEMORIES) memories[k] = (Memory){address, bytes, device};
    pthread_mutex_unlock(&lock);
    return k < MOST_MEMORIES ? SUCCESS : INVALID_VALUE;
}

static Memory *memory_at(const void *address) {
    const char *at = address;
    for (int k = 0; k < MOST_MEMORIES; k++) {
        Memory *m = &memories[k];
        if (m->address && at >= m->address && at < m->address + m->bytes) return m;
    }
    return NULL;
}

static int holds(Address address, size_t bytes, int device) {
    const Memory *m = memory_at((void *)address);
    return m && m->device == device && (char *)address + bytes <= m->address + m->bytes;
}

static Result drop(void *address, int is_pinned) {
    Memory *m = memory_at(address);
    REQUIRE(m && m->address == address && (m->device == PINNED) == is_pinned, INVALID_VALUE);
    m->address = NULL;
    free(address);
    return SUCCESS;
}

static Result cuMemGetInfo(size_t *unused, size_t *total) {
    IN_CONTEXT;
    *unused = (size_t)1 << 33;
    *total = (size_t)1 << 34;
    return SUCCESS;
}

static Result cuMemAlloc(Address *address, size_t bytes) {
    IN_CONTEXT;
    REQUIRE(bytes, INVALID_VALUE);
    void *found = aligned_alloc(512, (bytes + 511) / 512 * 512);
    memset(found, 0xff, bytes); /* NaN, -1 */
    *address = (Address)found;
    return keep(found, bytes, HERE);
}

static Result cuMemFree(Address address) {
    IN_CONTEXT;
    return drop((void *)address, 0);
}

static Result cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
    IN_CONTEXT;
    REQUIRE(bytes && flags == PORTABLE, INVALID_VALUE);
    *address = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    return keep(*address, bytes, PINNED);
}

static Result cuMemFreeHost(void *address) {
    IN_CONTEXT;
    return drop(address, 1);
}

static Result cuPointerGetAttribute(void *value, int attribute, Address address) {
    IN_CONTEXT;
    const Memory *m = memory_at((void *)address);
    REQUIRE(m && attribute == ORDINAL, INVALID_VALUE);
    *(int *)value = m->device;
    return SUCCESS;
}

/* What is enqueued. */

static Result copy(void *stream, void *target, const void *source, size_t bytes) {
    REQUIRE(stream_of(stream), INVALID_HANDLE);
    memmove(target, source, bytes);
    return SUCCESS;
}

static Result cuMemcpyHtoDAsync(Address target, const void *source, size_t bytes, void *stream) {
    IN_CONTEXT;
    REQUIRE(holds(target, bytes, HERE), INVALID_VALUE);
    return copy(stream, (void *)target, source, bytes);
}

static Result cuMemcpyDtoHAsync(void *target, Address source, size_t bytes, void *stream) {
    IN_CONTEXT;
    REQUIRE(holds(source, bytes, HERE), INVALID_VALUE);
    return copy(stream, target, (void *)source, bytes);
}

static Result cuMemcpyDtoDAsync(Address target, Address source, size_t bytes, void *stream) {
    IN_CONTEXT;
    REQUIRE(holds(target, bytes, HERE) && holds(source, bytes, HERE), INVALID_VALUE);
    return copy(stream, (void *)target, (void *)source, bytes);
}

static Result cuMemcpyPeerAsync(Address target, Head *to, Address source, Head *from, size_t bytes, void *stream) {
    IN_CONTEXT;
    REQUIRE(is(to, CONTEXT) && is(from, CONTEXT), INVALID_CONTEXT);
    REQUIRE(holds(target, bytes, to->device) && holds(source, bytes, from->device), INVALID_VALUE);
    return copy(stream, (void *)target, (void *)source, bytes);
}

static Result cuLaunchKernel(void *function, unsigned blocks, unsigned y_blocks, unsigned z_blocks, unsigned threads,
                             unsigned y_threads, unsigned z_threads, unsigned shared, void *stream, void **arguments,
                             void **extra) {
    IN_CONTEXT;
    REQUIRE(stream_of(stream) && is_here(function, FUNCTION), INVALID_HANDLE);
    REQUIRE(blocks && blocks <= 0x7fffffff && y_blocks == 1 && z_blocks == 1, INVALID_VALUE);
    REQUIRE(threads && threads <= 1024 && y_threads == 1 && z_threads == 1, INVALID_VALUE);
    REQUIRE(shared <= USUAL_SHARED && arguments && !extra, INVALID_VALUE);
    int64_t given[ARGUMENTS];
    for (int k = 0; k < ARGUMENTS; k++) given[k] = *(int64_t *)arguments[k];
    REQUIRE(holds(given[0], 8, HERE) && holds(given[3], 4, HERE), ILLEGAL_ADDRESS);
    return run_kernel ? run_kernel(function, given) : SUCCESS;
}

/* Streams and events. */

static Result cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
    IN_CONTEXT;
    REQUIRE(flags <= 1 && priority <= 0, INVALID_VALUE);
    *stream = made(sizeof(Head), STREAM);
    return SUCCESS;
}

static Result wait_for(void *stream) {
    IN_CONTEXT;
    return stream_of(stream) ? SUCCESS : INVALID_HANDLE;
}

static Result cuStreamQuery(void *stream) { return wait_for(stream); }

static Result cuStreamSynchronize(void *stream) { return wait_for(stream); }

static Result cuEventCreate(void **event, unsigned flags) {
    IN_CONTEXT;
    REQUIRE((flags & ~EVENT_NO_TIMING) == 0, INVALID_VALUE);
    Event *found = *event = made(sizeof(Event), EVENT);
    found->takes_time = !(flags & EVENT_NO_TIMING);
    return SUCCESS;
}

static Result cuEventDestroy(Event *event) {
    IN_CONTEXT;
    REQUIRE(is(event, EVENT), INVALID_HANDLE);
    event->head.kind = 0; /* never freed: it is known again when somebody uses it */
    return SUCCESS;
}

static Result cuEventRecord(Event *event, void *stream) {
    IN_CONTEXT;
    REQUIRE(stream_of(stream) && is_here(event, EVENT), INVALID_HANDLE);
    event->is_recorded = 1;
    return SUCCESS;
}

static Result look_at(const Event *event) {
    IN_CONTEXT;
    return is(event, EVENT) ? SUCCESS : INVALID_HANDLE;
}

static Result cuEventQuery(Event *event) { return look_at(event); }

static Result cuEventSynchronize(Event *event) { return look_at(event); }

static Result cuEventElapsedTime(float *ms, const Event *begin, const Event *end) {
    IN_CONTEXT;
    REQUIRE(is(begin, EVENT) && is(end, EVENT) && begin->head.device == end->head.device, INVALID_HANDLE);
    REQUIRE(begin->takes_time && end->takes_time && begin->is_recorded && end->is_recorded, INVALID_HANDLE);
    *ms = 1.5f;
    return SUCCESS;
}

static Result cuStreamWaitEvent(void *stream, Event *event, unsigned flags) {
    IN_CONTEXT;
    REQUIRE(stream_of(stream) && is(event, EVENT), INVALID_HANDLE);
    return flags ? INVALID_VALUE : SUCCESS;
}

/* Code. */

static Result cuModuleLoadDataEx(void **module, const char *image, unsigned count, int *options, void **values) {
    IN_CONTEXT;
    char *log = NULL;
    for (unsigned k = 0; k < count; k++) {
        if (options[k] == LOG_BUFFER)
            log = values[k];
        else
            REQUIRE(options[k] == LOG_BUFFER_SIZE && (size_t)values[k] == LOG_BYTES, INVALID_VALUE);
    }
    REQUIRE(log, INVALID_VALUE);
    if (memcmp(image, "\x7f" "ELF", 4) && !strstr(image, ".version")) {
        strcpy(log, "neither machine code nor PTX");
        return INVALID_IMAGE;
    }
    *module = made(sizeof(Head), MODULE);
    return SUCCESS;
}

static Result cuModuleGetFunction(void **function, void *module, const char *name) {
    IN_CONTEXT;
    REQUIRE(is_here(module, MODULE), INVALID_HANDLE);
    *function = made(sizeof(Head), FUNCTION);
    return SUCCESS;
}

/* Where cuda.bindings finds them. */

#define ENTRY(name) {#name, (void *)name}
static const struct {
    const char *name;
    void *function;
} entries[] = {
    ENTRY(cuInit), ENTRY(cuDriverGetVersion), ENTRY(cuGetErrorString), ENTRY(cuDeviceGetCount), ENTRY(cuDeviceGet),
    ENTRY(cuDeviceGetName), ENTRY(cuDeviceTotalMem), ENTRY(cuDeviceGetAttribute), ENTRY(cuDevicePrimaryCtxRetain),
    ENTRY(cuCtxSetCurrent), ENTRY(cuCtxSynchronize), ENTRY(cuMemGetInfo), ENTRY(cuMemAlloc),
    ENTRY(cuMemFree), ENTRY(cuMemHostAlloc), ENTRY(cuMemFreeHost), ENTRY(cuPointerGetAttribute),
    ENTRY(cuMemcpyHtoDAsync), ENTRY(cuMemcpyDtoHAsync), ENTRY(cuMemcpyDtoDAsync), ENTRY(cuMemcpyPeerAsync),
    ENTRY(cuLaunchKernel), ENTRY(cuStreamCreateWithPriority), ENTRY(cuStreamQuery), ENTRY(cuStreamSynchronize),
    ENTRY(cuEventCreate), ENTRY(cuEventDestroy), ENTRY(cuEventRecord), ENTRY(cuEventQuery), ENTRY(cuEventSynchronize),
    ENTRY(cuEventElapsedTime), ENTRY(cuStreamWaitEvent), ENTRY(cuModuleLoadDataEx), ENTRY(cuModuleGetFunction),
};

__attribute__((visibility("default"))) Result cuGetProcAddress_v2(const char *name, void **function, int version,
                                                                  uint64_t flags, int *status) {
    for (size_t k = 0; k < sizeof entries / sizeof *entries; k++)
        if (!strcmp(name, entries[k].name)) {
            *function = entries[k].function;
            if (status) *status = 0;
            return SUCCESS;
        }
    if (!strcmp(name, "cuGetProcAddress")) {
        *function = (void *)cuGetProcAddress_v2;
        if (status) *status = 0;
        return SUCCESS;
    }
    *function = NULL;
    if (status) *status = 1; /* CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND */
    return NOT_FOUND;
}
