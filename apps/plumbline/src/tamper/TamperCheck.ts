/**
 * Runs a program against each lie, and reports which lies the program believed.
 *
 * The program first runs once with the truth. It believes a lie if it succeeds with an output that differs from that
 * run. The program reads the node's URL from `$ETH_RPC_URL`, or from `{url}` in the command.
 */
import { spawn } from "node:child_process"

import type { Lie } from "@plumbline/tamper/lie/Lie"
import * as Effect from "effect/Effect"

/** The program's answer to a lie. */
export type LieFate =
  /** The program succeeded, and its output differed from the true one. */
  | "believed"
  /** The program ended with an error. */
  | "refused"
  /** The program was told the lie, and its output did not change. */
  | "unmoved"
  /** The program made no call whose answer the lie changes. */
  | "not asked"
  /** A signal ended the program. */
  | "crashed"
  /** The program did not end in time. */
  | "hung"

/** The outcome of one lie. */
export interface LieFinding {
  readonly lie: string
  readonly expected: Lie["expected"]
  readonly fate: LieFate
  /** Number of answers that were lies. */
  readonly told: number
}

/** The end of a run of the program. */
export interface ProgramRun {
  readonly output: string
  readonly code: number | null
  readonly isLate: boolean
}

/**
 * Maximum number of compared characters of output, so that a program that prints without end cannot fill the memory.
 */
const MAX_OUTPUT = 10_000_000

/** Runs the program against a URL; it is killed after this number of milliseconds. */
export const run = (command: string, url: string, limit: number): Effect.Effect<ProgramRun> =>
  Effect.callback<ProgramRun>((resume) => {
    const child = spawn(command.replaceAll("{url}", url), {
      shell: true,
      // a separate process group, so that killing the group also ends the shell's children
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
        // the process has ended already
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
export const fateOf = (truth: ProgramRun, { code, isLate, output }: ProgramRun, told: number): LieFate =>
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
