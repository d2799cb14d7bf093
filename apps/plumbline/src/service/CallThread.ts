/**
 * A thread that runs calls over proven state. It proves each read itself; the service reads the node for it.
 *
 * Started by `CallThreads`.
 */
import { parentPort } from "node:worker_threads"

import type { CallNode, CallRunner, ProvenCall } from "@plumbline/eth-methods/call/CallEngine"
import type { AnyOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as VerifiedCalls from "@plumbline/verified-calls/VerifiedCalls"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"

import * as CallMessages from "./CallMessages.ts"

/** Time for which a call may wait for its node in all: the service bounds the time for which it runs. */
const WHOLE_TIME = "15 seconds"

const port = parentPort!
const send = (message: CallMessages.FromThread): void => port.postMessage(message)

/** The call for which a read is made. */
const CurrentCall: Context.Reference<number> = Context.Reference<number>("plumbline/CallThread/CurrentCall", {
  defaultValue: () => -1
})

const calls = new Map<number, Fiber.Fiber<ProvenCall<AnyOutcome>, CallMessages.RunFailure>>()
const runners = new Map<number, CallRunner>()
const answers = new Map<number, (outcome: CallMessages.Outcome<unknown>) => void>()
let gathered: Array<CallMessages.Read> = []
let count = 0

/** Sends the reads that were made in one turn of the loop together: the service asks its node for them in one packet. */
const gather = (read: CallMessages.Read): void => {
  if (gathered.push(read) > 1) return
  setImmediate(() => {
    const reads = gathered
    gathered = []
    send({ _tag: "Reads", reads })
  })
}

const readOf =
  (method: CallMessages.ReadMethod) =>
  (...args: ReadonlyArray<unknown>): Effect.Effect<unknown, JsonRpcError> =>
    Effect.flatMap(CurrentCall, (call) =>
      Effect.callback((resume) => {
        const read = count++
        answers.set(read, (outcome) => {
          answers.delete(read)
          switch (outcome._tag) {
            case "Success":
              return resume(Exit.succeed(outcome.value))
            case "Failure":
              return resume(Exit.fail(CallMessages.failureOf(outcome.error) as JsonRpcError))
            case "Defect":
              return resume(Exit.die(new Error(outcome.problem)))
          }
        })
        gather({ call, read, method, args })
        return Effect.sync(() => {
          if (answers.delete(read)) send({ _tag: "Leave", read })
        })
      })
    )

/** The node of the service. An access list is only a hint, and is asked for by the service. */
const node = {
  ...Object.fromEntries(CallMessages.reads.map((method) => [method, readOf(method)])),
  createAccessList: () => Effect.never
} as unknown as CallNode

const runnerOf = ({ chain, chainId, number }: CallMessages.RunnerKey): CallRunner => {
  let runner = runners.get(number)
  if (runner === undefined) {
    runner = VerifiedCalls.make({ chain, bounds: { time: WHOLE_TIME } }).over(node, chainId)
    runners.set(number, runner)
  }
  return runner
}

const outcomeOf = (
  exit: Exit.Exit<ProvenCall<AnyOutcome>, CallMessages.RunFailure>
): CallMessages.Outcome<ProvenCall<AnyOutcome>> | undefined => {
  if (exit._tag === "Success") return { _tag: "Success", value: exit.value }
  if (Cause.hasInterruptsOnly(exit.cause)) return undefined
  const error = Cause.findError(exit.cause)
  return Result.isSuccess(error)
    ? { _tag: "Failure", error: CallMessages.plainOf(error.success) }
    : { _tag: "Defect", problem: Cause.pretty(exit.cause) }
}

type AnyRun = (...call: ReadonlyArray<unknown>) => Effect.Effect<ProvenCall<AnyOutcome>, CallMessages.RunFailure>

const run = ({
  block,
  call,
  method,
  options,
  request,
  runner
}: Extract<CallMessages.ToThread, { _tag: "Run" }>): void => {
  // the service proved the block: only the thread that shows it is another one
  const proven = { ...block, _tag: "VERIFIED", proven: [], claimed: [] } as unknown as Verified<unknown>
  const running = (runnerOf(runner)[method] as AnyRun)(request, proven, options)
  const fiber = Effect.runFork(Effect.provideService(running, CurrentCall, call))
  calls.set(call, fiber)
  fiber.addObserver((exit) => {
    calls.delete(call)
    send({ _tag: "Ended", call, outcome: outcomeOf(exit) })
  })
}

// the engine loads its machine with the first call, whose time is bounded: so the largest part of it is loaded before
await import("@ethereumjs/evm")

port.on("message", (message: CallMessages.ToThread) => {
  switch (message._tag) {
    case "Run":
      return run(message)
    case "Stop":
      return calls.get(message.call)?.interruptUnsafe()
    case "Forget":
      return void runners.delete(message.runner)
    case "Answer":
      return answers.get(message.read)?.(message.outcome)
  }
})
send({ _tag: "Ready" })
