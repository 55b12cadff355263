/* The queue and its leases, for spin: what several workers and the owner of one debate may do at the same moment.
 *
 * Names are those of the code: take, beat, end, watch in workers/leases.py, submit and cancel in workers/jobs.py,
 * lapsed in FencedStore. Each transaction is one atomic step, for it locks the row of the job. Time is what may run
 * out: the lease in the database (until) never before the lease in the worker's own clock (fence), since a worker counts
 * from before it has asked. A worker may be killed and begin anew, and may stand still anywhere.
 *
 * WORKERS 2 or 3; tests/workers/test_leases_model.py runs it. -DNO_FENCE and -DEARLY plant the faults that it must find.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#define MOST_EPOCHS 4
#define MOST_LINES 3

mtype = { queued, running, done, cancelled };

mtype state = queued;      /* moot_job.state */
bool stop = false;         /* moot_job.stop */
bool again = false;        /* moot_job.again */
byte holder = 0;           /* moot_lease.worker; 0 is nobody */
bool until = false;        /* whether moot_lease.until is still to come */
byte epoch = 0;            /* moot_lease.epoch */

byte lines = 0;            /* entries of the record */
bool closed = false;       /* whether the last of them is Closed */
bool fence[WORKERS + 1];   /* whether the worker may write, by its own clock */
byte held[WORKERS + 1];    /* the epoch that the worker believes to hold; 0 for none */
byte last_writer = 0;      /* the epoch under which the last entry was written */

inline take(me) {
    atomic {
        state == queued && held[me] == 0 && epoch < MOST_EPOCHS &&
#ifdef EARLY
        true ->
#else
        !until ->
#endif
        assert(!until);                           /* I61: no other lease holds */
        epoch++; holder = me; until = true; state = running; stop = false;
        held[me] = epoch; fence[me] = true
    }
}

/* A line is written only behind the fence, and only behind the lines that the writer has read: the position is checked. */
inline append(me) {
    atomic {
        held[me] != 0 && !closed && lines < MOST_LINES &&
#ifdef NO_FENCE
        true ->
#else
        fence[me] ->
#endif
        assert(holder == me && until && held[me] == epoch);  /* I63: only under its own lease */
        assert(held[me] >= last_writer);                     /* nobody writes behind a newer holder */
        last_writer = held[me]; lines++;
        if
        :: lines == MOST_LINES -> closed = true
        :: lines < MOST_LINES
        fi
    }
}

inline beat(me) {
    atomic { held[me] == epoch && holder == me && until -> fence[me] = true }
}

inline end(me) {
    atomic {
        held[me] != 0 && (closed || stop || !fence[me]) ->
        if
        :: state == running && held[me] == epoch ->
            holder = 0; until = false;
            if
            :: closed -> state = done
            :: !closed && stop && !again -> state = cancelled
            :: !closed && !(stop && !again) -> state = queued
            fi;
            again = false
        :: else -> skip                            /* Lost: it belongs to others by now */
        fi;
        held[me] = 0; fence[me] = false
    }
}

proctype Worker(byte me) {
    do
    :: take(me)
    :: append(me)
    :: beat(me)
    :: end(me)
    :: atomic { held[me] != 0 -> held[me] = 0; fence[me] = false }   /* it is killed, and begins anew */
    :: atomic { state == done && held[me] == 0 -> break }
    :: atomic { state == cancelled && held[me] == 0 && epoch == MOST_EPOCHS -> break }
    :: atomic { epoch == MOST_EPOCHS && held[me] == 0 && state == queued -> break }
    od
}

/* Clocks: a worker's own time runs out first, then the database's. */
active proctype Time() {
    byte me;
    do
    :: atomic { select(me : 1 .. WORKERS); if :: fence[me] -> fence[me] = false :: else fi }
    :: atomic { until && (holder == 0 || !fence[holder]) -> until = false }
    :: atomic { state == done || epoch == MOST_EPOCHS -> break }
    od;
    do                                                 /* what still holds runs out at last */
    :: atomic { until && (holder == 0 || !fence[holder]) -> until = false }
    :: atomic { holder != 0 && fence[holder] -> fence[holder] = false }
    :: atomic { !until && (state != running) -> break }
    od
}

/* Any worker looks for what nobody holds any longer. */
active proctype Watch() {
    do
#ifdef EARLY
    :: atomic { state == running ->
#else
    :: atomic { state == running && !until ->
#endif
        if
        :: stop -> state = cancelled
        :: else -> state = queued; again = false
        fi }
    :: atomic { state == done || (epoch == MOST_EPOCHS && state != running) -> break }
    od
}

active proctype Owner() {
    if
    :: atomic { state == queued -> state = cancelled }
    :: atomic { state == running -> stop = true; again = false }
    :: skip
    fi;
    do
    :: atomic { state == cancelled -> state = queued; stop = false; again = false }    /* submit */
    :: atomic { state == running && !again -> again = true }                            /* submit, while it runs */
    :: atomic { state == done || epoch == MOST_EPOCHS -> break }
    od
}

init {
    byte me;
    atomic { for (me : 1 .. WORKERS) { run Worker(me) } }
}
