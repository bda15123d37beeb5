/* The tool of lacp for another program: `lacp fit`, `predict`, `update` and `evaluate` of tables in memory, as lacp.py uses
 * them. It is a C interface, so that it needs no compiler and no version of whoever calls it.
 *
 *   - A model is a number from 1 on, which `lacp_free` ends. A number that is none is an error, not a crash.
 *   - A table is columns by name, which a call reads and does not keep: numbers (NaN: nothing is known), or texts in UTF-8
 *     ("": nothing is known). Dates are numbers: seconds since 1970 began, by the clock on the wall.
 *   - Options are one mapping in JSON (or yaml), with the names of the program's options: {"method":"forest","seed":1}.
 *   - A call gives 0 (or the number of a new model) where it is done, else an error below 0: LACP_WRONG and so on.
 *   - What it says besides is JSON, which `lacp_said` gives to the thread that called:
 *     {"error":{"code":"unseen_category","values":["castle"],"line":1,"message":"row 0: ..."},"warnings":[...],"answer":...}
 *     An error has a code (FaultKind of lacp/base/error.hpp) and values, so that the caller can word it; `line` is the row, from
 *     1, where there is one. A warning has these, too. Without an error `error` is null.
 *   - Nothing is printed, no file is written or read, no exception comes out, and the process does not end. Threads may call at
 *     the same time, also with one model; the numbers are those of the program, bit for bit.
 *   - `watch` is called by the calling thread about twenty times a second while a call is under way; once it gives anything but 0
 *     the call ends with LACP_INTERRUPTED, and nothing has changed. It may be null.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#define LACP_API __attribute__((visibility("default")))

enum { LACP_DONE = 0, LACP_WRONG = -1, LACP_FAILED = -2, LACP_INTERRUPTED = -3 };

typedef struct lacp_texts {
  const char* bytes;    /* all of them, one after the other */
  const int64_t* ends;  /* count + 1 offsets: where the first begins, and where each ends */
  int64_t count;
} lacp_texts;

typedef struct lacp_column {
  const char* name;
  const char* kind;       /* of a fit: "number", "category", "mean", "ordered", "date", "target", "group" */
  const double* numbers;  /* null: it has texts */
  int64_t stride;         /* bytes from one number to the next */
  lacp_texts texts;       /* as many as rows */
  lacp_texts levels;      /* of kind "ordered", the lowest first */
} lacp_column;

typedef struct lacp_table {
  const lacp_column* columns;
  int64_t count, rows;
} lacp_table;

typedef int (*lacp_watch)(void);

/* A new model. Options: method, coverage, sides, seed, prediction, clip, copies, by, calibration, set (a list of
 * "key=value"), jobs. The answer is what `lacp fit --json` prints. */
LACP_API int64_t lacp_fit(const lacp_table* table, const char* options, lacp_watch watch);

/* Of each row, one after the other in `out`, the prediction and the ends of its interval at each coverage of the fit: 1 + 2 levels
 * numbers. An empty interval is NaN. `size`: how many doubles `out` holds; another number is refused. Options: unseen, jobs. */
LACP_API int64_t lacp_predict(int64_t model, const lacp_table* table, const char* options, double* out, int64_t size,
                              lacp_watch watch);

/* The same for what is asked: the ends at each of `coverage`, then `lower` bounds, then `upper` ones, then `quantiles`, which
 * increase. With `why` instead: of each column of the model how much wider the interval is for what the row has there. */
LACP_API int64_t lacp_ask(int64_t model, const lacp_table* table, const char* options, double* out, int64_t size,
                          lacp_watch watch);

/* A new model that rows with a target calibrate, too. Options: instead, window, sides, group, unseen, jobs. */
LACP_API int64_t lacp_update(int64_t model, const lacp_table* table, const char* options, lacp_watch watch);

/* The answer is what `lacp evaluate --json` prints of rows with a target. Options: unseen, jobs. */
LACP_API int64_t lacp_evaluate(int64_t model, const lacp_table* table, const char* options, lacp_watch watch);

/* The answer is what `lacp info --json` prints. */
LACP_API int64_t lacp_info(int64_t model);

/* The bytes of a model's file, until this thread calls the next function; and a model of such bytes. `name` is for messages. */
LACP_API int64_t lacp_save(int64_t model, const char** bytes, int64_t* size);
LACP_API int64_t lacp_load(const char* bytes, int64_t size, const char* name);

/* Ends a model, when the calls that use it are done. */
LACP_API void lacp_free(int64_t model);

/* What the last call of this thread said; good until the next one. */
LACP_API const char* lacp_said(void);

#ifdef __cplusplus
}
#endif
