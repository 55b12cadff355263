// The report that opens without a server: the debate page with everything inside.
import { mount } from "svelte";
import type { ArgumentMap, Frame } from "./frames";
import Report from "./Report.svelte";
import "./style/base.css";
import "./style/turns.css";
import "./style/debate.css";
import "./style/print.css";

/** What the server put into the page. */
interface Inlined {
  debate: string;
  frames: Frame[];
  map: ArgumentMap | null;
  /** What a reader should know of how the debate was made; "" for nothing. */
  note?: string;
}

const text = document.getElementById("frames")!.textContent;
const { debate, frames, map, note } = JSON.parse(text || '{"debate":"","frames":[],"map":null}') as Inlined;
mount(Report, { target: document.getElementById("app")!, props: { debate, frames, map, note } });
