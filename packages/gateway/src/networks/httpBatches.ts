/**
 * Gathers calls to a node into packets: one HTTP request carries many calls. Each call keeps its own answer and
 * timeout.
 */
import { Buffer } from "node:buffer"

import * as JsonBytes from "@plumbline/jsonrpc-core/scan/JsonBytes"

import type { Deadlines, HasDeadline } from "./deadlines.ts"
import * as NodeAnswer from "./nodeAnswer.ts"
import type { AnswerHandler, AnswerHeaders, RequestControl } from "./plainHttp/answerHandler.ts"
import { isAboutUs, type UpstreamError } from "./UpstreamError.ts"

/** The connection to a node, and the limits of packets. Times are in milliseconds. */
export interface BatchConnection {
  readonly most: number
  readonly wait: number
  readonly maxAnswerBytes: number
  /** Sends a packet. */
  readonly send: (body: string, handler: AnswerHandler) => void
  /** Sends a single call. Returns a function that cancels it. */
  readonly sendOne: (part: BatchedCall, left: number) => () => void
  /** Reads the response to one call. */
  readonly read: (bytes: Uint8Array, id: string, status: number) => NodeAnswer.NodeAnswer
}

/** A call that waits to be sent in a packet, or was sent in one. */
export class BatchedCall implements HasDeadline {
  readonly id: string
  readonly text: string
  /** The time at which the call times out, on the clock of `performance.now`. */
  readonly end: number
  readonly #timeout: number
  readonly #resume: (answer: NodeAnswer.NodeAnswer) => void
  readonly #deadlines: Deadlines
  readonly #tick: number
  isDone = false
  /** Cancels the request that was sent for the call. */
  giveUp: () => void = () => undefined

  constructor(
    id: string,
    text: string,
    timeout: number,
    deadlines: Deadlines,
    resume: (answer: NodeAnswer.NodeAnswer) => void
  ) {
    this.id = id
    this.text = text
    this.end = performance.now() + timeout
    this.#timeout = timeout
    this.#resume = resume
    this.#deadlines = deadlines
    this.#tick = Number.isFinite(timeout) ? deadlines.add(this, timeout) : -1
  }

