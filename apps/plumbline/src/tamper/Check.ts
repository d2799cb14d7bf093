/**
 * Runs a program against each lie, and says which it believed.
 *
 * The program is run once with the truth. It believes a lie if it succeeds with another output than in that run. It
 * reads the node's URL from `$ETH_RPC_URL`, or from `{url}` in the command.
 */
import { spawn } from "node:child_process"

import type { Lie } from "@plumbline/tamper/lie/Lie"
import * as Effect from "effect/Effect"

/** The program's answer to a lie. */
export type Fate =
  /** It ended well, and its output was another: it took the lie for the truth. */
  | "believed"
  /** It ended with an error. */
  | "refused"
  /** The program was told the lie, and its output did not change. */
  | "unmoved"
  /** The program made no call whose answer the lie changes. */
  | "not asked"
  /** It was ended by a signal. */
  | "crashed"
  /** The program did not end in time. */
  | "hung"

/** The outcome of one lie. */
export interface Finding {
  readonly lie: string
  readonly expected: Lie["expected"]
  readonly fate: Fate
  /** Answers that were lies. */
  readonly told: number
}

/** The end of a run of the program. */
export interface Run {
  readonly output: string
  readonly code: number | null
  readonly isLate: boolean
}

/** Characters of output that are compared: a program that prints without end must not fill the memory. */
const MAX_OUTPUT = 10_000_000

/** Runs the program against a URL; it is killed after this number of milliseconds. */
export const run = (command: string, url: string, limit: number): Effect.Effect<Run> =>
  Effect.callback<Run>((resume) => {
    const child = spawn(command.replaceAll("{url}", url), {
      shell: true,
      // a group of its own, so that what the shell started ends with it
      detached: true,
      env: { ...process.env, ETH_RPC_URL: url },
      stdio: ["ignore", "pipe", "ignore"]
    })
    let output = ""
    let isLate = false
    const kill = () => {
      try {
        process.kill(-child.pid!, "SIGKILL")
      } catch {
        // it has ended by itself
      }
    }
    const timer = setTimeout(() => {
      isLate = true
      kill()
    }, limit)
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (output.length < MAX_OUTPUT) output += text
    })
    child.once("close", (code) => {
      clearTimeout(timer)
      resume(Effect.succeed({ output, code, isLate }))
    })
    return Effect.sync(() => {
      clearTimeout(timer)
      kill()
    })
  })

/** Returns the outcome of a lie. `truth` is the run without the lie. */
export const fateOf = (truth: Run, { code, isLate, output }: Run, told: number): Fate =>
  isLate
    ? "hung"
    : code === null || code > 128
      ? "crashed"
      : code !== 0
        ? "refused"
        : told === 0
          ? "not asked"
          : output === truth.output
            ? "unmoved"
            : "believed"
