// The line to a running debate: a WebSocket that comes back by itself, without a gap and without a double.
import type { Frame, Piece } from "./frames";

/** What is told of the line: it opens, is open, is lost until `again` (ms from now), is over, or broken for a reason. */
export type Line = { is: "opening" | "open" | "over" } | { is: "lost"; again: number } | { is: "broken"; why: string };

export interface Listener {
  frames(frames: Frame[]): void;
  pieces(pieces: Piece[]): void;
  line(line: Line): void;
}

/** What Live needs of a WebSocket. */
export interface Socket {
  onopen: ((event: never) => unknown) | null;
  onmessage: ((event: { data: unknown } & never) => unknown) | null;
  onclose: ((event: { code: number } & never) => unknown) | null;
  close(): void;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 15_000;
/** Closed as it should be, or for good: a policy, no right, no such debate. */
const FINAL = new Set([1000, 1008, 4401, 4403, 4404]);

export class Live {
  private socket: Socket | null = null;
  private opened = false;
  private timer: ReturnType<typeof setTimeout> | null = null;
  private wait = FIRST_WAIT;
  private readonly listener: Listener;
  private readonly connect: (after: number) => Socket;
  /** The last entry that has come. */
  after: number;

  constructor(listener: Listener, connect: (after: number) => Socket, after = 0) {
    this.listener = listener;
    this.connect = connect;
    this.after = after;
  }

  /** Open the line, or open it anew at once. */
  start(): void {
    this.drop();
    this.listener.line({ is: "opening" });
    const socket = this.connect(this.after);
    this.socket = socket;
    this.opened = false;
    socket.onopen = () => {
      this.opened = true;
      this.wait = FIRST_WAIT;
      this.listener.line({ is: "open" });
    };
    socket.onmessage = (event: { data: unknown }) => this.take(JSON.parse(String(event.data)));
    socket.onclose = (event: { code: number }) => {
      this.socket = null;
      if (FINAL.has(event.code)) this.listener.line({ is: "over" });
      else this.later();
    };
  }

  stop(): void {
    this.drop();
  }

  private take(message: (Frame | Piece)[] | { resync: number } | { error: string }): void {
    if ("error" in message) {
      this.drop(); // coming back would find the same
      return this.listener.line({ is: "broken", why: message.error });
    }
    if (!Array.isArray(message)) return this.start(); // this viewer was too slow: what is missing comes from the record
    const fresh: Frame[] = [];
    const pieces: Piece[] = [];
    for (const each of message) {
      if (each.kind === "delta") pieces.push(each);
      else if (each.seq === this.after + 1) {
        fresh.push(each);
        this.after = each.seq;
      } else if (each.seq > this.after) {
        if (fresh.length) this.listener.frames(fresh);
        return this.start(); // a gap
      }
    }
    if (fresh.length) this.listener.frames(fresh);
    if (pieces.length) this.listener.pieces(pieces);
  }

  private later(): void {
    const wait = this.wait;
    this.wait = Math.min(LONGEST_WAIT, wait * 2);
    this.listener.line({ is: "lost", again: wait });
    this.timer = setTimeout(() => this.start(), wait);
  }

  private drop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const socket = this.socket;
    if (!socket) return;
    this.socket = socket.onopen = socket.onmessage = socket.onclose = null;
    // A browser reports it as an error where a line is closed before it is open.
    if (this.opened) socket.close();
    else socket.onopen = () => socket.close();
  }
}

/** The live stream of a debate of this server. */
export function socketOf(debate: string): (after: number) => Socket {
  return (after) => {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const path = `/api/v1/debates/${encodeURIComponent(debate)}/live?after=${after}`;
    return new WebSocket(`${scheme}//${location.host}${path}`) as unknown as Socket;
  };
}
