import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Live, type Line, type Socket } from "../src/live";

class Wire implements Socket {
  onopen: Socket["onopen"] = null;
  onmessage: Socket["onmessage"] = null;
  onclose: Socket["onclose"] = null;
  closed = false;
  readonly after: number;
  constructor(after: number) {
    this.after = after;
  }
  close(): void {
    this.closed = true;
  }
  open(): void {
    const opened = this.onopen;
    opened?.({} as never);
  }
  send(data: unknown): void {
    this.open();
    this.onmessage?.({ data: JSON.stringify(data) } as never);
  }
}

function follow(after = 0) {
  const wires: Wire[] = [];
  const got: number[] = [];
  const lines: Line[] = [];
  const texts: string[] = [];
  const listener = {
    frames: (frames: { seq: number }[]) => got.push(...frames.map((each) => each.seq)),
    pieces: (pieces: { text: string }[]) => texts.push(...pieces.map((each) => each.text)),
    line: (line: Line) => lines.push(line),
  };
  const live = new Live(listener, (from) => (wires.push(new Wire(from)), wires.at(-1)!), after);
  live.start();
  return { live, wires, got, lines, texts };
}

const entries = (...seqs: number[]) => seqs.map((seq) => ({ seq, kind: "entered" }));

describe("live", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("comes back after what it has, waiting longer each time", () => {
    const { wires, got, lines } = follow();
    wires[0]!.send(entries(1, 2));
    for (const wait of [500, 1000, 2000]) {
      wires.at(-1)!.onclose?.({ code: 1006 } as never);
      expect(lines.at(-1)).toEqual({ is: "lost", again: wait });
      vi.advanceTimersByTime(wait);
    }
    expect(wires.map((wire) => wire.after)).toEqual([0, 2, 2, 2]);
    wires.at(-1)!.onopen?.({} as never);
    wires.at(-1)!.send(entries(2, 3));
    wires.at(-1)!.onclose?.({ code: 1006 } as never);
    expect([got, lines.at(-1)]).toEqual([[1, 2, 3], { is: "lost", again: 500 }]);
  });

  it("closes a line that is not open yet as soon as it is open", () => {
    const { live, wires, lines } = follow();
    live.start();
    expect([wires[0]!.closed, wires.length]).toEqual([false, 2]);
    wires[0]!.open();
    expect([wires[0]!.closed, wires[1]!.closed, lines.at(-1)]).toEqual([true, false, { is: "opening" }]);
    live.stop();
    wires[1]!.open();
    expect([wires[1]!.closed, wires[1]!.onmessage, lines.at(-1)]).toEqual([true, null, { is: "opening" }]);
  });

  it("asks again where entries are missing, and when it was too slow", () => {
    const { wires, got } = follow(4);
    wires[0]!.send([...entries(5, 7)]);
    expect([got, wires[0]!.closed, wires[1]!.after]).toEqual([[5], true, 5]);
    wires[1]!.send({ resync: 9 });
    expect([wires[1]!.closed, wires[2]!.after]).toEqual([true, 5]);
  });

  it("says why a record cannot be read, and does not come back by itself", () => {
    const { live, wires, lines } = follow();
    wires[0]!.send({ error: "entry 7 is damaged" });
    wires[0]!.onclose?.({ code: 1011 } as never);
    vi.advanceTimersByTime(60_000);
    expect([lines.at(-1), wires.length, wires[0]!.closed]).toEqual([{ is: "broken", why: "entry 7 is damaged" }, 1, true]);
    live.start();
    expect(wires.length).toBe(2);
  });

  it("hands on pieces, and stays away when it is told so", () => {
    const { live, wires, texts, lines } = follow();
    wires[0]!.send([...entries(1), { kind: "delta", key: "a", text: "Hi" }]);
    wires[0]!.onclose?.({ code: 1000 } as never);
    vi.advanceTimersByTime(60_000);
    expect([texts, lines.at(-1), wires.length]).toEqual([["Hi"], { is: "over" }, 1]);
    live.start();
    wires[1]!.open();
    live.stop();
    vi.advanceTimersByTime(60_000);
    expect([wires.length, wires[1]!.closed]).toEqual([2, true]);
  });
});
