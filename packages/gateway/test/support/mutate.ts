/** Random changes of a text, in random places. */
import * as Seeded from "@plumbline/seeded/Random"

/** Parts of the messages of HTTP that decide about their framing. */
export const messageParts: ReadonlyArray<string> = [
  ...'\r\n\t :;,\u0000012+-ef"\\\x7f\xff\x0b',
  "\r\n",
  "\r\n\r\n",
  "\r\n ",
  "X:\r\n",
  "X: y\r\n",
  "chunked",
  "Content-Length: 2\r\n",
  "Content-Length: 0\r\n",
  "Transfer-Encoding: chunked\r\n",
  "Connection: close\r\n",
  "Connection: keep-alive\r\n",
  "Upgrade: x\r\n"
]

/** Cuts a text into two pieces at a random place. */
export const cut = (random: Seeded.Random, text: string): ReadonlyArray<string> => {
  const at = Seeded.int(random, text.length + 1)
  return [text.slice(0, at), text.slice(at)].filter((piece) => piece !== "")
}

/** Changes a text in at most three places. `parts` are put into it. */
export const mutate = (random: Seeded.Random, seed: string, parts: ReadonlyArray<string>): string => {
  let text = seed
  for (let edits = Seeded.int(random, 4); edits > 0; edits--) {
    const at = Seeded.int(random, text.length + 1)
    const to = Math.min(text.length, at + Seeded.int(random, 4))
    const kind = Seeded.int(random, 5)
    if (kind === 0) text = text.slice(0, at) + text.slice(to)
    else if (kind < 3) text = text.slice(0, at) + Seeded.pick(random, parts) + text.slice(at)
    else if (kind === 3) text = text.slice(0, at) + Seeded.pick(random, parts) + text.slice(to)
    else text = swapped(random, text)
  }
  return text
}

const swapped = (random: Seeded.Random, text: string): string => {
  const lines = text.split("\r\n")
  const one = Seeded.int(random, lines.length)
  const other = Seeded.int(random, lines.length)
  ;[lines[one], lines[other]] = [lines[other]!, lines[one]!]
  return lines.join("\r\n")
}
