/** Runs the command in this process, and captures its output. */
import { tmpdir } from "node:os"
import * as path from "node:path"

import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer, ManagedRuntime, Sink, Stdio, Stream } from "effect"
import { TerminalCapabilities } from "effect/cli"

import * as Cli from "../../src/cli.ts"
import { Variables } from "../../src/config/EnvironmentVariables.ts"
import { Shutdown } from "../../src/home/Shutdown.ts"

/** The exit code and the output of a command. */
export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** An outcome with standard output as bytes, because content can be binary. */
export interface Raw extends Omit<Outcome, "stdout"> {
  readonly stdout: Uint8Array
}

/**
 * Overrides of the default surroundings, which have no service of this machine, no further environment variables, no
 * input, no terminal, and no colours.
 */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly colors?: boolean
  readonly stdin?: Stream.Stream<Uint8Array>
  /** True if standard error is a terminal. Standard output never is. */
  readonly isWatched?: boolean
  /** Runs before each piece of a stream to standard output is taken. The command must wait for it. */
  readonly beforeOutput?: (piece: string) => Effect.Effect<void>
  /** The same for standard error. */
  readonly beforeError?: (piece: string) => Effect.Effect<void>
  /** Completes when the command must shut down. */
  readonly shutdown?: Effect.Effect<string>
}

/** The folder of data, in which there is none. Otherwise a command could find a service that a developer runs. */
const NO_DATA = { XDG_DATA_HOME: path.join(tmpdir(), "plumbline-without-data") }

/** One runtime for all commands. Each runtime would add its own listeners to standard input and output. */
const node = ManagedRuntime.make(NodeServices.layer)

/** Runs `plumbline` with these arguments. */
export const run = async (args: ReadonlyArray<string>, surroundings?: Surroundings): Promise<Outcome> => {
  const outcome = await raw(args, surroundings)
  return { ...outcome, stdout: Buffer.from(outcome.stdout).toString("utf8") }
}

/** Runs a command, and returns its standard output as bytes. */
export const raw = (args: ReadonlyArray<string>, surroundings: Surroundings = {}): Promise<Raw> => {
  const stdout: Array<Uint8Array> = []
  const stderr: Array<Uint8Array> = []
  const write =
    (pieces: Array<Uint8Array>) =>
    (...texts: ReadonlyArray<unknown>) =>
      pieces.push(Buffer.from(`${texts.join(" ")}\n`))
  const caught: Console.Console = Object.assign(Object.create(console), { log: write(stdout), error: write(stderr) })
  const sink = (pieces: Array<Uint8Array>, before: (piece: string) => Effect.Effect<void>) => () =>
    Sink.forEach((piece: string | Uint8Array) =>
      Effect.andThen(
        Effect.suspend(() => before(Buffer.from(piece).toString("utf8"))),
        Effect.sync(() => pieces.push(Buffer.from(piece)))
      )
    )
  const {
    beforeError = () => Effect.void,
    beforeOutput = () => Effect.void,
    colors = false,
    env,
    isWatched = false,
    shutdown = Effect.never,
    stdin = Stream.empty
  } = surroundings
  const stdio = {
    stdin,
    stdout: sink(stdout, beforeOutput),
    stderr: sink(stderr, beforeError),
    stderrIsTerminal: Effect.succeed(isWatched)
  }
  const layer = Layer.mergeAll(
    Layer.succeed(Console.Console, caught),
    Layer.succeed(TerminalCapabilities.TerminalCapabilities, {
      canColor: colors,
      canAnimate: false,
      canPrompt: false
    }),
    Stdio.layerTest(stdio),
    Layer.succeed(Shutdown, shutdown),
    Layer.succeed(Variables, { ...NO_DATA, ...env }),
    ConfigProvider.layer(ConfigProvider.fromEnv({ env: { ...NO_DATA, ...env } }))
  )
  return node.runPromise(
    Effect.map(Effect.provide(Cli.run(args), layer), (exitCode) => ({
      exitCode,
      stdout: Buffer.concat(stdout),
      stderr: Buffer.concat(stderr).toString("utf8")
    }))
  )
}

/** Runs a command with `--json`. Standard output must be one JSON object and nothing else. */
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
