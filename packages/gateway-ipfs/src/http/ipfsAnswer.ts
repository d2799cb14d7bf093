/** Sends the answers of commands in Kubo's forms, except their ends. */
import { Buffer } from "node:buffer"

import { type HttpExchange, JSON_TYPE, type MemoryBudget } from "@plumbline/gateway/GatewayInternals"
import * as HttpRefusal from "@plumbline/gateway/http/HttpRefusal"
import * as IpfsApi from "@plumbline/ipfs-client/commands/IpfsApi"
import * as WorkScheduler from "@plumbline/ipfs-client/work/WorkScheduler"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"

import * as AnswerText from "./answerText.ts"
import type * as CommandCall from "./commandCall.ts"
import type { CommandAnswer, CommandFault } from "./commandHandler.ts"
import * as Ending from "./ending.ts"
import * as Go from "./goForms.ts"

/** Returns an error in Kubo's form. `status` is recorded (default: `httpStatus`). */
export const failed = (
  httpStatus: number,
  code: number,
  message: string,
  { headers = [], status = httpStatus }: { readonly headers?: ReadonlyArray<string>; readonly status?: number } = {}
): Ending.Ending => {
  const body = Buffer.from(`${Go.toJson({ Message: message, Code: code, Type: "error" })}\n`)
  return { _tag: "Failed", status, httpStatus, headers, body, message }
}

/** Sends an answer except its end. A whole answer takes memory from the budget as the pieces of a stream do. */
export const send = (
  exchange: HttpExchange,
  { command, name }: CommandCall.CommandCall,
  answer: CommandAnswer,
  budget: MemoryBudget
): Effect.Effect<Ending.Ending, CommandFault> => {
  switch (answer._tag) {
    case "Value":
      return Effect.flatMap(
        WorkScheduler.run(() => AnswerText.write(answer.value, (value) => textOf(name, value))),
        (text) => {
          const body = Buffer.from(`${text}\n`)
          if (!budget.raise(exchange, body.length)) return Effect.fail(HttpRefusal.busy)
          return Effect.succeed(Ending.streamed([...JSON_TYPE, ...exchange.common], body))
        }
      )
    case "Lines": {
      const lines = Stream.map(answer.values, (value) => line(name, value))
      const headers = [...JSON_TYPE, "x-chunked-output", "1", ...exchange.common]
      return Ending.stream(exchange, headers, lines, budget)
    }
    case "Bytes": {
      const { length } = answer
      const type = answer.contentType ?? (command.answer.kind === "bytes" ? command.answer.contentType : "text/plain")
      const headers = ["content-type", type, "x-content-type-options", "nosniff", "x-stream-output", "1"]
      if (length !== undefined) headers.push("x-content-length", String(length))
      return Ending.stream(exchange, [...headers, ...exchange.common], answer.bytes, budget)
    }
  }
}

const line = (name: IpfsApi.CommandName, value: unknown): Uint8Array => Buffer.from(`${textOf(name, value)}\n`)

const textOf = (name: IpfsApi.CommandName, value: unknown): string => Go.toJson(encoders.get(name)!(value))

/** The functions that encode the values of answers, by command. */
const encoders: ReadonlyMap<string, (value: unknown) => unknown> = new Map(
  Object.entries(IpfsApi.commands).flatMap(([name, { answer }]) =>
    answer.kind === "bytes" ? [] : [[name, Schema.encodeUnknownSync<any>(answer.schema)]]
  )
)
