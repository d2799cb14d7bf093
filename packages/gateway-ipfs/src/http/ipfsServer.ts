/** The HTTP server of the IPFS commands. It checks a request, runs its command, and sends the result as Kubo does. */
import type { CompiledAllowlist } from "@plumbline/gateway/accounts/Allowlist"
import * as Redaction from "@plumbline/gateway/errors/Redaction"
import {
  membersOf,
  type HttpExchange,
  type MemoryBudget,
  type SpawnFiber,
  UploadBody,
  IPFS_PLACE,
  type AdmittedCaller,
  type WorkOutcome,
  type Settlement,
  type StepScheduler
} from "@plumbline/gateway/GatewayInternals"
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import * as LimitExceeded from "@plumbline/gateway/limits/LimitExceeded"
import { overLimit, UNKNOWN_METHOD } from "@plumbline/gateway/metering/Usage"
import type * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import type { IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import type { QuotaExceeded } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import type { IpfsSettings } from "../IpfsOptions.ts"
import * as BlockWork from "./blockWork.ts"
import * as CommandCall from "./commandCall.ts"
import type { CommandFault, CommandHandler } from "./commandHandler.ts"
import { handlers } from "./commandHandlers.ts"
import * as CommandRateLimit from "./commandRateLimit.ts"
import * as CsrfOrigins from "./csrfOrigins.ts"
import * as Ending from "./ending.ts"
import * as IpfsAnswers from "./ipfsAnswer.ts"
import * as IpfsRefusals from "./ipfsRefusals.ts"
import * as MfsRefusal from "./mfsRefusal.ts"
import * as MultipartUpload from "./multipartUpload.ts"
import * as TransferTally from "./transferTally.ts"

/** The target of a command: the path after `/api/v0/`, and the query. */
export interface CommandTarget {
  readonly path: string
  readonly query: string
}

export interface IpfsServer {
  /** Sets the headers that every answer has. */
  readonly begin: (exchange: HttpExchange) => void
  /** Answers OPTIONS. A browser sends OPTIONS to ask for permission before a call. It sends no credentials with it. */
  readonly preflight: (exchange: HttpExchange) => void
  /** Answers a request of an admitted caller. */
  readonly call: (exchange: HttpExchange, admitted: AdmittedCaller, target: CommandTarget) => void
}

interface IpfsServerOptions {
  readonly settings: IpfsSettings
  readonly budget: MemoryBudget
  readonly settlement: Pick<Settlement, "more" | "run">
  readonly turns: StepScheduler
  readonly fork: SpawnFiber
}

export const make = (options: IpfsServerOptions): IpfsServer => {
  const { fork, settings, settlement, turns } = options

  const begin = (exchange: HttpExchange) => {
    const { headers, socket } = exchange.request
    const { origin } = headers
    exchange.common =
      origin !== undefined && CsrfOrigins.isAllowed(origin, settings.allowedOrigins, socket.localPort)
        ? [...COMMON, "access-control-allow-origin", origin]
        : COMMON
  }

  const preflight = (exchange: HttpExchange) => {
    const { headers } = exchange.request
    if (headers["access-control-request-method"] === undefined) return exchange.empty(204, ALLOW)
    if (!CsrfOrigins.permits(exchange.request, settings.allowedOrigins))
      return exchange.refuse(IpfsRefusals.foreignOrigin)
    return exchange.empty(204, [...exchange.common, ...PREFLIGHT])
  }

  /** Runs a command, or its refusal, within the rate limit. The outcome is recorded before the answer ends. */
  const command = (
    exchange: HttpExchange,
    { config, holder, rules }: AdmittedCaller,
    target: CommandTarget
  ): Effect.Effect<void> => {
    const name = CommandCall.find(target.path)?.name
    const { key, project } = holder
    const tally = TransferTally.empty()
    const outcome = (answer: Ending.Ending, stored?: number, limit?: string): WorkOutcome<Ending.Ending> => ({
      answer,
      usages: [
        {
          project: project.id,
          product: "ipfs",
          network: IPFS_PLACE,
          method: name ?? UNKNOWN_METHOD,
          status: answer.status,
          key: key.id,
          outcome: limit === undefined ? undefined : overLimit(limit),
          calls: 1,
          credits: 0,
          bytesIn: exchange.bytesIn,
          bytesOut: Ending.bytesOf(exchange, answer),
          ipfs: { uploaded: tally.uploaded, downloaded: tally.downloaded, stored }
        }
      ]
    })
    const work = (call: CommandCall.CommandCall, parts: MultipartUpload.UploadParts) =>
      Effect.gen(function* () {
        const node = TransferTally.counted(settings.node(holder, settings.quotas(holder)), tally)
        const paid = BlockWork.paid(run(options, exchange, node, call, parts), project, {
          turns,
          more: settlement.more
        })
        const exit = yield* Effect.exit(Effect.interruptible(paid))
        const stored = PINNING.has(call.name) ? yield* Effect.option(settings.stored(holder)) : Option.none()
        const ofFault = (fault: CommandFault | Late) => failedBy(fork, call.name, fault)
        const ending = Ending.of(exchange, exit, { died: DIED, fork, ofFault })
        return outcome(ending, Option.getOrUndefined(stored))
      })
    return Effect.map(
      settlement.run({
        project: CommandRateLimit.limited(project, name),
        credits: CommandRateLimit.COST,
        members: membersOf(holder, 1),
        work: () => {
          const call = check(settings, exchange, rules, target)
          if (Result.isFailure(call)) return Effect.succeed(outcome(refusedCall(target, call.failure)))
          const parts = partsOf(settings, exchange, call.success)
          if (Result.isFailure(parts)) return Effect.succeed(outcome(Ending.refused(parts.failure)))
          return work(call.success, parts.success)
        },
        exceeded: (exceeded) => {
          const { error, headers, status } = LimitExceeded.answer(exceeded, config.settings.wording)
          return outcome(
            IpfsAnswers.failed(status, RATE_LIMITED, error.message, { headers }),
            undefined,
            exceeded.limit
          )
        },
        closed: () => outcome(Ending.refused(HttpRefusal.unavailable)),
        unmetered: () => outcome(Ending.refused(HttpRefusal.unavailable))
      }),
      (ending) => Ending.end(exchange, ending)
    )
  }

  return {
    begin,
    preflight,
    call: (exchange, admitted, target) => Ending.run(exchange, command(exchange, admitted, target), DIED, fork)
  }
}

const DIED = "ipfs command died"

/** Longest time that a timer of Node can have, in milliseconds: Node keeps it as a signed 32-bit integer. */
const MAX_TIMER = 0x7fff_ffff

// Private: headers.

const EXPOSED = "X-Stream-Output, X-Chunked-Output, X-Content-Length"

const COMMON: ReadonlyArray<string> = [
  "access-control-allow-headers",
  EXPOSED,
  "access-control-expose-headers",
  EXPOSED,
  "server",
  "plumbline",
  "vary",
  "Origin"
]

const ALLOW: ReadonlyArray<string> = ["allow", "OPTIONS, POST"]

const PREFLIGHT: ReadonlyArray<string> = [
  "access-control-allow-methods",
  "POST",
  "access-control-allow-headers",
  "authorization, content-type",
  "access-control-max-age",
  "600"
]

// Private: commands.

/** Returns the encodings that a command accepts. If the answer is bytes, `encoding` only sets the content type. */
const encodings = ({ command, name }: CommandCall.CommandCall): ReadonlySet<string> =>
  name === "object/get" ? OBJECT : command.answer.kind === "bytes" ? BYTES : JSON_ONLY

/** The commands that change the stored bytes of a project. */
const PINNING: ReadonlySet<IpfsApi.CommandName> = new Set([
  "add",
  "block/put",
  "dag/import",
  "dag/put",
  "object/put",
  "pin/add",
  "pin/rm",
  "pin/update"
])

const JSON_ONLY: ReadonlySet<string> = new Set(["json"])
const BYTES: ReadonlySet<string> = new Set(["json", "text"])
const OBJECT: ReadonlySet<string> = new Set(["json", "protobuf"])

/** Checks a request before the node is asked. Returns the call or a refusal. */
const check = (
  settings: IpfsSettings,
  exchange: HttpExchange,
  rules: CompiledAllowlist,
  { path, query }: CommandTarget
): Result.Result<CommandCall.CommandCall, HttpRefusal.HttpRefusal> => {
  const { request } = exchange
  if (!CsrfOrigins.permits(request, settings.allowedOrigins)) return Result.fail(IpfsRefusals.foreignOrigin)
  if (request.method !== "POST") return Result.fail(IpfsRefusals.postOnly)
  const found = CommandCall.find(path)
  if (found === undefined) return Result.fail(IpfsRefusals.unknownCommand)
  if (settings.disallowed.has(found.name)) return Result.fail(IpfsRefusals.disallowed)
  if (!rules.call(found.name, [])) return Result.fail(IpfsRefusals.methodNotListed(found.name))
  const encoding = request.headers["content-encoding"]
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") return Result.fail(HttpRefusal.encoded)
  return Result.flatMap(CommandCall.parse(found, query), (call) =>
    encodings(call).has(call.encoding)
      ? Result.succeed(call)
      : Result.fail(HttpRefusal.make(400, "encoding is not supported by this command"))
  )
}

/** Returns a reader of the body's parts. For a command without files, the reader has no parts. */
const partsOf = (
  { limits, uploadIdle }: IpfsSettings,
  exchange: HttpExchange,
  { command }: CommandCall.CommandCall
): Result.Result<MultipartUpload.UploadParts, HttpRefusal.HttpRefusal> => {
  const file = command.args.find(({ kind }) => kind === "file")
  if (file === undefined) return Result.succeed(NO_PARTS)
  const type = exchange.request.headers["content-type"]
  if (!MultipartUpload.isMultipart(type)) {
    return Result.fail(HttpRefusal.make(400, `file argument '${file.name}' is required`))
  }
  const body = new UploadBody(exchange, uploadIdle)
  return Result.mapError(MultipartUpload.open(type, body, limits.parts), (text) => HttpRefusal.make(400, text))
}

/** Runs a command and sends its answer, except the end. */
const run = (
  { budget, settings }: IpfsServerOptions,
  exchange: HttpExchange,
  node: IpfsNodeCommands,
  call: CommandCall.CommandCall,
  parts: MultipartUpload.UploadParts
) => {
  const { limits } = settings
  const { args, encoding, format, name, options } = call
  const request = { node, args, options, encoding, format, parts, limits, budget }
  // The cast is safe: `handlers` has the right handler for each command, and a call has its command's options.
  const answer = (handlers[name] as CommandHandler<IpfsApi.CommandName>)(request)
  const work = Effect.flatMap(answer, (answer) => IpfsAnswers.send(exchange, call, answer, budget))
  return call.timeout === undefined
    ? work
    : Effect.timeoutOrElse(work, {
        duration: Math.min(Math.max(0, call.timeout), MAX_TIMER),
        orElse: () => Effect.fail(late)
      })
}

// Private: errors.

/** Returns the end of an answer that failed. */
const failedBy = (fork: SpawnFiber, name: string, fault: CommandFault | Late): Ending.Ending => {
  if (fault._tag === "Refusal") return Ending.refused(fault)
  const message = Redaction.text(fault.message)
  if (isNodes(fault)) fork(Effect.annotateLogs(Effect.logWarning("ipfs node fault", message), { command: name }))
  if (fault._tag === "UploadError") return IpfsAnswers.failed(400, CLIENT, message)
  if (fault._tag === "IpfsNodeError" && fault.reason._tag === "StorageFull") {
    return IpfsAnswers.failed(INSUFFICIENT_STORAGE, NORMAL, message)
  }
  // Kubo answers all errors with 500. An exceeded quota is not an error of the node, so 429 is recorded.
  return quotaOf(fault) === undefined
    ? IpfsAnswers.failed(500, NORMAL, message)
    : IpfsAnswers.failed(500, RATE_LIMITED, message, { status: 429 })
}

/**
 * Returns the answer to a refused call. For a command of Kubo's mutable file system, the answer names the command to
 * use instead.
 */
const refusedCall = ({ path }: CommandTarget, refusal: HttpRefusal.HttpRefusal): Ending.Ending => {
  const mutable = refusal === IpfsRefusals.unknownCommand ? MfsRefusal.refusal(path) : undefined
  return mutable === undefined ? Ending.refused(refusal) : IpfsAnswers.failed(500, NORMAL, mutable.message)
}

const NO_PARTS: MultipartUpload.UploadParts = { next: Effect.succeed(undefined) }

/**
 * The error of a command that took longer than the caller's `timeout`. It has the text of Kubo's error, because clients
 * look for this text.
 */
interface Late {
  readonly _tag: "Late"
  readonly message: string
}

const late: Late = { _tag: "Late", message: "context deadline exceeded" }

const INSUFFICIENT_STORAGE = 507

const NORMAL = 0
const CLIENT = 1
const RATE_LIMITED = 3

const quotaOf = (fault: CommandFault | Late): QuotaExceeded["quota"] | undefined =>
  fault._tag === "IpfsNodeError" && fault.reason._tag === "QuotaExceeded" ? fault.reason.quota : undefined

/** True if the node caused the error, so that the error must be logged. */
const isNodes = (fault: Exclude<CommandFault, HttpRefusal.HttpRefusal> | Late): boolean =>
  fault._tag === "IpfsNodeError" && ["Damaged", "Failed", "StorageFull", "TimedOut"].includes(fault.reason._tag)
