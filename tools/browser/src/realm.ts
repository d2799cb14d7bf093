/**
 * Runs a script in a realm that has a browser's globals and lacks Node's.
 *
 * The realm is a context of `node:vm`: ECMAScript as V8 has it (WebAssembly too), the web names listed below, nothing
 * else, and neither `eval` nor `new Function`, as under a page's content security policy.
 */
import { createContext, Script } from "node:vm"

/** The script that runs in the realm, and its entry. */
export interface Task {
  /** A classic script that leaves an object in the global `name`. */
  readonly code: string
  readonly name: string
  /** A function of that object, without parameters; its answer, or the answer it promises, must be text. */
  readonly entry: string
}

/** The end of a run: its answer or its error. */
export type Report =
  | { readonly _tag: "Done"; readonly said: string }
  | { readonly _tag: "Failed"; readonly why: string }

/** Runs one script in a realm of its own. Never rejects: every failure of the script is a report. */
export const run = async ({ code, entry, name }: Task): Promise<Report> => {
  const realm = createContext({ ...web }, { name, codeGeneration: { strings: false, wasm: true } })
  try {
    prelude.runInContext(realm)
    new Script(code, { filename: `${name}.js` }).runInContext(realm)
    const said: unknown = await realm[name][entry]()
    return typeof said === "string"
      ? { _tag: "Done", said }
      : { _tag: "Failed", why: `answered a ${typeof said} where text was expected` }
  } catch (error) {
    return { _tag: "Failed", why: textOf(error) }
  }
}

/** Globals of every browser of today, and of its workers, that Node has too. */
const web = {
  AbortController,
  AbortSignal,
  Blob,
  DOMException,
  Event,
  EventTarget,
  Headers,
  MessageChannel,
  ReadableStream,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  TransformStream,
  URL,
  URLSearchParams,
  WebSocket,
  WritableStream,
  atob,
  btoa,
  clearInterval,
  clearTimeout,
  console,
  crypto,
  fetch,
  performance,
  queueMicrotask,
  setInterval,
  setTimeout,
  structuredClone
}

/**
 * A realm has a `Uint8Array` of its own, but the encoder that is handed in returns Node's. Without this, `instanceof`
 * would fail here and in no browser. (Chunks of a `Response` remain Node's.)
 */
const prelude = new Script(`
  globalThis.self = globalThis
  globalThis.TextEncoder = class extends TextEncoder {
    encode(text) { return new Uint8Array(super.encode(text)) }
  }
`)

/** An error of the realm is not an instance of this realm's Error. */
const textOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "stack" in error && typeof error.stack === "string"
    ? error.stack
    : String(error)
