/** Reads a packet in steps: its structure first, then one message after the other. */
import * as ErrorObject from "../error/ErrorObject.ts"
import { type PacketElement, PacketScan } from "../scan/packetScan.ts"
import { MAX_METHOD_LENGTH, NULL_ID } from "./packet.ts"
import type { PacketEntry, Id, PacketLimits, Packet, Params, PacketSteps } from "./packet.ts"

/** Number of bytes that one step scans. */
const SCANNED = 256 * 1024

/** Number of bytes of parsed messages after which a step ends. */
const PARSED = 64 * 1024

export class PacketReader implements PacketSteps {
  readonly #limits: PacketLimits
  readonly #bytes: Uint8Array
  readonly #refused: Packet | undefined
  readonly #scan: PacketScan
  readonly #entries: Array<PacketEntry> = []
  #state: "Scan" | "Parse" | "First" = "Scan"
  #next = 0
  #parsed = 0

  constructor(input: Uint8Array | string, limits: PacketLimits) {
    this.#limits = limits
    this.#refused = flawOf(input, limits)
    this.#bytes = this.#refused !== undefined ? NOTHING : typeof input === "string" ? encoder.encode(input) : input
    this.#scan = new PacketScan(this.#bytes, limits)
  }

  readonly step = (): Packet | undefined => {
    if (this.#refused !== undefined) return this.#refused
    if (this.#state === "Scan") {
      const refused = this.#scanOn()
      // A small packet is read in one step.
      if (refused !== undefined || this.#isScanning || this.#bytes.length > PARSED) return refused
    }
    return this.#state === "Parse" ? this.#parseOn() : this.#state === "First" ? this.#firstOn() : undefined
  }

  readonly sizes = (): ReadonlyArray<number> =>
    this.#state === "Parse" && this.#scan.isBatch && this.#entries.length === this.#scan.elements.length
      ? this.#scan.elements.map(({ end, start }) => trimmed(this.#bytes, start, end))
      : []

  readonly scanned = (): number => this.#scan.visited

  readonly parsed = (): number => this.#parsed

  get #isScanning(): boolean {
    return this.#state === "Scan"
  }

  #scanOn(): Packet | undefined {
    switch (this.#scan.step(SCANNED)) {
      case undefined:
        return undefined
      case "TooDeep":
        // Nothing tells whether the rest is JSON, which is not read. As in geth, the reader of JSON refuses it.
        return refused(ErrorObject.parseError("request nested too deeply"))
      case "Broken":
        return refused(ErrorObject.parseError())
      case "TooMany":
        this.#state = "First"
        return undefined
      case "Elements":
        this.#state = "Parse"
        return this.#scan.isBatch && this.#scan.elements.length === 0
          ? refused(ErrorObject.invalidRequest("empty batch"))
          : undefined
    }
  }

