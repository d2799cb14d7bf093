/**
 * A fake WebSocket that the test controls. The test opens it, sends the peer's messages, and reads the sent packets.
 */
import { assert } from "@effect/vitest"
import type { WebSocketTransport } from "@plumbline/jsonrpc-core"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

/** A socket with the features of browsers. */
export class FakeSocket implements WebSocketTransport.WebSocketLike {
  binaryType = "blob"
  bufferedAmount = 0
  /** All packets sent, as JSON values. */
  readonly sent: Array<any> = []
  /** The way in which the client ended the socket. */
  ended: "terminated" | { readonly code: number | undefined } | undefined
  readonly url: string
  readonly protocols: unknown
  readonly options: any
  readonly #listeners = new Map<string, (...args: Array<any>) => void>()

  constructor(url: string, protocols?: string | Array<string>, options?: any) {
    this.url = url
    this.protocols = protocols
    this.options = options
  }

  send(data: string): void {
    this.sent.push(JSON.parse(data))
  }

  close(code?: number): void {
    this.ended ??= { code }
  }

  addEventListener(type: string, listener: (event: any) => void): void {
    this.#listeners.set(type, listener)
  }

  emit(type: string, ...args: ReadonlyArray<unknown>): void {
    this.#listeners.get(type)?.(...args)
  }

  open(): void {
    this.emit("open", {})
  }

  message(...values: ReadonlyArray<unknown>): void {
    values.forEach((value) => this.text(JSON.stringify(value)))
  }

  text(data: string): void {
    this.emit("message", { data })
  }

  binary(data: Uint8Array<ArrayBuffer>): void {
    assert.strictEqual(this.binaryType, "arraybuffer")
    this.emit("message", { data: data.buffer })
  }

  /** Answers the `nth` sent packet with a result. */
  answer(nth: number, result: unknown): void {
    this.message({ jsonrpc: "2.0", id: this.sent[nth].id, result })
  }

  fail(error?: unknown): void {
    this.emit("error", { error })
  }

  drop(code = 1006): void {
    this.emit("close", { code })
  }
}

/** A socket with the further features of `ws`. */
export class FakeWs extends FakeSocket {
  pings = 0
  isPaused = false

  ping(): void {
    this.pings++
  }

  pause(): void {
    this.isPaused = true
  }

  resume(): void {
    this.isPaused = false
  }

  terminate(): void {
    this.ended ??= "terminated"
  }

  on(event: string, listener: (...args: Array<any>) => void): void {
    this.addEventListener(event, listener)
  }
}

/** A class of sockets, and the sockets made with it. */
export interface Fake<S extends FakeSocket> {
  readonly webSocket: new (url: string, protocols?: string | Array<string>, options?: any) => S
  readonly sockets: ReadonlyArray<S>
  /** The newest socket. */
  readonly last: () => S
}

export const make = <S extends FakeSocket = FakeWs>(
  base: new (url: string, protocols?: string | Array<string>, options?: any) => S = FakeWs as never,
  onDial: (socket: S) => void = () => {}
): Fake<S> => {
  const sockets: Array<S> = []
  const webSocket = class extends (base as new (...args: ReadonlyArray<any>) => FakeSocket) {
    constructor(...args: ReadonlyArray<any>) {
      super(...args)
      sockets.push(this as unknown as S)
      onDial(this as unknown as S)
    }
  }
  return { webSocket: webSocket as never, sockets, last: () => sockets.at(-1)! }
}

/** Opens each socket in the next microtask. */
export const opening = (socket: FakeSocket): void => queueMicrotask(() => socket.open())

/** Runs all work that does not wait for the clock. */
export const settle: Effect.Effect<void> = Effect.andThen(
  TestClock.adjust(0),
  Effect.andThen(
    Effect.promise(() => Promise.resolve()),
    TestClock.adjust(0)
  )
)
