/** The HTTP side of the IPFS commands: checks a request, runs its command, and sends what it gives as Kubo does. */
import { Buffer } from "node:buffer"

import * as IpfsApi from "@plumbline/ipfs-client/IpfsApi"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import type { Settings } from "../IpfsOptions.ts"
import type { Project } from "../Project.ts"
import * as Redaction from "../Redaction.ts"
import * as Refusal from "../Refusal.ts"
import type { Budget } from "./budget.ts"
import * as Go from "./goForms.ts"
import { type HttpExchange, JSON_TYPE } from "./httpExchange.ts"
import type { Fork } from "./httpServer.ts"
import type { Ipfs as Target } from "./httpTarget.ts"
import * as Call from "./ipfsCall.ts"
import type { Answer, Fault, Handler } from "./ipfsHandler.ts"
import { handlers } from "./ipfsHandlers.ts"
import * as Origins from "./ipfsOrigins.ts"
import { UploadBody } from "./uploadBody.ts"
import * as UploadParts from "./uploadParts.ts"

export interface IpfsServer {
  /** Sets the headers that every answer has. */
  readonly begin: (exchange: HttpExchange) => void
  /** Answers OPTIONS: a browser asks without its credentials whether it may call. */
  readonly preflight: (exchange: HttpExchange) => void
  /** Answers a request whose project is known. */
  readonly call: (exchange: HttpExchange, project: Project, target: Target) => void
}

export const make = (options: {
  readonly settings: Settings
  readonly budget: Budget
  readonly fork: Fork
}): IpfsServer => {
  const { budget, fork, settings } = options
  const { limits } = settings

  const begin = (exchange: HttpExchange) => {
    const { headers, socket } = exchange.request
    const { origin } = headers
    exchange.common =
      origin !== undefined && Origins.isAllowed(origin, settings.allowedOrigins, socket.localPort)
        ? [...COMMON, "access-control-allow-origin", origin]
        : COMMON
  }

  const preflight = (exchange: HttpExchange) => {
    const { headers } = exchange.request
    if (headers["access-control-request-method"] === undefined) return exchange.empty(204, ALLOW)
    if (!Origins.permits(exchange.request, settings.allowedOrigins)) return exchange.refuse(Refusal.foreignOrigin)
    return exchange.empty(204, [...exchange.common, ...PREFLIGHT])
  }

  /** What is refused before the node is asked; the call, if nothing is. */
  const check = (exchange: HttpExchange, { path, query }: Target): Result.Result<Call.Call, Refusal.Refusal> => {
    const { request } = exchange
    if (!Origins.permits(request, settings.allowedOrigins)) return Result.fail(Refusal.foreignOrigin)
    if (request.method !== "POST") return Result.fail(Refusal.postOnly)
    const found = Call.find(path)
    if (found === undefined) return Result.fail(Refusal.unknownCommand)
    if (settings.disallowed.has(found.name)) return Result.fail(Refusal.disallowed)
    const encoding = request.headers["content-encoding"]
    if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") return Result.fail(Refusal.encoded)
    return Result.flatMap(Call.parse(found, query), (call) =>
      encodings(call).has(call.encoding)
        ? Result.succeed(call)
        : Result.fail(Refusal.make(400, "encoding is not supported by this command"))
    )
  }

  /** The parts of the body, if the command takes files. */
  const partsOf = (
    exchange: HttpExchange,
    { command }: Call.Call
  ): Result.Result<UploadParts.Parts, Refusal.Refusal> => {
    const file = command.args.find(({ kind }) => kind === "file")
    if (file === undefined) return Result.succeed(NO_PARTS)
    const type = exchange.request.headers["content-type"]
    if (!UploadParts.isMultipart(type)) {
      return Result.fail(Refusal.make(400, `file argument '${file.name}' is required`))
    }
    const body = new UploadBody(exchange, settings.uploadIdle)
    return Result.mapError(UploadParts.open(type, body, limits.parts), (text) => Refusal.make(400, text))
  }

  const run = (exchange: HttpExchange, project: Project, call: Call.Call, parts: UploadParts.Parts) => {
    const { args, encoding, format, name, options } = call
    const request = { node: settings.node(project), args, options, encoding, format, parts, limits, budget }
    // The table gives each command its own handler; a call has the options of its command.
    const answer = (handlers[name] as Handler<IpfsApi.Name>)(request)
    const work = Effect.flatMap(answer, (answer) => send(exchange, call, answer))
    return call.timeout === undefined
      ? work
      : Effect.timeoutOrElse(work, {
          duration: Math.min(Math.max(0, call.timeout), MAX_TIMER),
          orElse: () => Effect.fail(late)
        })
  }

  /** What becomes of an exchange whose work is over. */
  const onExit = (exchange: HttpExchange, name: string, exit: Exit.Exit<void, Fault | Late>) => {
    exchange.fiber = undefined
    if (exit._tag === "Success") return
    const error = Cause.findError(exit.cause)
    if (Result.isFailure(error)) {
      const isGivenUp = Cause.hasInterruptsOnly(exit.cause)
      if (!isGivenUp) fork(Effect.logError("ipfs command died", Redaction.text(Cause.pretty(exit.cause))))
      const refusal = isGivenUp ? Refusal.unavailable : Refusal.failed
      return exchange.isSent ? exchange.breakOff(refusal.text) : exchange.refuse(refusal)
    }
    const fault = error.success
    if (fault._tag === "Refusal") return exchange.isSent ? exchange.breakOff(fault.text) : exchange.refuse(fault)
    const message = Redaction.text(fault.message)
    if (isNodes(fault)) fork(Effect.annotateLogs(Effect.logWarning("ipfs node fault", message), { command: name }))
    if (exchange.isSent) return exchange.breakOff(message)
    const code = codeOf(fault)
    const body = Go.toJson({ Message: message, Code: code, Type: "error" })
    exchange.send(code === CLIENT ? 400 : 500, JSON_TYPE, [], Buffer.from(`${body}\n`))
  }

  return {
    begin,
    preflight,
    call: (exchange, project, target) => {
      const call = check(exchange, target)
      if (Result.isFailure(call)) return exchange.refuse(call.failure)
      const parts = partsOf(exchange, call.success)
      if (Result.isFailure(parts)) return exchange.refuse(parts.failure)
      const fiber = fork(Effect.suspend(() => run(exchange, project, call.success, parts.success)))
      exchange.fiber = fiber
      fiber.addObserver((exit) => onExit(exchange, call.success.name, exit))
    }
  }
}

