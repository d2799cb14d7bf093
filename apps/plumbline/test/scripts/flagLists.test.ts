/** Tests the lists of flags in the reference of the commands. */
import { describe, expect, it } from "vitest"

import * as FlagLists from "../../scripts/flagLists.ts"

const FLAGS: Readonly<Record<string, ReadonlyArray<string>>> = {
  ask: ["- `--own`: One", "- `--chain-id <n>`: The chain", "- `--url <url>`: The node"],
  tell: ["- `--url <url>`: Another", "- `--chain-id <n>`: The chain"],
  name: ["- `--chain-id <n>`: The chain", "- `--url <url>`: The node"],
  find: ["- `--chain-id <n>`: The chain"]
}

const rewrite = (text: string) => FlagLists.rewrite(text, async (command) => FLAGS[command]!)

const list = (commands: string, ...lines: ReadonlyArray<string>) =>
  [`<!-- flags: ${commands} -->`, "", ...lines, "", "<!-- end -->", ""].join("\n")

describe("a list of flags", () => {
  it("has the flags of its command, and says where those are that several commands share", async () => {
    const page = (...lists: ReadonlyArray<string>) =>
      ["# Commands", "", "## `ask`", "", lists[0], "## `tell`", "", lists[1], "## Names & chains", "", lists[2]].join(
        "\n"
      )
    const before = page(list("ask", "- stale"), list("tell"), list("name, find"))
    const link = "- `--chain-id`: [Names & chains](#names--chains)"
    const after = page(
      list("ask", "- `--own`: One", "- `--url <url>`: The node", link),
      list("tell", "- `--url <url>`: Another", link),
      list("name, find", "- `--chain-id <n>`: The chain")
    )
    expect(await rewrite(before)).toBe(after)
    expect(await rewrite(after)).toBe(after)
  })

  it("names the flags of another list that its command lacks, if these are fewer", async () => {
    const flags = (...names: ReadonlyArray<string>) => names.map((name) => `- \`--${name}\`: Of ${name}`)
    const commands: Readonly<Record<string, ReadonlyArray<string>>> = {
      all: flags("a", "b", "c"),
      also: flags("a", "b", "c"),
      most: flags("own", "a", "b"),
      one: flags("a")
    }
    const page = (...lines: ReadonlyArray<string>) =>
      [
        ["## Shared", list("all, also", ...flags("a", "b", "c"))],
        ["## Every", list("all", lines[0]!)],
        ["## Most", list("most", ...flags("own"), lines[1]!)],
        ["## One", list("one", lines[2]!)]
      ]
        .flat()
        .join("\n\n")
    const after = page(
      "- All of [Shared](#shared)",
      "- All of [Shared](#shared) without `--c`",
      "- `--a`: [Shared](#shared)"
    )
    expect(await FlagLists.rewrite(page("-", "-", "-"), async (command) => commands[command]!)).toBe(after)
  })

  it("without its end is refused, because the text up to the next end would be lost", async () => {
    const end = "<!-- end -->"
    const two = `# Commands\n\n${list("ask")}\nA sentence.\n\n${list("tell")}`
    for (const at of [two.indexOf(end), two.lastIndexOf(end)]) {
      await expect(rewrite(two.slice(0, at) + two.slice(at + end.length))).rejects.toThrow("end")
    }
    // as many ends as lists, and the first list has none
    const moved = two.slice(0, two.indexOf(end)) + two.slice(two.indexOf(end) + end.length) + end
    await expect(rewrite(moved)).rejects.toThrow("the list of flags of ask has no <!-- end -->")
  })
})
