"""Sixty small changes in Python, TypeScript and Go: forty with one planted fault of ten kinds, and twenty without one.

Each case is one function that a change adds to a file. In the text of a case, lines after ``!!`` are the faulty ones,
and lines after ``ok`` the right ones in their place. Changes without a fault are right versions of the same code.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

PRELUDES: Mapping[str, str] = {
    "py": '"""Small helpers."""\n\nLIMIT = 10\n\n\ndef known(user):\n    return user is not None\n\n\n',
    "ts": "// Small helpers.\nconst LIMIT = 10;\n\nexport function known(user: User) {\n  return user !== null;\n}\n\n",
    "go": "package helpers\n\nconst limit = 10\n\nfunc known(user *User) bool {\n\treturn user != nil\n}\n\n",
}
"""What a file holds before the change, by its language."""

CASES = """
@ boundary correctness pages.py The last page is lost.
def pages(total, size):
!!    count = total // size
ok    count = -(-total // size)
    return range(count)
@ boundary correctness last.py The last item is never read.
def last(items, wanted):
!!    for n in range(len(items) - 1):
ok    for n in range(len(items)):
        if items[n] == wanted:
            return n
    return None
@ boundary correctness window.ts The last window is left out.
export function windows(items: number[], size: number) {
  const out: number[][] = [];
!!  for (let n = 0; n < items.length - size; n++) out.push(items.slice(n, n + size));
ok  for (let n = 0; n + size <= items.length; n++) out.push(items.slice(n, n + size));
  return out;
}
@ boundary correctness clamp.go The index can be the length of the list.
func clamp(index int, items []string) string {
!!	if index > len(items) {
ok	if index >= len(items) {
		index = len(items) - 1
	}
	return items[index]
}
@ inverted correctness door.py Banned users are let in.
def may_enter(user):
!!    if user.banned:
ok    if not user.banned:
        return True
    return False
@ inverted security token.py An expired token is accepted.
def is_valid(token, now):
    if token.revoked:
        return False
!!    return token.expires < now
ok    return token.expires > now
@ inverted correctness cart.ts An empty cart can be paid.
export function canPay(cart: { items: string[] }) {
!!  return cart.items.length === 0;
ok  return cart.items.length > 0;
}
@ inverted correctness retry.go It tries again after success.
func retry(send func() error) error {
	err := send()
!!	if err == nil {
ok	if err != nil {
		err = send()
	}
	return err
}
@ await concurrency load.py The read is not awaited.
async def load(store, key):
!!    data = store.read(key)
ok    data = await store.read(key)
    return data.rows
@ await concurrency close.py The connection is never closed, because nothing awaits it.
async def stop(server):
    server.accepting = False
!!    server.close()
ok    await server.close()
    return True
@ await concurrency save.ts The answer is sent before the record is saved.
export async function save(db: Db, row: Row) {
!!  db.insert(row);
ok  await db.insert(row);
  return { saved: true };
}
@ await concurrency workers.go It returns before the workers have ended.
func runAll(jobs []func()) {
	var group sync.WaitGroup
	for _, job := range jobs {
		group.Add(1)
		go func() { defer group.Done(); job() }()
	}
!!	go group.Wait()
ok	group.Wait()
}
@ swallowed data save.py A text that cannot be written is lost without a word.
def save(path, text):
    try:
        path.write_text(text)
    except OSError:
!!        pass
ok        raise
@ swallowed data move.py The source is removed although the copy failed.
def move(source, target, copy):
    try:
        copy(source, target)
!!    except IOError:
!!        target = None
ok    except IOError:
ok        return False
    source.unlink()
    return True
@ swallowed correctness parse.ts A broken file is read as an empty one.
export function parse(text: string): Settings {
  try {
    return JSON.parse(text);
  } catch (error) {
!!    return {};
ok    throw new Error("the settings are no JSON", { cause: error });
  }
}
@ swallowed data write.go The error of writing is dropped.
func write(file *os.File, data []byte) error {
!!	_, _ = file.Write(data)
!!	return nil
ok	_, err := file.Write(data)
ok	return err
}
@ query security find.py The name goes into the query as it is.
def find(db, name):
!!    return db.run(f"select * from users where name = '{name}'")
ok    return db.run("select * from users where name = ?", (name,))
@ query security ping.py The host goes into a shell.
def ping(run, host):
    seconds = 2
!!    return run(f"ping -W {seconds} {host}", shell=True)
ok    return run(["ping", "-W", str(seconds), "--", host])
@ query security page.ts The title goes into the page as it is.
export function heading(node: HTMLElement, title: string) {
!!  node.innerHTML = "<h1>" + title + "</h1>";
ok  node.replaceChildren(Object.assign(document.createElement("h1"), { textContent: title }));
}
@ query security remove.go The id goes into the query as it is.
func remove(db *sql.DB, id string) error {
!!	_, err := db.Exec("delete from notes where id = '" + id + "'")
ok	_, err := db.Exec("delete from notes where id = $1", id)
	return err
}
@ shared correctness tags.py All calls share one list.
!!def add(tag, tags=[]):
okdef add(tag, tags=()):
!!    tags.append(tag)
!!    return tags
ok    return [*tags, tag]
@ shared correctness rows.py Every row is the same list.
def table(rows, columns):
!!    cells = [[0] * columns] * rows
ok    cells = [[0] * columns for _ in range(rows)]
    cells[0][0] = 1
    return cells
@ shared correctness defaults.ts A caller changes the defaults of all others.
const DEFAULTS = { size: 10, tags: [] as string[] };
export function settings(tag: string) {
!!  const mine = DEFAULTS;
ok  const mine = { ...DEFAULTS, tags: [...DEFAULTS.tags] };
  mine.tags.push(tag);
  return mine;
}
@ shared correctness head.go The returned slice shares memory with the caller's.
func without(items []int, index int) []int {
!!	return append(items[:index], items[index+1:]...)
ok	return append(append([]int{}, items[:index]...), items[index+1:]...)
}
@ lock concurrency count.py Two threads can lose a count.
def count(lock, counts, name):
!!    counts[name] = counts.get(name, 0) + 1
ok    with lock:
ok        counts[name] = counts.get(name, 0) + 1
    return True
@ lock concurrency pay.py The balance can be spent twice between the test and the change.
async def pay(lock, account, amount, book):
!!    if account.balance >= amount:
ok    async with lock:
ok        if account.balance < amount:
ok            return False
        await book(account, amount)
        account.balance -= amount
    return True
@ lock concurrency once.ts Two callers can both load it.
let pending: Promise<Data> | undefined;
export async function once(load: () => Promise<Data>) {
!!  pending ??= Promise.resolve(await load());
ok  pending ??= load();
  return pending;
}
@ lock concurrency cache.go The lock stays taken when the key is not there.
func (c *cache) get(key string) (string, bool) {
	c.lock.Lock()
!!	value, there := c.values[key]
!!	if !there {
!!		return "", false
!!	}
!!	c.lock.Unlock()
ok	defer c.lock.Unlock()
ok	value, there := c.values[key]
	return value, there
}
@ unit correctness wait.py The pause is a thousand times too long.
def pause(sleep, milliseconds):
!!    sleep(milliseconds)
ok    sleep(milliseconds / 1000)
    return True
@ unit correctness size.py Kilobytes are compared with bytes.
def fits(path, most_kilobytes):
    size = path.stat().st_size
!!    return size <= most_kilobytes
ok    return size <= most_kilobytes * 1024
@ unit correctness turn.ts Degrees are taken for radians.
export function turn(point: [number, number], degrees: number) {
!!  const angle = degrees;
ok  const angle = (degrees * Math.PI) / 180;
  return [point[0] * Math.cos(angle), point[0] * Math.sin(angle)];
}
@ unit correctness timeout.go The timeout is in nanoseconds.
func within(seconds int, work func(time.Duration)) {
!!	work(time.Duration(seconds))
ok	work(time.Duration(seconds) * time.Second)
}
@ variable correctness area.py The height is never used.
def area(width, height):
    if width < 0 or height < 0:
        raise ValueError("no area")
!!    return width * width
ok    return width * height
@ variable correctness merge.py The left list is returned in place of the merged one.
def merge(left, right):
    merged = sorted({*left, *right})
!!    return left
ok    return merged
@ variable correctness swap.ts The source is compared with itself.
export function changed(source: string, target: string) {
!!  return source.trim() !== source.trim();
ok  return source.trim() !== target.trim();
}
@ variable correctness shadow.go The outer error is hidden and never returned.
func open(path string) (file *os.File, err error) {
	if path != "" {
!!		file, err := os.Open(path)
!!		_, _ = file, err
ok		file, err = os.Open(path)
	}
	return file, err
}
@ handle data size2.py The file stays open.
def length(path):
!!    file = open(path)
!!    return len(file.read())
ok    with open(path) as file:
ok        return len(file.read())
@ handle data temp.py The folder is left behind where the work fails.
def aside(make, work, remove):
    folder = make()
!!    result = work(folder)
!!    remove(folder)
!!    return result
ok    try:
ok        return work(folder)
ok    finally:
ok        remove(folder)
@ handle performance listen.ts The listener is never removed.
export function onResize(target: Window, act: () => void) {
  target.addEventListener("resize", act);
!!  return () => {};
ok  return () => target.removeEventListener("resize", act);
}
@ handle performance body.go The body is never closed.
func fetch(url string) ([]byte, error) {
	answer, err := http.Get(url)
	if err != nil {
		return nil, err
	}
!!	return io.ReadAll(answer.Body)
ok	defer answer.Body.Close()
ok	return io.ReadAll(answer.Body)
}
"""


@dataclass(frozen=True)
class Case:
    """A change, with what is wrong with it.

    Attributes:
        kind: the kind of the fault; "" for a change without one.
        category: what the fault concerns.
        path: the file.
        claim: the fault in a sentence.
        old: the file before the change.
        new: the file after it.
        lines: the first and the last line of the fault.
    """

    kind: str
    category: str
    path: str
    claim: str
    old: str
    new: str
    lines: tuple[int, int]

    @property
    def diff(self) -> str:
        """The change as git writes it."""
        rows = difflib.unified_diff(
            self.old.splitlines(keepends=True),
            self.new.splitlines(keepends=True),
            f"a/{self.path}",
            f"b/{self.path}",
            n=12,
        )
        return f"diff --git a/{self.path} b/{self.path}\n{''.join(rows)}"

    def words(self, line: int) -> str:
        """The words of a line after the change."""
        return self.new.splitlines()[line - 1]


def read_cases() -> tuple[list[Case], list[Case]]:
    """The changes with a planted fault, and those without one."""
    planted: list[Case] = []
    clean: list[Case] = []
    for block in CASES.strip().removeprefix("@ ").split("\n@ "):
        head, _, body = block.partition("\n")
        kind, category, path, claim = head.split(" ", 3)
        planted.append(_case(kind, category, path, claim, body))
        if len([case for case in planted if case.kind == kind]) in (1, 3):
            clean.append(_case("", category, path, claim, body))
    return planted, clean


def _case(kind: str, category: str, path: str, claim: str, body: str) -> Case:
    wanted, other = ("!!", "ok") if kind else ("ok", "!!")
    old = PRELUDES[path.rpartition(".")[2]]
    first, rows, marked = len(old.splitlines()) + 1, list[str](), list[int]()
    for row in body.splitlines():
        if row.startswith(other):
            continue
        if row.startswith(wanted):
            marked.append(first + len(rows))
        rows.append(row.removeprefix(wanted))
    new = old + "".join(f"{row}\n" for row in rows)
    return Case(kind, category, path, claim, old, new, (marked[0], marked[-1]))
