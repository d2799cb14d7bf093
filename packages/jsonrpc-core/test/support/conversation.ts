/**
 * Reads conversations between a client and a server from files.
 *
 * - `// ...` is a comment.
 * - `>> ...` is a text that the client sends. Consecutive lines are one packet; an empty line between them makes two
 *   packets.
 * - `<< ...` is the server's answer. An empty one means that the server sends nothing.
 * - `<- ...` is a notification that the server sends.
 * - `~~ 30 seconds` lets time pass.
 *
 * The server's messages are compared byte for byte, in order. The only exception is `"$name"`, a placeholder for an
 * unpredictable text such as the id of a subscription. Its first use takes the text at this position of the server's
 * message. From then on the placeholder is replaced by that text, also in the client's messages.
 *
 * Files at the top level run twice: each packet separately over `handle`, and the whole file over one connection. Files
 * in `handle` run only over `handle`, and files in `connection` only over a connection.
 */
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"

/** One line, or several lines that form one packet. */
export interface Step {
  readonly line: number
  readonly kind: "sends" | "answers" | "notifies" | "waits"
  readonly text: string
}

/** A packet with its answer. */
export interface Exchange {
  readonly line: number
  readonly request: string
  readonly wait: string | undefined
  readonly answer: string | undefined
}

export interface Conversation {
  readonly name: string
  readonly steps: ReadonlyArray<Step>
}

/** Returns the conversations in a folder, without those in its subfolders. */
export const readAll = (folder: string): ReadonlyArray<Conversation> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".io"))
    .sort()
    .map((file) => ({ name: path.basename(file, ".io"), steps: read(path.join(folder, file)) }))

const KINDS: ReadonlyMap<string, Step["kind"]> = new Map([
  [">>", "sends"],
  ["<<", "answers"],
  ["<-", "notifies"],
  ["~~", "waits"]
])

const read = (file: string): ReadonlyArray<Step> => {
  const steps: Array<Step> = []
  let goesOn = false
  for (const [index, text] of readFileSync(file, "utf8").trimEnd().split("\n").entries()) {
    const kind = KINDS.get(text.slice(0, 2))
    const rest = text.slice(3)
    const last = steps.at(-1)
    if (kind === undefined) {
      if (text !== "" && !text.startsWith("//")) throw new Error(`${file}:${index + 1} is nothing that may be there`)
    } else if (kind === "sends" && goesOn && last !== undefined) {
      steps.splice(-1, 1, { ...last, text: `${last.text}\n${rest}` })
    } else {
      if (text.length > 2 && text[2] !== " ") throw new Error(`${file}:${index + 1} lacks a space`)
      steps.push({ line: index + 1, kind, text: rest })
    }
    goesOn = kind === "sends"
  }
  if (steps.at(-1)?.kind === "sends") throw new Error(`${file} ends without an answer`)
  return steps
}

/** Returns the packets with their answers, for a conversation in which each packet has one. */
export const exchanges = ({ name, steps }: Conversation): ReadonlyArray<Exchange> => {
  const all: Array<Exchange> = []
  let request: Step | undefined
  let wait: string | undefined
  for (const step of steps) {
    if (step.kind === "sends" && request === undefined) {
      request = step
    } else if (step.kind === "waits" && request !== undefined) {
      wait = step.text
    } else if (step.kind === "answers" && request !== undefined) {
      all.push({ line: step.line, request: request.text, wait, answer: step.text === "" ? undefined : step.text })
      request = wait = undefined
    } else {
      throw new Error(`${name}.io:${step.line} is not in the place of a packet's answer`)
    }
  }
  return all
}

/** The texts of the placeholders in a conversation. */
export class Names {
  readonly #texts = new Map<string, string>()

  /** Returns a text with each known name replaced. */
  known(text: string): string {
    return text.replaceAll(/"\$(\w+)"/gu, (whole, name: string) =>
      JSON.stringify(this.#texts.get(name) ?? whole.slice(1, -1))
    )
  }

  /**
   * Returns the server's expected message with each name replaced. New names take their texts from the message that the
   * server sent.
   */
  learned(expected: string, sent: string): string {
    for (const [place, name] of Array.from(
      expected.matchAll(/"\$(\w+)"/gu),
      ([place, name]) => [place, name!] as const
    )) {
      if (!this.#texts.has(name)) {
        // All names before the first new one are known, so the position of the new one is known too.
        const text = /^"[^"\\]*"/u.exec(sent.slice(this.known(expected).indexOf(place)))
        if (text !== null) this.#texts.set(name, JSON.parse(text[0]))
      }
    }
    return this.known(expected)
  }
}
