// Documents that are sent with a brief: read as base64, within the bounds of the server, which are generated.
import LIMITS from "./limits.json";

export interface SentFile {
  name: string;
  data: string;
}

export const MOST_FILES = LIMITS.files;
const REST = 1024 * 1024; // bytes of a request beside its files

const bytes = (file: SentFile): Uint8Array => Uint8Array.from(atob(file.data), (letter) => letter.charCodeAt(0));

/** The text of a Markdown file, which may be a brief itself; "" of other files. */
export function markdown(file: SentFile): string {
  return /\.(md|markdown)$/i.test(file.name) ? new TextDecoder().decode(bytes(file)) : "";
}

/** Whether a file is a picture or a PDF, by its name, or else text; what it really is, the server sees. */
function fits(file: SentFile): boolean {
  if (/\.(png|jpe?g|webp|gif|pdf)$/i.test(file.name)) return true;
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes(file)).includes("\0");
  } catch {
    return false;
  }
}

/** How large a file in base64 is, in words. */
export function size(data: string): string {
  const bytes = (data.length * 3) / 4;
  return bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Why these files cannot all be sent, in a sentence; "" where they can. */
export function trouble(files: readonly SentFile[]): string {
  if (files.length > MOST_FILES) return `At most ${MOST_FILES} documents can be sent.`;
  if (files.reduce((sum, file) => sum + file.data.length, 0) > LIMITS.request - REST)
    return `The documents are too large together; ${Math.floor(((LIMITS.request - REST) * 3) / 4e6)} MB can be sent.`;
  const long = files.find((file) => file.name.length > LIMITS.name);
  if (long) return `The name of ${long.name.slice(0, 40)}… is too long; ${LIMITS.name} characters can be sent.`;
  const other = files.find((file) => !fits(file));
  return other ? `${other.name} isn't a text file, PDF or picture. Save it as a PDF and add that.` : "";
}

export function read(files: readonly File[]): Promise<SentFile[]> {
  return Promise.all(files.map(async (file) => ({ name: file.name, data: await base64(file) })));
}

/** The files with more of them, by name; one of the same name takes the place of the earlier one. */
export function merged(there: readonly SentFile[], more: readonly SentFile[]): SentFile[] {
  return [...new Map([...there, ...more].map((file) => [file.name, file])).values()];
}

function base64(file: Blob): Promise<string> {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => failed(new Error("the file can't be read"));
    reader.readAsDataURL(file);
  });
}
