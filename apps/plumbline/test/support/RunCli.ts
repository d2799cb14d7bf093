/**
 * Runs the command in this process, with what it prints caught.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer, ManagedRuntime } from "effect"
import { TerminalCapabilities } from "effect/cli"

import * as Cli from "../../src/cli.ts"

/** How it ended, and what it printed. */
export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Surroundings that differ from the usual: no variables of the environment, and no colours. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly colors?: boolean
}

/** One for all: each would listen to standard input and output for itself. */
const node = ManagedRuntime.make(NodeServices.layer)

/** Runs `plumbline` with these arguments. */
export const run = (args: ReadonlyArray<string>, surroundings: Surroundings = {}): Promise<Outcome> => {
  const stdout: Array<string> = []
  const stderr: Array<string> = []
  const caught: Console.Console = Object.assign(Object.create(console), {
    log: (...texts: ReadonlyArray<unknown>) => stdout.push(`${texts.join(" ")}\n`),
    error: (...texts: ReadonlyArray<unknown>) => stderr.push(`${texts.join(" ")}\n`)
  })
  const canColor = surroundings.colors ?? false
  const layer = Layer.mergeAll(
    Layer.succeed(Console.Console, caught),
    Layer.succeed(TerminalCapabilities.TerminalCapabilities, { canColor, canAnimate: false, canPrompt: false }),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...surroundings.env } }))
  )
  return node.runPromise(
    Effect.map(Effect.provide(Cli.run(args), layer), (exitCode) => ({
      exitCode,
      stdout: stdout.join(""),
      stderr: stderr.join("")
    }))
  )
}

/** The same with `--json`: the one object that must be on standard output, and nothing beside it. */
export const json = async (args: ReadonlyArray<string>, surroundings?: Surroundings): Promise<JsonOutcome> => {
  const { exitCode, stderr, stdout } = await run([...args, "--json"], surroundings)
  const lines = stdout.split("\n")
  if (lines.length !== 2 || lines[1] !== "" || stderr !== "") {
    throw new Error(`not one line on standard output alone: ${JSON.stringify({ stdout, stderr })}`)
  }
  return { exitCode, answer: JSON.parse(lines[0]!) }
}

/** The answer as a program sees it. */
export interface JsonOutcome {
  readonly exitCode: number
  readonly answer: any
}
