/* The queue and its leases, for spin: what several workers and the owner of one debate may do at the same moment.
 *
 * Names are those of the code: take, beat, end, watch in workers/leases.py, submit and cancel in workers/jobs.py,
 * FencedStore.append with its lapsed, Ledger.open, and APPEND in record/postgres.py. Each transaction is one atomic step,
 * for it locks the row of the job. Time is what may run out: the lease in the database (until) never before the lease
 * in the worker's own clock (fence), since a worker counts from before it has asked. A worker may be killed and begin
 * anew, and may stand still anywhere.
 *
 * To write a line takes two steps, as in the code. FencedStore.append looks at the clock of the worker and hands the
 * line to the store. Then the line is on its way (way), for as long as it likes: its worker may be frozen, be killed,
 * lose its lease or end meanwhile, and others may take the debate. APPEND looks whether the line fits behind the last
 * one and inserts it: one statement, which is one transaction, and whose primary key (debate, seq) takes each place
 * once. So a line can be stored after the lease of its writer, but only where nobody has written since its writer read.
 *
 * WORKERS 2 or 3; tests/workers/test_leases_model.py runs it. These plant the faults that it must find: NO_FENCE, EARLY,
 * LATE_FENCE, NO_PLACE, APART, BLIND_END. These show what can happen, so that the model is not about nothing: LANDS_LATE,
 * TAKEN_OVER.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef MOST_EPOCHS
#define MOST_EPOCHS 4
#endif
#define MOST_LINES 3

mtype = { queued, running, done, cancelled };

mtype state = queued;      /* folkmoot_job.state */
bool stop = false;         /* folkmoot_job.stop */
bool again = false;        /* folkmoot_job.again */
byte holder = 0;           /* folkmoot_lease.worker; 0 is nobody */
bool until = false;        /* whether folkmoot_lease.until is still to come */
byte epoch = 0;            /* folkmoot_lease.epoch */

byte lines = 0;            /* entries of the record in folkmoot_line; the last of them is Closed */
#define closed (lines == MOST_LINES)
byte last_writer = 0;      /* the epoch under which the last entry was handed to the store */

bool fence[WORKERS + 1];   /* whether the worker may write, by its own clock */
byte held[WORKERS + 1];    /* the epoch that the worker believes to hold; 0 for none */
bool opened[WORKERS + 1];  /* whether it has read the record since it took the debate */
byte known[WORKERS + 1];   /* the entries that it has read, or has been told to be stored: Ledger._stored */
bool ended[WORKERS + 1];   /* whether its run is over: a conflict, or an answer of the store that was lost */

bool way[WORKERS + 1];     /* whether a line of it is on its way to the store; it outlives its worker */
byte place[WORKERS + 1];   /* behind which entry that line wants to stand: after */
byte under[WORKERS + 1];   /* the epoch under which it was handed over */
#ifdef APART
bool looked[WORKERS + 1], fits[WORKERS + 1];
#endif

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

inline open(me) {
    atomic { held[me] != 0 && !opened[me] -> known[me] = lines; opened[me] = true }
}

/* FencedStore.append: by its own clock the worker may write, so the line is handed to the store. */
inline append(me) {
    atomic {
        held[me] != 0 && opened[me] && !ended[me] && known[me] < MOST_LINES && !way[me] &&
#ifdef NO_FENCE
        true ->
#else
        fence[me] ->
#endif
        assert(holder == me && until && held[me] == epoch);  /* I63: only under its own lease */
        way[me] = true; place[me] = known[me]; under[me] = held[me]
    }
}

/* What APPEND stores. Its worker is told, unless it has gone, or the answer is lost. */
inline put(me) {
    assert(place[me] == lines);                   /* I01: one entry at each place, by who knew all before it */
    assert(!closed);                              /* I03: nothing stands behind the close */
    assert(under[me] >= last_writer);             /* I29: nobody writes behind a newer holder */
#ifdef LANDS_LATE
    assert(until && under[me] == epoch);
#endif
    last_writer = under[me]; lines++;
    if
    :: held[me] == under[me] -> known[me]++
    :: held[me] == under[me] -> ended[me] = true
    :: held[me] != under[me]
    fi
}

inline refuse(me) {
    if
    :: held[me] == under[me] -> ended[me] = true   /* RecordConflict */
    :: else
    fi
}

inline arrived(me) {
    way[me] = false; place[me] = 0; under[me] = 0
}

#ifdef APART
inline look(me) {
    atomic { way[me] && !looked[me] -> looked[me] = true; fits[me] = (place[me] == lines) }
}

inline write(me) {
    atomic {
        way[me] && looked[me] ->
        if
        :: fits[me] -> put(me)
        :: else -> refuse(me)
        fi;
        looked[me] = false; fits[me] = false; arrived(me)
    }
}
#else
inline write(me) {
    atomic {
        way[me] ->
        if
#ifdef NO_PLACE
        :: true -> put(me)
#else
        :: place[me] == lines -> put(me)
        :: else -> refuse(me)
#endif
        fi;
        arrived(me)
    }
}
#endif

inline beat(me) {
    atomic { held[me] == epoch && holder == me && until -> fence[me] = true }
}

/* The worker knows no more of the debate. What it has on its way stays there. */
inline lose(me) {
    held[me] = 0; fence[me] = false; opened[me] = false; known[me] = 0; ended[me] = false
}

inline end(me) {
    atomic {
        held[me] != 0 && (known[me] == MOST_LINES || stop || !fence[me] || ended[me]) ->
        if
#ifdef BLIND_END
        :: state == running ->
#else
        :: state == running && held[me] == epoch ->
#endif
            assert(holder == me && held[me] == epoch);       /* I62: only who holds a debate ends it */
            holder = 0; until = false;
            if
            :: known[me] == MOST_LINES -> assert(closed); state = done   /* I64 */
            :: known[me] != MOST_LINES && stop && !again -> state = cancelled
            :: known[me] != MOST_LINES && !(stop && !again) -> state = queued
            fi;
#ifdef TAKEN_OVER
            assert(!(state == done && epoch > 2));
#endif
            again = false
        :: else -> skip                            /* Lost: it belongs to others by now */
        fi;
        lose(me)
    }
}

proctype Worker(byte me) {
    do
    :: take(me)
    :: open(me)
    :: append(me)
#ifdef APART
    :: look(me)
#endif
    :: write(me)
    :: beat(me)
    :: end(me)
    :: atomic { held[me] != 0 -> lose(me) }      /* it is killed, and begins anew */
    :: atomic { state == done && held[me] == 0 && !way[me] -> break }
    :: atomic { epoch == MOST_EPOCHS && held[me] == 0 && !way[me] && state != running -> break }
    od
}

/* Clocks: a worker's own time runs out first, then the database's. */
#ifdef LATE_FENCE
#define runs_out until
#else
#define runs_out (until && (holder == 0 || !fence[holder]))
#endif

active proctype Time() {
    byte me;
    do
    :: atomic { select(me : 1 .. WORKERS); if :: fence[me] -> fence[me] = false :: else fi; me = 0 }
    :: atomic { runs_out -> until = false }
    :: atomic { state == done || epoch == MOST_EPOCHS -> break }
    od;
    do                                                 /* what still holds runs out at last */
    :: atomic { runs_out -> until = false }
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
