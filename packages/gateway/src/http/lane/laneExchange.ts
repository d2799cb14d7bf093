/** An exchange over the lane. */
import { Exchange, type ExchangeHooks } from "../exchange.ts"
import type { HttpRefusal } from "../HttpRefusal.ts"
import * as RequestId from "../requestId.ts"
import type { LaneCall } from "./laneCall.ts"

export class LaneExchange extends Exchange {
  readonly call: LaneCall
  readonly requestId: string
  readonly #shared: ExchangeHooks
  #ended = false
  #onceOver: (() => void) | undefined

  constructor(call: LaneCall, shared: ExchangeHooks) {
    super()
    this.call = call
    this.requestId = RequestId.of(call.head)
    this.#shared = shared
    this.annotates = call.known.annotates
    this.held = call.body.length
    this.bytesIn = call.body.length
    call.onLost = () => this.#end()
  }

  get isHead(): boolean {
    return false
  }

  get method(): string {
    return "POST"
  }

  get url(): string {
    return this.call.head.url
  }

  get isGone(): boolean {
    return this.call.isLost
  }

  get status(): number | undefined {
    return this.call.status
  }

  protected get compressFrom(): number {
    return this.#shared.compressFrom
  }

  protected get acceptEncoding(): string | undefined {
    return this.call.head.headers["accept-encoding"]
  }

  protected onceOver(callback: () => void): void {
    this.#onceOver = callback
  }

  protected sendWhole(status: number, headers: Array<string>, body: Uint8Array | undefined): void {
    if (this.status !== undefined || this.#ended) return
    const { held } = this.#shared
    if (held !== undefined) {
      held.push(() => this.sendWhole(status, headers, body))
      return
    }
    this.bytesOut += body?.length ?? 0
    headers.push(RequestId.HEADER, this.requestId)
    const closes = this.#closes()
    if (closes) headers.push("connection", "close")
    this.call.answer(status, headers, body, closes)
    this.#end()
  }

  begin(status: number, headers: ReadonlyArray<string>): void {
    const closes = this.#closes()
    const last = closes ? ["connection", "close"] : []
    this.call.begin(status, [...headers, RequestId.HEADER, this.requestId, ...last], closes)
  }

  write(bytes: Uint8Array): boolean {
    if (this.isGone) return false
    this.bytesOut += bytes.length
    return this.call.write(bytes)
  }

  onDrain(callback: () => void): void {
    this.call.onDrain(callback)
  }

  finish(): void {
    this.call.finish()
    this.#end()
  }

  breakOff(): void {
    this.call.breakOff()
  }

  reject(refusal: HttpRefusal): void {
    this.refuse(refusal)
  }

  /** Returns true if the connection closes after this answer, and records it. */
  #closes(): boolean {
    const { connections, isDraining } = this.#shared
    const isLast = isDraining && this.call.isLatest
    if (isLast) connections.end(this.call.connection.socket)
    return isLast
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onceOver?.()
    this.#shared.onEnd(this)
  }
}