/** Node's timers count in 32 bits. */
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

// Private: answers.

/** Sends an answer. Its head is sent with its first byte, so that an error before it can still have a status. */
const send = (exchange: HttpExchange, { command, name }: Call.Call, answer: Answer): Effect.Effect<void, Fault> => {
  switch (answer._tag) {
    case "Value":
      return stream(
        exchange,
        JSON_TYPE,
        Stream.sync(() => line(name, answer.value))
      )
    case "Lines":
      return stream(
        exchange,
        [...JSON_TYPE, "x-chunked-output", "1"],
        Stream.map(answer.values, (value) => line(name, value))
      )
    case "Bytes": {
      const { length } = answer
      const type = answer.contentType ?? (command.answer.kind === "bytes" ? command.answer.contentType : "text/plain")
      const headers = ["content-type", type, "x-content-type-options", "nosniff", "x-stream-output", "1"]
      if (length !== undefined) headers.push("x-content-length", String(length))
      return stream(exchange, headers, answer.bytes)
    }
  }
}

const line = (name: IpfsApi.Name, value: unknown): Uint8Array =>
  Buffer.from(`${Go.toJson(encoders.get(name)!(value))}\n`)

const stream = (
  exchange: HttpExchange,
  headers: ReadonlyArray<string>,
  bytes: Stream.Stream<Uint8Array, Fault>
): Effect.Effect<void, Fault> => {
  const begin = () => {
    // Only an answer in chunks has a trailer, and HTTP/1.0 has no chunks.
    const trailer = exchange.response.useChunkedEncodingByDefault ? ["trailer", "X-Stream-Error"] : []
    exchange.begin(200, [...headers, ...exchange.common, ...trailer])
  }
  const write = (pieces: ReadonlyArray<Uint8Array>) =>
    Effect.suspend(() => {
      if (!exchange.isSent) begin()
      const piece = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
      return piece.length === 0 || exchange.write(piece) ? Effect.void : drained
    })
  const drained = Effect.callback<void>((resume) => exchange.onDrain(() => resume(Effect.void)))
  return Effect.andThen(
    Stream.runForEachArray(bytes, write),
    Effect.sync(() => {
      if (!exchange.isSent) begin()
      exchange.finish()
    })
  )
}

/** From a value to what JSON has of it, by command. */
const encoders: ReadonlyMap<string, (value: unknown) => unknown> = new Map(
  Object.entries(IpfsApi.commands).flatMap(([name, { answer }]) =>
    answer.kind === "bytes" ? [] : [[name, Schema.encodeUnknownSync<any>(answer.schema)]]
  )
)

/** For bytes, `encoding` only says what type they are said to have. */
const encodings = ({ command, name }: Call.Call): ReadonlySet<string> =>
  name === "object/get" ? OBJECT : command.answer.kind === "bytes" ? BYTES : JSON_ONLY

const JSON_ONLY: ReadonlySet<string> = new Set(["json"])
const BYTES: ReadonlySet<string> = new Set(["json", "text"])
const OBJECT: ReadonlySet<string> = new Set(["json", "protobuf"])

// Private: errors.

const NO_PARTS: UploadParts.Parts = { next: Effect.succeed(undefined) }

/** The command took longer than the caller's `timeout`. The words are Kubo's: clients look for them. */
interface Late {
  readonly _tag: "Late"
  readonly message: string
}

const late: Late = { _tag: "Late", message: "context deadline exceeded" }

const NORMAL = 0
const CLIENT = 1
const RATE_LIMITED = 3

const codeOf = (fault: Exclude<Fault, Refusal.Refusal> | Late): number => {
  if (fault._tag === "UploadFault") return CLIENT
  return fault._tag === "IpfsNodeError" && fault.reason._tag === "QuotaExceeded" ? RATE_LIMITED : NORMAL
}

/** Whether it is for the operator to know. */
const isNodes = (fault: Exclude<Fault, Refusal.Refusal> | Late): boolean =>
  fault._tag === "IpfsNodeError" && (fault.reason._tag === "Failed" || fault.reason._tag === "Damaged")