  late(): void {
    this.settle(NodeAnswer.fault({ _tag: "TimedOut", after: Math.round(this.#timeout) }))
    this.giveUp()
  }

  settle(answer: NodeAnswer.NodeAnswer): void {
    if (this.#end()) this.#resume(answer)
  }

  abort(): void {
    if (this.#end()) this.giveUp()
  }

  #end(): boolean {
    if (this.isDone) return false
    this.isDone = true
    this.#deadlines.remove(this, this.#tick)
    return true
  }
}

/** The calls to one node that wait to be sent together. */
export class HttpBatches {
  readonly #wire: BatchConnection
  #waiting: Array<BatchedCall> = []
  #timer: NodeJS.Timeout | NodeJS.Immediate | undefined
  /** The time until which calls are sent one by one, because the node refused a packet. */
  #singlyUntil = -Infinity

  constructor(wire: BatchConnection) {
    this.#wire = wire
  }

  add(part: BatchedCall): void {
    if (performance.now() < this.#singlyUntil) {
      this.#single(part)
      return
    }
    this.#waiting.push(part)
    if (this.#waiting.length >= this.#wire.most) this.#flush()
    else if (this.#timer === undefined) {
      const flush = () => this.#flush()
      this.#timer = this.#wire.wait > 0 ? setTimeout(flush, this.#wire.wait) : setImmediate(flush)
    }
  }

  #flush(): void {
    if (this.#timer !== undefined) {
      if (this.#wire.wait > 0) clearTimeout(this.#timer as NodeJS.Timeout)
      else clearImmediate(this.#timer as NodeJS.Immediate)
      this.#timer = undefined
    }
    const parts = this.#waiting.filter(({ isDone }) => !isDone)
    this.#waiting = []
    const [first] = parts
    if (first === undefined) return
    if (parts.length === 1) this.#single(first)
    else
      this.#wire.send(`[${parts.map(({ text }) => text).join()}]`, new BatchRequest(parts, this.#wire, this.#refused))
  }

  #single(part: BatchedCall): void {
    part.giveUp = this.#wire.sendOne(part, part.end - performance.now())
  }

  /** Sends the calls of a packet again, one by one. That is safe, because packets have only idempotent calls. */
  readonly #refused = (parts: ReadonlyArray<BatchedCall>, isOfPackets: boolean): void => {
    if (isOfPackets) this.#singlyUntil = performance.now() + MEMORY
    for (const part of parts) if (!part.isDone) this.#single(part)
  }
}

/** Milliseconds for which calls are sent one by one after the node refused a packet. */
const MEMORY = 10 * 60_000

const givenUp = new Error("given up")

class BatchRequest implements AnswerHandler {
  readonly #parts: ReadonlyArray<BatchedCall>
  readonly #wire: BatchConnection
  readonly #refused: (parts: ReadonlyArray<BatchedCall>, isOfPackets: boolean) => void
  #controller: RequestControl | undefined
  #isDone = false
  #status = 0
  #chunks: Array<Uint8Array> = []
  #size = 0

  constructor(
    parts: ReadonlyArray<BatchedCall>,
    wire: BatchConnection,
    refused: (parts: ReadonlyArray<BatchedCall>, isOfPackets: boolean) => void
  ) {
    this.#parts = parts
    this.#wire = wire
    this.#refused = refused
    for (const part of parts) {
      part.giveUp = () => {
        if (parts.every(({ isDone }) => isDone)) this.#end()
      }
    }
  }

  onRequestStart(controller: RequestControl): void {
    this.#controller = controller
    if (this.#isDone) controller.abort(givenUp)
  }

  onResponseStart(_controller: RequestControl, status: number, headers: AnswerHeaders): void {
    this.#status = status
    if (isAboutUs(status) || (status === 503 && headers["retry-after"] !== undefined)) {
      this.#fail(NodeAnswer.badStatus(status, headers["retry-after"]))
    }
  }

  onResponseData(_controller: RequestControl, chunk: Uint8Array): void {
    if (this.#isDone) return
    this.#size += chunk.length
    if (this.#size <= this.#wire.maxAnswerBytes) this.#chunks.push(chunk)
    else {
      // The packet's answer is too large. A single answer may be small enough, so the calls are sent one by one.
      this.#end()
      this.#refused(this.#parts, false)
    }
  }

  onResponseEnd(): void {
    if (this.#isDone) return
    const bytes = Buffer.concat(this.#chunks, this.#size)
    const items = JsonBytes.itemsOf(bytes)
    if (items === undefined && this.#status >= 500) {
      this.#fail({ _tag: "BadStatus", status: this.#status })
      return
    }
    this.#isDone = true
    if (items === undefined) {
      this.#refused(this.#parts, true)
      return
    }
    const byId = new Map(this.#parts.map((part) => [part.id, part]))
    for (const { end, start } of items) {
      const item = bytes.subarray(start, end)
      const id = NodeAnswer.textOf(item, JsonBytes.locate(item)?.id)
      const part = id === undefined ? undefined : byId.get(id)
      part?.settle(this.#wire.read(item, part.id, this.#status))
    }
    for (const part of this.#parts) part.settle(NodeAnswer.fault({ _tag: "BadAnswer", problem: "wrong id" }))
  }

  onResponseError(_controller: RequestControl, error: Error): void {
    this.#fail({ _tag: "Unreachable", code: NodeAnswer.codeOf(error) })
  }

  #fail(reason: UpstreamError["reason"]): void {
    if (this.#isDone) return
    this.#end()
    for (const part of this.#parts) part.settle(NodeAnswer.fault(reason))
  }

  #end(): void {
    this.#isDone = true
    this.#chunks = []
    this.#controller?.abort(givenUp)
  }
}
