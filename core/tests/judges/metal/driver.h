// Runs entry points: the invocations of a group take turns, each on a stack of its own, and change at barriers.
//
// Reads jobs from a file of words and writes their results to another. Each job is a process, so that a crash or an endless
// loop ends nothing else. The texts are in namespaces; `table` has an entry for each.
#pragma once
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace vitrine {
typedef unsigned int word;

// An invocation, with its inputs and outputs.
struct Invocation {
  word at[3], local[3], is_helper;
  std::vector<word> inputs, outputs;
  bool discarded = false, done = false, at_barrier = false;
  const void *place = nullptr;
  bool is_quad = false;
  unsigned char brought[32];
  Brought all;
  ucontext_t context;
  void *stack = nullptr;
};

// The memory of a buffer; as an argument it is a reference or a pointer.
struct Memory {
  void *start;
  template <class T> operator T &() const { return *(T *)start; }
  template <class T> operator T *() const { return (T *)start; }
};

// The inputs and outputs of an invocation.
struct Call {
  Invocation *own;
  size_t next = 0;
  template <class T> void take(T &into) {
    using S = metal::scalar<T>;
    for (int at = 0; at < metal::count<T>; at++) {
      word bits[2] = {0, 0};
      for (unsigned half = 0; half < (sizeof(S) + 3) / 4; half++, next++) {
        bits[half] = next < own->inputs.size() ? own->inputs[next] : 0;
      }
      S part;
      memcpy((void *)&part, bits, sizeof part);
      if constexpr (metal::count<T> == 1) into = part; else into.d[at] = part;
    }
  }
  template <class T> void give(const T &from) {
    using S = metal::scalar<T>;
    for (int at = 0; at < metal::count<T>; at++) {
      S part = metal::part_of(from, at);
      word bits[2] = {0, 0};
      memcpy(bits, (const void *)&part, sizeof part);
      for (unsigned half = 0; half < (sizeof(S) + 3) / 4; half++) own->outputs.push_back(bits[half]);
    }
  }
  Memory buffer(unsigned at) const;
  Memory payload() const;
  void give_grid() {
    for (word part : task_count) own->outputs.push_back(part);
  }
};

typedef void (*Run)(Call &);

static std::vector<std::vector<unsigned char>> buffers[2];
static std::vector<word> buffer_bytes;
static word groups[3], size[3], workgroup[3], subgroup = 32;
static std::vector<Invocation> group;
static Invocation *current;
static ucontext_t scheduler;
static Run entry;

inline Memory Call::buffer(unsigned at) const {
  // Writes of helper invocations are not seen.
  auto &own_buffers = buffers[own->is_helper ? 1 : 0];
  if (at >= own_buffers.size()) abort();
  return {own_buffers[at].data()};
}
// What a threadgroup of an object function passes on. The words at its start are outputs of each invocation.
static unsigned char payload_bytes[1 << 14];
static const unsigned payload_words = 64;
inline Memory Call::payload() const { return {payload_bytes}; }
inline unsigned number() { return (unsigned)(current - group.data()); }

static void turn() { swapcontext(&current->context, &scheduler); }
void barrier() {
  current->at_barrier = true;
  turn();
}
Brought bring(const void *data, uint bytes, bool is_quad, const void *place) {
  memcpy(current->brought, data, bytes < 32 ? bytes : 32);
  current->place = place;
  current->is_quad = is_quad;
  turn();
  return current->all;
}
void discard() { current->discarded = true; }
bool is_helper() { return current->is_helper || current->discarded; }

static void start() {
  Call call{current};
  entry(call);
  current->done = true;
  turn();
}

// The invocations of a subgroup or quad that wait at the first place go on together.
static bool meet(unsigned first, unsigned last) {
  const void *place = nullptr;
  for (unsigned at = first; at < last; at++) {
    Invocation &it = group[at];
    if (!it.done && !it.at_barrier && !it.place) return false;
    if (it.place && (!place || it.place < place)) place = it.place;
  }
  if (!place) return false;
  for (unsigned quad = first; quad < last; quad += 4) {
    bool is_quad = false;
    for (unsigned at = first; at < last; at++) is_quad = is_quad || (group[at].place == place && group[at].is_quad);
    unsigned from = is_quad ? quad : first, to = is_quad ? (quad + 4 < last ? quad + 4 : last) : last;
    unsigned char *data = (unsigned char *)calloc(64, 32);
    ulong active = 0;
    for (unsigned at = from; at < to; at++)
      if (group[at].place == place) {
        active |= 1ul << (at - from);
        memcpy(data + 32 * (at - from), group[at].brought, 32);
      }
    for (unsigned at = from; at < to; at++)
      if (group[at].place == place) group[at].all = {data, active, (int)(at - from)};
    if (!is_quad) break;
  }
  for (unsigned at = first; at < last; at++)
    if (group[at].place == place) group[at].place = nullptr;
  return true;
}

static void run_group() {
  const size_t stack_bytes = 1 << 18;
  for (auto &it : group) {
    it.stack = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    getcontext(&it.context);
    it.context.uc_stack.ss_sp = it.stack;
    it.context.uc_stack.ss_size = stack_bytes;
    it.context.uc_link = nullptr;
    makecontext(&it.context, start, 0);
  }
  for (;;) {
    bool ran = false, all_done = true;
    for (auto &it : group) {
      all_done = all_done && it.done;
      if (it.done || it.at_barrier || it.place) continue;
      current = &it;
      swapcontext(&scheduler, &it.context);
      ran = true;
    }
    if (ran) continue;
    if (all_done) break;
    bool met = false;
    for (unsigned first = 0; first < group.size(); first += subgroup)
      met = meet(first, first + subgroup < group.size() ? first + subgroup : (unsigned)group.size()) || met;
    if (met) continue;
    for (auto &it : group) it.at_barrier = false;
  }
  for (auto &it : group) munmap(it.stack, stack_bytes);
}

static std::vector<word> jobs;
static size_t at_word;
static word next() { return at_word < jobs.size() ? jobs[at_word++] : 0; }

static void run_job(const Run *table, FILE *out) {
  entry = table[next()];
  subgroup = next();
  for (word &it : groups) it = next();
  for (word &it : size) it = next();
  word count = next();
  buffers[0].assign(count + 1, {});
  buffer_bytes.assign(count + 1, 0);
  for (word at = 0; at < count; at++) {
    word bytes = next();
    // Accesses outside are not seen; there is room for them.
    buffers[0][at].assign(bytes + 4096, 0);
    buffer_bytes[at] = bytes;
    for (word of = 0; of < (bytes + 3) / 4; of++) {
      word value = next();
      memcpy(buffers[0][at].data() + of * 4, &value, 4);
    }
  }
  buffers[0][count].resize(count * 4 + 4);
  memcpy(buffers[0][count].data(), buffer_bytes.data(), count * 4);
  buffers[1] = buffers[0];
  bool has_payload = next();
  word inputs = next(), group_count = next();
  std::vector<word> results;
  for (word of = 0; of < group_count; of++) {
    for (word &it : workgroup) it = next();
    word invocations = next();
    group.clear();
    group.resize(invocations);
    for (auto &it : group) {
      for (word &part : it.at) part = next();
      for (word &part : it.local) part = next();
      it.is_helper = next();
      for (word at = 0; at < inputs; at++) it.inputs.push_back(next());
    }
    memset(payload_bytes, 0, sizeof payload_bytes);
    memset(task_count, 0, sizeof task_count);
    run_group();
    for (auto &it : group) {
      if (it.is_helper) continue;
      if (has_payload)
        for (unsigned at = 0; at < payload_words; at++) {
          word part;
          memcpy(&part, payload_bytes + at * 4, 4);
          it.outputs.push_back(part);
        }
      results.push_back(it.discarded);
      results.push_back((word)it.outputs.size());
      results.insert(results.end(), it.outputs.begin(), it.outputs.end());
    }
  }
  word head[2] = {0, (word)results.size()};
  fwrite(head, 4, 2, out);
  fwrite(results.data(), 4, results.size(), out);
  for (word at = 0; at < count; at++) {
    word bytes = buffer_bytes[at];
    fwrite(&bytes, 4, 1, out);
    fwrite(buffers[0][at].data(), 1, (bytes + 3) / 4 * 4, out);
  }
}

static int run_all(const Run *table, const char *from, const char *to) {
  FILE *in = fopen(from, "rb");
  if (!in) return 1;
  word value;
  while (fread(&value, 4, 1, in) == 1) jobs.push_back(value);
  fclose(in);
  remove(to);
  word count = next();
  for (word job = 0; job < count; job++) {
    word length = next();
    size_t end = at_word + length;
    FILE *out = fopen(to, "ab");
    long before = ftell(out);
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      run_job(table, out);
      fclose(out);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) {
      if (ftruncate(fileno(out), before)) return 1;
      word failed[2] = {(word)status, 0};
      fseek(out, 0, SEEK_END);
      fwrite(failed, 4, 2, out);
    }
    fclose(out);
    at_word = end;
  }
  return 0;
}
}