  #parseOn(): Packet | undefined {
    const { elements, isBatch } = this.#scan
    let bytes = 0
    while (this.#next < elements.length) {
      const element = elements[this.#next++]!
      const entry = this.#entryOf(element)
      if (entry === undefined) return refused(ErrorObject.parseError())
      if (!isBatch) return { _tag: "Single", entry }
      this.#entries.push(entry)
      bytes += element.end - element.start
      if (bytes >= PARSED && this.#next < elements.length) return undefined
    }
    return { _tag: "Batch", entries: this.#entries }
  }

  /**
   * Finds the error for a batch that is too large. As in geth, one error answers the batch, with the id of the first
   * call.
   */
  #firstOn(): Packet | undefined {
    const { elements } = this.#scan
    let bytes = 0
    while (this.#next < elements.length) {
      const element = elements[this.#next++]!
      const entry = this.#entryOf(element)
      if (entry === undefined) return refused(ErrorObject.parseError())
      if (entry._tag === "Request") return tooLarge(entry.id)
      bytes += element.end - element.start
      if (bytes >= PARSED && this.#next < elements.length) return undefined
    }
    return tooLarge(undefined)
  }

  /** Returns the message, or `undefined` if its text is not JSON. */
  #entryOf(element: PacketElement): PacketEntry | undefined {
    if (element.isExcessive) {
      return invalid(this.#idAlone(element), `too many values, want at most ${this.#limits.maxValues}`)
    }
    this.#parsed++
    const bytes = this.#bytes.subarray(element.start, element.end)
    try {
      const text = decoder.decode(bytes)
      return toEntry(JSON.parse(text) as unknown, this.#idOf(element, text))
    } catch {
      return undefined
    }
  }

  /** Returns the id of a message whose text is JSON. */
  #idOf({ end, idEnd, idStart, start }: PacketElement, text: string): Id | undefined {
    if (idStart === -1) return undefined
    // If each byte is one character, the decoded text already holds the id.
    const id =
      text.length === end - start
        ? text.slice(idStart - start, idEnd - start)
        : decoder.decode(this.#bytes.subarray(idStart, idEnd))
    return id.trim() as Id
  }

  /** Returns the id of a message that is not parsed. Returns undefined if the text is not a valid id. */
  #idAlone({ idEnd, idStart }: PacketElement): Id | undefined {
    if (idStart === -1 || idEnd - idStart > MAX_ID) return undefined
    try {
      const text = decoder.decode(this.#bytes.subarray(idStart, idEnd)).trim()
      return isId(JSON.parse(text)) ? (text as Id) : undefined
    } catch {
      return undefined
    }
  }
}

const NOTHING = /* @__PURE__ */ new Uint8Array(0)

/** Maximum number of bytes of an id that is repeated in an answer although its message was not read. */
const MAX_ID = 1024

const encoder = /* @__PURE__ */ new TextEncoder()

/** The decoder keeps a byte order mark, so that `JSON.parse` refuses it, as it refuses one in a text message. */
const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Returns the refusal of a packet whose size or encoding is wrong, before its content is read. */
const flawOf = (input: Uint8Array | string, { maxBytes }: PacketLimits): Packet | undefined => {
  if (isLargerThan(input, maxBytes)) return refused(ErrorObject.invalidRequest("request too large"))
  // Encoding would replace a lone surrogate with another character.
  return typeof input === "string" && !input.isWellFormed() ? refused(ErrorObject.parseError()) : undefined
}

/**
 * True if the input has more than `max` bytes. A UTF-16 code unit takes at most three bytes of UTF-8, so most texts are
 * not measured.
 */
const isLargerThan = (input: Uint8Array | string, max: number): boolean =>
  input.length > max || (typeof input === "string" && input.length * 3 > max && encoder.encode(input).length > max)

/** Returns the length in bytes of a message without the white space around it. */
const trimmed = (bytes: Uint8Array, start: number, end: number): number => {
  let from = start
  let to = end
  while (from < to && bytes[from]! <= SPACE) from++
  while (to > from && bytes[to - 1]! <= SPACE) to--
  return to - from
}

const SPACE = 0x20

const refused = (error: ErrorObject.ErrorObject): Packet => ({ _tag: "Refused", id: NULL_ID, error })

const tooLarge = (id: Id | undefined): Packet => ({ _tag: "Batch", entries: [invalid(id, "batch too large")] })

const invalid = (id: Id | undefined, message?: string): PacketEntry => ({
  _tag: "Invalid",
  id: id ?? NULL_ID,
  error: ErrorObject.invalidRequest(message)
})

const toEntry = (value: unknown, rawId: Id | undefined): PacketEntry => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return invalid(undefined)
  // Only own members count, so that additions to Object.prototype cannot make a request.
  const id = member(value, "id")
  if (id !== undefined && !isId(id)) return invalid(undefined)
  const method = member(value, "method")
  if (method === undefined && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))) {
    return { _tag: "Response", id: rawId ?? NULL_ID }
  }
  const params = member(value, "params")
  if (member(value, "jsonrpc") !== "2.0" || typeof method !== "string" || !isParams(params)) return invalid(rawId)
  if (method.length > MAX_METHOD_LENGTH) return invalid(rawId, "method name too long")
  return rawId === undefined
    ? { _tag: "Notification", method, params: params ?? undefined }
    : { _tag: "Request", id: rawId, method, params: params ?? undefined }
}

const member = (value: object, name: "id" | "jsonrpc" | "method" | "params"): unknown =>
  Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined

const isId = (id: unknown): boolean => id === null || typeof id === "string" || typeof id === "number"

const isParams = (params: unknown): params is Params | null => params === undefined || typeof params === "object"
