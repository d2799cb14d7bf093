/** Connections in memory, and a head that a lane takes. */
import { Duplex } from "node:stream"

import type { CallHead } from "../../../src/http/callDoor.ts"

/** The server's end of a connection in memory. */
export class MemorySocket extends Duplex {
  readonly remoteAddress = "127.0.0.1"
  readonly heard: Array<Buffer> = []
  isClosed = false
  /** Counts what happens, to know when nothing more does. */
  events = 0

  readonly #isStuck: () => boolean
  #release: (() => void) | undefined

  /** `isStuck`: true while the client reads nothing. */
  constructor({ isStuck = () => false }: { readonly isStuck?: () => boolean } = {}) {
    super({ allowHalfOpen: true })
    this.#isStuck = isStuck
    this.on("close", () => {
      this.events++
      this.isClosed = true
    })
  }

  override _read(): void {}

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.events++
    this.heard.push(chunk)
    if (this.#isStuck()) this.#release = done
    else done()
  }

  override _final(done: () => void): void {
    this.events++
    this.isClosed = true
    done()
  }

  /** The client reads again. */
  release(): void {
    this.#release?.()
  }

  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once("finish", () => this.destroy())
  }
}

export const known: CallHead = {
  caller: {
    key: "k",
    authorization: undefined,
    host: undefined,
    network: undefined,
    origin: undefined,
    userAgent: undefined,
    isHead: false
  },
  annotates: false,
  session: undefined
}
