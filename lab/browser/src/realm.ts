/**
 * Runs a script in a realm that has a browser's globals and lacks Node's.
 *
 * The realm is a context of `node:vm`. It has only the ECMAScript of V8, with WebAssembly, and the web globals listed
 * below. `eval` and `new Function` are disabled, as by a page's content security policy.
 */
import { createContext, Script } from "node:vm"

/** The script that runs in the realm, and its entry. */
export interface Task {
  /** A classic script that leaves an object in the global `name`. */
  readonly code: string
  readonly name: string
  /**
   * The name of a function of the object that the script leaves. The function is called without arguments. It must
   * return text, or a promise of text.
   */
  readonly entry: string
}

/** The result of a run: its answer or its error. */
export type Report =
  | { readonly _tag: "Done"; readonly said: string }
  | { readonly _tag: "Failed"; readonly why: string }

/** Runs one script in a new realm. Never rejects: every failure of the script is a report. */
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

/** Globals that all current browsers and their workers have, and Node too. */
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
 * A realm has its own `Uint8Array`, but the given encoder returns Node's. Without this change, `instanceof` would fail
 * here, although it works in every browser. (Chunks of a `Response` remain Node's.)
 */
const prelude = new Script(`
  globalThis.self = globalThis
  globalThis.TextEncoder = class extends TextEncoder {
    encode(text) { return new Uint8Array(super.encode(text)) }
  }
`)

/** An error that the script throws is not an instance of the `Error` of this program. */
const textOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "stack" in error && typeof error.stack === "string"
    ? error.stack
    : String(error)
